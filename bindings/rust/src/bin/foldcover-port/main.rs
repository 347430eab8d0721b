//! The crate as a program that is asked one line of JSON and answers one: what the laws are run against.
//!
//! Rule: a request that cannot be performed is answered with an error and changes nothing; a line that is no request
//! (no JSON object with an integer `id`) ends the program with a message and exit code 2. No line makes it panic.

#![forbid(unsafe_code)]

mod json;
mod wire;

use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use foldcover::{Block, Cover};

use json::{parse, quoted, Json};
use wire::{blocks_text, integer, outcome_text, read, view_text, Request};

/// Bytes that one line may have.
const LONGEST_LINE: u64 = 64 << 20;
/// Units that one zoom lists.
const LONGEST_ZOOM: i64 = 1 << 20;

fn main() -> ExitCode {
    match serve(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nobody may be listening any more.
            let _ = writeln!(io::stderr(), "foldcover-port: {message}");
            ExitCode::from(2)
        }
    }
}

/// Answer a line with a line, until bye or the end of the input.
fn serve(input: &mut impl BufRead, output: &mut impl Write) -> Result<(), String> {
    let mut cover = Cover::new().map_err(|error| error.to_string())?;
    while let Some(line) = next_line(input)? {
        let fields = match parse(&line) {
            Ok(Json::Object(fields)) => fields,
            Ok(_) => return Err("a line that is no JSON object".into()),
            Err(error) => return Err(format!("a line that is no JSON: {error}")),
        };
        let id = integer(&fields, "id")?;
        let said = match read(&fields) {
            Ok(Request::Bye) => return Ok(()),
            Ok(request) => perform(&mut cover, request),
            Err(error) => Err(error),
        };
        let answer = said.unwrap_or_else(|error| format!("\"error\":{}", quoted(&error)));
        writeln!(output, "{{\"id\":{id},{answer}}}")
            .and_then(|()| output.flush())
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The next line, None at the end.
fn next_line(input: &mut impl BufRead) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    input
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)
        .map_err(|error| error.to_string())?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        return Err(format!("a line of more than {LONGEST_LINE} bytes"));
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| "bytes that are no UTF-8".into())
}

/// Do what is asked. The fields of the answer, or why it was not done.
fn perform(cover: &mut Cover, request: Request) -> Result<String, String> {
    let wrong = |error: foldcover::Error| error.to_string();
    match request {
        Request::Hello => return Ok("\"name\":\"foldcover for Rust\",\"load\":true,\"wanted\":true".into()),
        Request::Zoom(block) => return zoom(cover, block),
        Request::Wanted(budget, rank) => {
            let wanted = cover.wanted(budget, rank).map_err(wrong)?;
            return Ok(format!("\"blocks\":{}", blocks_text(wanted)));
        }
        Request::Settle(budget, rank) => {
            let settled = cover.settle(budget, rank).map_err(wrong)?;
            let (merged, outcome) = (blocks_text(settled.merged), outcome_text(settled.outcome));
            return Ok(format!(
                "{},\"merged\":{merged},\"outcome\":\"{outcome}\"",
                shown(cover)?
            ));
        }
        Request::Reset => cover.reset(),
        Request::Load(view) => cover.load(&view).map_err(wrong)?,
        Request::Close(weight) => cover.close(weight).map_err(wrong)?,
        Request::Write(block, weight) => cover.write(block, weight).map(|_| ()).map_err(wrong)?,
        Request::Bye => {}
    }
    shown(cover)
}

fn shown(cover: &Cover) -> Result<String, String> {
    let view = cover.save().map_err(|error| error.to_string())?;
    Ok(format!("\"view\":{}", view_text(&view)))
}

fn zoom(cover: &Cover, block: Block) -> Result<String, String> {
    let inside = block.start >= 0 && block.stop() <= cover.units();
    if inside && block.size > LONGEST_ZOOM {
        return Err(format!("a zoom into more than {LONGEST_ZOOM} units"));
    }
    Ok(format!("\"blocks\":{}", blocks_text(cover.zoom(block))))
}

#[cfg(test)]
mod tests;

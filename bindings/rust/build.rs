//! Compiles the C core, `c/foldcover.c`, with the machine's own compiler and archiver.
//!
//! `c` is a symbolic link to the folder that all bindings share. Cargo follows it when it packs the crate, so there is
//! one source in the repository and a whole one in the package, and no copy that could drift.
//!
//! Any compiler that takes gcc's options will do. Environment, the first that is set: `CC_<target>` with the target's
//! dashes as underscores, `CC`, then `cc`, which is only guessed where host and target are the same; `AR_<target>`,
//! `AR`, `ar` likewise. `CFLAGS` comes last on the command line.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

const SOURCES: [&str; 3] = ["c/foldcover.c", "c/foldcover.h", "layout.c"];

fn main() {
    let out = PathBuf::from(variable("OUT_DIR").unwrap_or_else(|| fail("cargo did not set OUT_DIR")));
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
        if !Path::new(source).is_file() {
            fail(&format!(
                "{source} is missing. `c` must be a folder, or a symbolic link to the repository's bindings/c; \
                 a checkout without symbolic links has a text file there"
            ));
        }
    }
    compile(&out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=foldcover_c");
}

/// Compile and archive into the folder `out`.
fn compile(out: &Path) {
    let (object, archive) = (out.join("foldcover.o"), out.join("libfoldcover_c.a"));
    let flags: Vec<String> = words(&variable("CFLAGS").unwrap_or_default());
    let compiler = || {
        let mut command = tool("CC", "cc");
        command.args(["-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Ic"]);
        command
    };
    run(
        "the C compiler",
        compiler().args(&flags).args(["-fsyntax-only", "layout.c"]),
    );
    run(
        "the C compiler",
        compiler().args(&flags).args(["-c", "c/foldcover.c", "-o"]).arg(&object),
    );
    // An archiver adds to an archive that is there.
    let _ = std::fs::remove_file(&archive);
    run("the archiver", tool("AR", "ar").arg("crs").arg(&archive).arg(&object));
}

/// The command that the environment names, else `usual`.
fn tool(name: &str, usual: &str) -> Command {
    let target = variable("TARGET").unwrap_or_default();
    let own = format!("{name}_{}", target.replace('-', "_"));
    let chosen = match variable(&own).or_else(|| variable(name)) {
        Some(chosen) => chosen,
        None if variable("HOST").as_deref() == Some(target.as_str()) => usual.to_string(),
        None => fail(&format!(
            "to compile the C core for {target}, set {own} to the {usual} of that target"
        )),
    };
    let parts = words(&chosen);
    let (program, arguments) = parts.split_first().unwrap_or_else(|| fail(&format!("{name} is blank")));
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Run it; end the build with a message where that fails.
fn run(what: &str, command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("{what} failed with {status}: {command:?}")),
        Err(error) => fail(&format!(
            "{what} cannot be started ({error}): {command:?}. The crate needs a C compiler and an archiver: install \
             them (Debian: gcc and binutils), or name them in CC and AR"
        )),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// A variable of the environment, on which the build depends from now on.
fn variable(name: &str) -> Option<String> {
    println!("cargo:rerun-if-env-changed={name}");
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

fn fail(message: &str) -> ! {
    eprintln!("foldcover: {message}");
    exit(1)
}

//! Requests and answers as JSON.
//!
//! Rule: what a request needs must be there and of its form; keys that nobody asked for are ignored. Trees recurse: the
//! reader of JSON bounds their nesting.

use std::collections::BTreeMap;
use std::fmt::Write;

use foldcover::{Block, Outcome, Rank, Tree, View};

use crate::json::Json;

/// What a request asks for.
pub enum Request {
    Hello,
    Reset,
    Load(View),
    Close(i64),
    Write(Block, i64),
    Settle(i64, Rank),
    Wanted(i64, Rank),
    Zoom(Block),
    Bye,
}

pub type Fields = BTreeMap<String, Json>;

/// The request in an object.
pub fn read(fields: &Fields) -> Result<Request, String> {
    Ok(match text(fields, "op")? {
        "hello" => Request::Hello,
        "reset" => Request::Reset,
        "load" => Request::Load(view(fields)?),
        "close" => Request::Close(integer(fields, "weight")?),
        "write" => Request::Write(block(fields)?, integer(fields, "weight")?),
        "settle" => Request::Settle(integer(fields, "budget")?, rank(fields)?),
        "wanted" => Request::Wanted(integer(fields, "budget")?, rank(fields)?),
        "zoom" => Request::Zoom(block(fields)?),
        "bye" => Request::Bye,
        _ => return Err("no operation of that name".into()),
    })
}

/// The integer of that name.
pub fn integer(fields: &Fields, name: &str) -> Result<i64, String> {
    match fields.get(name) {
        Some(Json::Integer(value)) => Ok(*value),
        Some(_) => Err(format!("{name} is no integer of 64 bits")),
        None => Err(format!("{name} is missing")),
    }
}

fn text<'fields>(fields: &'fields Fields, name: &str) -> Result<&'fields str, String> {
    match fields.get(name) {
        Some(Json::Text(value)) => Ok(value),
        Some(_) => Err(format!("{name} is no text")),
        None => Err(format!("{name} is missing")),
    }
}

fn block(fields: &Fields) -> Result<Block, String> {
    Ok(Block::new(integer(fields, "start")?, integer(fields, "size")?))
}

fn rank(fields: &Fields) -> Result<Rank, String> {
    match text(fields, "rank")? {
        "smallest_first" => Ok(Rank::SmallestFirst),
        "age_over_size" => Ok(Rank::AgeOverSize),
        _ => Err("no rank of that name".into()),
    }
}

fn view(fields: &Fields) -> Result<View, String> {
    match fields.get("view") {
        Some(Json::List(trees)) => trees.iter().map(tree).collect(),
        Some(_) => Err("view is no list of trees".into()),
        None => Err("view is missing".into()),
    }
}

fn tree(value: &Json) -> Result<Tree, String> {
    let no_tree = || {
        "no tree: {\"leaf\":w}, {\"merged\":[size,w]} or {\"split\":[tree,tree,w_or_null]}, integers of 64 bits"
            .to_string()
    };
    let Json::Object(fields) = value else {
        return Err(no_tree());
    };
    let mut pairs = fields.iter();
    let (Some((form, inside)), None) = (pairs.next(), pairs.next()) else {
        return Err(no_tree());
    };
    match (form.as_str(), inside) {
        ("leaf", Json::Integer(weight)) => Ok(Tree::leaf(*weight)),
        ("merged", Json::List(items)) => match items.as_slice() {
            [Json::Integer(size), Json::Integer(weight)] => Ok(Tree::merged(*size, *weight)),
            _ => Err(no_tree()),
        },
        ("split", Json::List(items)) => match items.as_slice() {
            [left, right, Json::Null] => Ok(Tree::split(tree(left)?, tree(right)?, None)),
            [left, right, Json::Integer(line)] => Ok(Tree::split(tree(left)?, tree(right)?, Some(*line))),
            _ => Err(no_tree()),
        },
        _ => Err(no_tree()),
    }
}

/// The view as JSON.
pub fn view_text(view: &[Tree]) -> String {
    let mut out = String::from("[");
    for (index, tree) in view.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        put_tree(&mut out, tree);
    }
    out.push(']');
    out
}

fn put_tree(out: &mut String, tree: &Tree) {
    match tree {
        Tree::Leaf { weight } => put(out, format_args!("{{\"leaf\":{weight}}}")),
        Tree::Merged { size, weight } => put(out, format_args!("{{\"merged\":[{size},{weight}]}}")),
        Tree::Split(split) => {
            out.push_str("{\"split\":[");
            put_tree(out, &split.left);
            out.push(',');
            put_tree(out, &split.right);
            match split.line {
                Some(line) => put(out, format_args!(",{line}]}}")),
                None => out.push_str(",null]}"),
            }
        }
    }
}

/// The blocks as JSON: [start, size] each.
pub fn blocks_text(blocks: impl IntoIterator<Item = Block>) -> String {
    let mut out = String::from("[");
    for block in blocks {
        let comma = if out.len() > 1 { "," } else { "" };
        put(&mut out, format_args!("{comma}[{},{}]", block.start, block.size));
    }
    out.push(']');
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    let _ = out.write_fmt(text);
}

/// The outcome's name.
pub fn outcome_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fits => "fits",
        Outcome::Settled => "settled",
        Outcome::Stuck => "stuck",
    }
}

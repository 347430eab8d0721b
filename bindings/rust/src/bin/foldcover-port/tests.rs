//! The port, line by line.

use super::*;

/// What it answers to these lines, and how it ends.
fn talk(lines: &[&str]) -> (Vec<String>, Result<(), String>) {
    let mut output = Vec::new();
    let ended = serve(&mut lines.join("\n").as_bytes(), &mut output);
    let text = String::from_utf8(output).expect("UTF-8");
    (text.lines().map(str::to_string).collect(), ended)
}

fn answer(line: &str) -> String {
    let (mut said, ended) = talk(&[line]);
    assert_eq!((said.len(), ended), (1, Ok(())), "{line}");
    said.remove(0)
}

/// What is said of trees that are no view.
const NOT_ALIGNED: &str =
    "not an aligned view: sizes are powers of two up to 2^48, halves are equal, and trees shrink from the oldest on";

#[test]
fn a_conversation() {
    let (said, ended) = talk(&[
        r#"{"id":1,"op":"hello"}"#,
        r#"{"id":2,"op":"reset"}"#,
        r#"{"id":3,"op":"close","weight":1}"#,
        r#"{"id":4,"op":"close","weight":2}"#,
        r#"{"id":5,"op":"wanted","budget":2,"rank":"smallest_first"}"#,
        r#"{"id":6,"op":"write","start":0,"size":2,"weight":1}"#,
        r#"{"id":7,"op":"settle","budget":2,"rank":"age_over_size"}"#,
        r#"{"id":8,"op":"zoom","start":0,"size":2}"#,
        r#"{"id":9,"op":"load","view":[{"leaf":-1},{"split":[{"merged":[2,5]},{"merged":[2,0]},7]}]}"#,
        r#"{"id":10,"op":"bye"}"#,
        "what comes after bye is not read",
    ]);
    assert_eq!(ended, Ok(()));
    assert_eq!(
        said,
        [
            r#"{"id":1,"name":"foldcover for Rust","load":true,"wanted":true}"#,
            r#"{"id":2,"view":[]}"#,
            r#"{"id":3,"view":[{"leaf":1}]}"#,
            r#"{"id":4,"view":[{"split":[{"leaf":1},{"leaf":2},null]}]}"#,
            r#"{"id":5,"blocks":[[0,2]]}"#,
            r#"{"id":6,"view":[{"split":[{"leaf":1},{"leaf":2},1]}]}"#,
            r#"{"id":7,"view":[{"merged":[2,1]}],"merged":[[0,2]],"outcome":"settled"}"#,
            r#"{"id":8,"blocks":[[0,1],[1,1]]}"#,
            r#"{"id":9,"view":[{"leaf":-1},{"split":[{"merged":[2,5]},{"merged":[2,0]},7]}]}"#,
        ]
    );
}

#[test]
fn what_cannot_be_performed_is_answered_with_an_error() {
    for (request, error) in [
        (r#""op":"fold""#, "no operation of that name"),
        (r#""op":1"#, "op is no text"),
        (r#""x":1"#, "op is missing"),
        (r#""op":"close""#, "weight is missing"),
        (r#""op":"close","weight":1.0"#, "weight is no integer of 64 bits"),
        (r#""op":"close","weight":"1""#, "weight is no integer of 64 bits"),
        (
            r#""op":"close","weight":9223372036854775808"#,
            "weight is no integer of 64 bits",
        ),
        (
            r#""op":"close","weight":-9223372036854775808"#,
            "more than 2^48 units, or weights that add up to more than 64 bits",
        ),
        (r#""op":"write","start":0,"weight":1"#, "size is missing"),
        (r#""op":"settle","budget":1"#, "rank is missing"),
        (r#""op":"settle","budget":1,"rank":"random""#, "no rank of that name"),
        (r#""op":"load""#, "view is missing"),
        (r#""op":"load","view":{}"#, "view is no list of trees"),
        (r#""op":"load","view":[{"merged":[0,1]}]"#, NOT_ALIGNED),
    ] {
        assert_eq!(
            answer(&format!("{{\"id\":5,{request}}}")),
            format!("{{\"id\":5,\"error\":\"{error}\"}}")
        );
    }
}

#[test]
fn what_is_no_tree_is_refused() {
    for tree in [
        "1",
        "{}",
        r#"{"leaf":null}"#,
        r#"{"leaf":1,"x":1}"#,
        r#"{"merged":[1]}"#,
        r#"{"split":[{"leaf":1},{"leaf":1}]}"#,
        r#"{"split":[{"leaf":1},7,null]}"#,
        r#"{"split":[{"leaf":1},{"leaf":1},true]}"#,
    ] {
        let said = answer(&format!("{{\"id\":1,\"op\":\"load\",\"view\":[{tree}]}}"));
        assert!(said.starts_with(r#"{"id":1,"error":"no tree: {\"leaf\":w}"#), "{said}");
    }
}

#[test]
fn the_deepest_view_is_loaded_and_shown() {
    let halves = |bit| format!(",{{\"merged\":[{},3]}},1]}}", 1_i64 << bit);
    let tree = r#"{"split":["#.repeat(47) + r#"{"merged":[2,7]}"# + &(1..48).map(halves).collect::<String>();
    assert_eq!(
        answer(&format!("{{\"id\":1,\"op\":\"load\",\"view\":[{tree}]}}")),
        format!("{{\"id\":1,\"view\":[{tree}]}}")
    );
}

#[test]
fn trees_of_four_hundred_levels_are_read_and_refused() {
    let tree = r#"{"split":["#.repeat(200) + r#"{"leaf":1}"# + &r#",{"leaf":1},1]}"#.repeat(200);
    assert_eq!(
        answer(&format!("{{\"id\":1,\"op\":\"load\",\"view\":[{tree}]}}")),
        format!("{{\"id\":1,\"error\":\"{NOT_ALIGNED}\"}}")
    );
}

#[test]
fn a_line_that_is_no_request_ends_it_with_a_message() {
    for (line, message) in [
        ("", None),
        ("\n", Some("a line that is no JSON: at the end: a value is wanted")),
        (
            "garbage",
            Some("a line that is no JSON: at byte 0: a value is wanted, not 'g'"),
        ),
        ("[]", Some("a line that is no JSON object")),
        ("{}", Some("id is missing")),
        (r#"{"id":"1","op":"hello"}"#, Some("id is no integer of 64 bits")),
    ] {
        assert_eq!(
            talk(&[line]),
            (vec![], message.map_or(Ok(()), |message| Err(message.to_string()))),
            "{line:?}"
        );
    }
    assert_eq!(
        serve(&mut &b"\xff\n"[..], &mut Vec::new()),
        Err("bytes that are no UTF-8".into())
    );
}

#[test]
fn a_zoom_lists_a_million_units_at_most() {
    let load = r#"{"id":1,"op":"load","view":[{"merged":[281474976710656,1]}]}"#;
    let zoom = |start: i64, size: i64| {
        let asked = format!("{{\"id\":2,\"op\":\"zoom\",\"start\":{start},\"size\":{size}}}");
        talk(&[load, &asked]).0.remove(1)
    };
    assert_eq!(
        zoom(0, 1 << 48),
        r#"{"id":2,"error":"a zoom into more than 1048576 units"}"#
    );
    assert_eq!(zoom(1, 1 << 48), r#"{"id":2,"blocks":[]}"#);
    assert_eq!(zoom((1 << 48) - 1, 1), r#"{"id":2,"blocks":[[281474976710655,1]]}"#);
    assert_eq!(zoom(i64::MAX, i64::MAX), r#"{"id":2,"blocks":[]}"#);
    assert_eq!(zoom(-1, i64::MIN), r#"{"id":2,"blocks":[]}"#);
}

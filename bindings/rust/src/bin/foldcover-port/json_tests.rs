//! What is JSON is read, and nothing else is.

use super::*;

fn list(items: Vec<Json>) -> Json {
    Json::List(items)
}

#[test]
fn values_are_read_as_what_they_are() {
    for (text, value) in [
        ("null", Json::Null),
        (" true ", Json::Bool(true)),
        ("false", Json::Bool(false)),
        ("0", Json::Integer(0)),
        ("-0", Json::Integer(0)),
        ("-12", Json::Integer(-12)),
        ("9223372036854775807", Json::Integer(i64::MAX)),
        ("-9223372036854775808", Json::Integer(i64::MIN)),
        ("[]", list(vec![])),
        ("[ ]", list(vec![])),
        (
            "[1, [2],{}]",
            list(vec![
                Json::Integer(1),
                list(vec![Json::Integer(2)]),
                Json::Object(BTreeMap::new()),
            ]),
        ),
        (r#""a\"\\\/\b\f\n\r\tz""#, Json::Text("a\"\\/\u{8}\u{c}\n\r\tz".into())),
        (r#""\u00e4 \ud83d\ude00 ü""#, Json::Text("ä 😀 ü".into())),
        (r#"{"a":1,"b":[{"a":null}]}"#, {
            let inner = BTreeMap::from([("a".to_string(), Json::Null)]);
            let b = list(vec![Json::Object(inner)]);
            Json::Object(BTreeMap::from([
                ("a".to_string(), Json::Integer(1)),
                ("b".to_string(), b),
            ]))
        }),
    ] {
        assert_eq!(parse(text), Ok(value), "{text}");
    }
}

#[test]
fn a_number_that_is_no_integer_of_64_bits_is_told_apart() {
    for text in [
        "1.0",
        "1e3",
        "-0.5E-2",
        "1E+2",
        "9223372036854775808",
        "-9223372036854775809",
    ] {
        assert_eq!(parse(text), Ok(Json::Number), "{text}");
    }
}

#[test]
fn what_is_no_json_is_refused() {
    for text in [
        "",
        " ",
        "nul",
        "nulll",
        "NaN",
        "Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x1",
        "1 2",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "{\"a\" 1}",
        "[1}",
        "{\"a\":1]",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\n\"",
        "\"\n\"",
        "'a'",
        "\u{feff}1",
        "\"\\uä12\"",
        "1\u{a0}",
        "/**/1",
    ] {
        assert!(parse(text).is_err(), "{text:?} is read as {:?}", parse(text));
    }
}

#[test]
fn a_key_that_occurs_twice_is_refused() {
    assert_eq!(
        parse(r#"{"a":1,"b":2,"\u0061":1}"#),
        Err("the key \"a\" occurs twice".into())
    );
}

#[test]
fn nesting_has_a_bound_and_needs_no_stack() {
    let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
    assert!(parse(&nested(DEEPEST)).is_ok());
    assert_eq!(parse(&nested(DEEPEST + 1)), Err("nested more than 1000 deep".into()));
    assert!(parse(&"[".repeat(10_000_000)).is_err());
    assert!(parse(&"{\"a\":".repeat(1_000_000)).is_err());
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(parse("[1 2]"), Err("at byte 3: ',' or ']' is wanted, not '2'".into()));
    assert_eq!(parse("{\"a\":"), Err("at the end: a value is wanted".into()));
}

#[test]
fn every_cut_of_a_text_is_answered() {
    let whole = r#"{"id":7,"op":"löad","view":[{"split":[{"leaf":1},{"merged":[2,-3]},null]}],"x":"\ud83d\ude00"}"#;
    assert!(parse(whole).is_ok());
    for (cut, _) in whole.char_indices() {
        assert!(parse(&whole[..cut]).is_err(), "{}", &whole[..cut]);
        assert!(parse(&whole[cut..]).is_err() || cut == 0, "{}", &whole[cut..]);
    }
}

#[test]
fn a_quoted_text_reads_as_itself() {
    for text in ["", "plain", "a\"b\\c\nd\u{0}\u{1f}\u{7f}é😀"] {
        assert_eq!(parse(&quoted(text)), Ok(Json::Text(text.into())));
    }
}

//! JSON, strictly: RFC 8259 and nothing beside it, with integers as i64.
//!
//! Rule: any text is answered, by a value or by what is wrong with it and where. Nothing recurses while reading, and
//! nesting has a bound, so that a value can be walked and dropped by recursion. A key that occurs twice is refused.

use std::collections::BTreeMap;

/// The most lists and objects within one another.
pub const DEEPEST: usize = 1000;

/// A value.
#[derive(Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// A number without fraction and exponent that 64 bits hold.
    Integer(i64),
    /// Any other number; nobody asks for its value.
    Number,
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// A list or object that has begun and not ended.
enum Open {
    List(Vec<Json>),
    /// What it has so far, and the key whose value comes next.
    Object(BTreeMap<String, Json>, String),
}

/// The value that the text is.
pub fn parse(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    let mut open: Vec<Open> = Vec::new();
    loop {
        let Some(mut value) = reader.value(&mut open)? else {
            continue;
        };
        // A value is complete, and with it perhaps what it is in, and so on.
        loop {
            value = match open.pop() {
                None => return reader.end().map(|()| value),
                Some(Open::List(mut items)) => {
                    items.push(value);
                    if reader.more(b']')? {
                        open.push(Open::List(items));
                        break;
                    }
                    Json::List(items)
                }
                Some(Open::Object(mut fields, key)) => {
                    if fields.contains_key(&key) {
                        return Err(format!("the key {} occurs twice", quoted(&key)));
                    }
                    fields.insert(key, value);
                    if reader.more(b'}')? {
                        open.push(Open::Object(fields, reader.key()?));
                        break;
                    }
                    Json::Object(fields)
                }
            };
        }
    }
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
}

impl Reader<'_> {
    /// The value that begins here; None where it is a list or object that has something in it: that is open now.
    fn value(&mut self, open: &mut Vec<Open>) -> Result<Option<Json>, String> {
        let begun = match self.peek() {
            Some(b'"') => return self.string().map(|text| Some(Json::Text(text))),
            Some(b'-' | b'0'..=b'9') => return self.number().map(Some),
            Some(b'[') => {
                self.at += 1;
                if self.take(b']') {
                    return Ok(Some(Json::List(Vec::new())));
                }
                Open::List(Vec::new())
            }
            Some(b'{') => {
                self.at += 1;
                if self.take(b'}') {
                    return Ok(Some(Json::Object(BTreeMap::new())));
                }
                Open::Object(BTreeMap::new(), self.key()?)
            }
            _ => return self.word().map(Some),
        };
        if open.len() == DEEPEST {
            return Err(format!("nested more than {DEEPEST} deep"));
        }
        open.push(begun);
        Ok(None)
    }

    fn word(&mut self) -> Result<Json, String> {
        let words = [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
        ];
        for (word, value) in words {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("a value"))
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<String, String> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a key"));
        }
        let key = self.string()?;
        if self.take(b':') {
            Ok(key)
        } else {
            Err(self.wrong("':'"))
        }
    }

    /// Whether a comma comes; if not, `end` must.
    fn more(&mut self, end: u8) -> Result<bool, String> {
        if self.take(b',') {
            return Ok(true);
        }
        if self.take(end) {
            return Ok(false);
        }
        Err(self.wrong(&format!("',' or '{}'", char::from(end))))
    }

    fn end(&mut self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.wrong("nothing more")),
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let first = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut whole = true;
        if self.byte() == Some(b'.') {
            (self.at, whole) = (self.at + 1, false);
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            (self.at, whole) = (self.at + 1, false);
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.digits()?;
        }
        let integer = self.text[first..self.at].parse();
        Ok(integer.ok().filter(|_| whole).map_or(Json::Number, Json::Integer))
    }

    fn digits(&mut self) -> Result<(), String> {
        let first = self.at;
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == first {
            return Err(self.wrong("a digit"));
        }
        Ok(())
    }

    /// A text, from its first quotation mark on.
    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let plain = self
                .rest()
                .find(|c| c == '"' || c == '\\' || c < ' ')
                .unwrap_or(self.rest().len());
            text.push_str(&self.rest()[..plain]);
            self.at += plain;
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escaped()?),
                _ => return Err(self.wrong("'\"' at the end of a text")),
            }
        }
    }

    /// A character after a backslash.
    fn escaped(&mut self) -> Result<char, String> {
        self.at += 1;
        let plain = match self.byte() {
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.wrong("an escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// A character as four hexadecimal digits, or as two surrogates.
    fn unicode(&mut self) -> Result<char, String> {
        let mut code = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&code) && self.rest().starts_with("\\u") {
            self.at += 2;
            let low = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.wrong("both surrogates of a character"))
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let four = self
            .rest()
            .get(..4)
            .filter(|four| four.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = four
            .and_then(|four| u32::from_str_radix(four, 16).ok())
            .ok_or_else(|| self.wrong("four digits"))?;
        self.at += 4;
        Ok(code)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte after white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// Whether `wanted` comes after white space; it is behind us then.
    fn take(&mut self, wanted: u8) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn wrong(&self, wanted: &str) -> String {
        match self.rest().chars().next() {
            Some(found) => format!("at byte {}: {wanted} is wanted, not {found:?}", self.at),
            None => format!("at the end: {wanted} is wanted"),
        }
    }
}

/// The text as JSON.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;

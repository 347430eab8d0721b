//! The declarations of src/ffi.rs are those of foldcover.h, name for name and type for type.
//!
//! Each declaration of the header is translated to Rust here, and must stand in src/ffi.rs like that; and there must be
//! no others. How the structs lie in memory is checked on every build (layout.c).

const HEADER: &str = include_str!("../c/foldcover.h");
const RUST: [&str; 2] = [include_str!("../src/ffi.rs"), include_str!("../src/words.rs")];

/// The header's declarations: no comments, no preprocessor, white space as one blank.
fn declarations() -> Vec<String> {
    let mut code = String::new();
    let mut rest = HEADER;
    while let Some((before, after)) = rest.split_once("/*") {
        code.push_str(before);
        rest = after.split_once("*/").expect("a comment that ends").1;
    }
    code.push_str(rest);
    let lines = code
        .lines()
        .filter(|line| !line.starts_with('#') && *line != "extern \"C\" {" && *line != "}");
    let (mut found, mut now, mut depth) = (vec![], String::new(), 0);
    for c in lines.collect::<Vec<_>>().join(" ").chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ';' && depth == 0 {
            found.push(squeezed(&std::mem::take(&mut now)));
        } else {
            now.push(c);
        }
    }
    assert_eq!(now.trim(), "");
    found
}

/// The Rust source without comments and attributes, white space as one blank, no comma before a closing bracket.
fn rust() -> String {
    let lines = RUST.iter().flat_map(|source| source.lines()).map(str::trim);
    let code: Vec<&str> = lines
        .filter(|line| !line.starts_with("//") && !line.starts_with('#'))
        .collect();
    squeezed(&code.join(" ")).replace("( ", "(").replace(", )", ")")
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// fc_node becomes Node.
fn type_name(name: &str) -> String {
    match name {
        "void" => "c_void".into(),
        "int" => "c_int".into(),
        "int32_t" => "i32".into(),
        "int64_t" => "i64".into(),
        "uint32_t" => "u32".into(),
        "size_t" => "usize".into(),
        _ => {
            let (first, rest) = name.strip_prefix("fc_").expect("a type of the header").split_at(1);
            first.to_uppercase() + rest
        }
    }
}

/// `const fc_block **blocks` becomes (blocks, *mut *const Block).
fn declared(text: &str) -> (String, String) {
    if let Some((result, rest)) = text.split_once("(*") {
        let (name, parameters) = rest.split_once(")(").expect("a function pointer");
        return (
            name.into(),
            format!("unsafe extern \"C\" fn{}", signature(result, parameters)),
        );
    }
    let name_at = text.rfind([' ', '*']).expect("a type and a name") + 1;
    (text[name_at..].into(), type_of(&text[..name_at]))
}

/// `const fc_block *` becomes *const Block. What is not const is mut.
fn type_of(text: &str) -> String {
    let (constant, text) = text.strip_prefix("const ").map_or((false, text), |rest| (true, rest));
    let mut ours = type_name(text.trim_end_matches(['*', ' ']));
    for star in 0..text.matches('*').count() {
        ours = format!("*{} {ours}", if constant && star == 0 { "const" } else { "mut" });
    }
    ours
}

/// The result's type, and the parameters up to their closing bracket.
fn signature(result: &str, parameters: &str) -> String {
    let all = parameters.strip_suffix(')').expect("the end of the parameters");
    let each = all.split(", ").filter(|one| *one != "void").map(declared);
    let each: Vec<String> = each.map(|(name, its)| format!("{name}: {its}")).collect();
    let result = match result.trim() {
        "void" => String::new(),
        other => format!(" -> {}", type_of(other)),
    };
    format!("({}){result}", each.join(", "))
}

/// What must stand in the Rust source for a declaration of the header.
fn translated(declaration: &str) -> Vec<String> {
    if let Some(constants) = declaration.strip_prefix("enum { ") {
        let each = constants.trim_end_matches('}').trim().split(',').map(str::trim);
        let pairs = each.map(|one| one.split_once(" = ").expect("a name and a value"));
        return pairs
            .map(|(name, value)| format!("pub const {name}: # = {value};"))
            .collect();
    }
    if let Some(fields) = declaration.strip_prefix("typedef struct { ") {
        let (fields, name) = fields.split_once('}').expect("the end of the fields");
        let fields = fields.split(';').map(str::trim).filter(|field| !field.is_empty());
        let fields: Vec<String> = fields
            .map(declared)
            .map(|(name, its)| format!("pub {name}: {its},"))
            .collect();
        return vec![format!(
            "pub struct {} {{ {} }}",
            type_name(name.trim()),
            fields.join(" ")
        )];
    }
    if let Some(name) = declaration.strip_prefix("typedef struct fc_view ") {
        return vec![format!("pub struct {} {{ _bytes: [u8; 0],", type_name(name))];
    }
    if let Some(pointer) = declaration.strip_prefix("typedef ") {
        let (name, its) = declared(pointer);
        return vec![format!("pub type {} = {its};", type_name(&name))];
    }
    let (head, parameters) = declaration.split_once('(').expect("a function");
    let name_at = head.rfind([' ', '*']).expect("a result and a name") + 1;
    vec![format!(
        "pub fn {}{};",
        &head[name_at..],
        signature(&head[..name_at], parameters)
    )]
}

#[test]
fn the_declarations_are_those_of_the_header() {
    let source = rust();
    // The type of a constant is Rust's own business: C has int for all of them.
    let source = source.replace(": c_int = ", ": # = ").replace(": u32 = ", ": # = ");
    let wanted: Vec<String> = declarations()
        .iter()
        .flat_map(|declaration| translated(declaration))
        .collect();
    for one in &wanted {
        assert!(source.contains(one.as_str()), "src/ffi.rs does not have: {one}");
    }
    for (start, at_least) in [("pub fn fc_", 19), ("pub const FC_", 15)] {
        let count = wanted.iter().filter(|one| one.starts_with(start)).count();
        assert!(count >= at_least, "{count} of {start}");
        assert_eq!(
            source.matches(start).count(),
            count,
            "src/ffi.rs has more of {start} than the header"
        );
    }
}

//! The kernels of this repository as text.

use std::path::Path;

/// The text of every WGSL file, and every string with `@compute` in a Rust file, each with the name of its file. Some
/// texts import others, and some are not complete kernels.
///
/// # Panics
///
/// A folder of the repository cannot be read.
pub fn of_repository() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for folder in ["shaders", "tests", "benches", "examples", "src", "backends"] {
        for path in crate::files::with_endings(&root.join(folder), &["wgsl", "rs"]) {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if name.ends_with(".wgsl") {
                texts.push((name, text));
            } else {
                let strings = strings(&text).into_iter().enumerate();
                texts.extend(strings.map(|(number, text)| (format!("{name}#{number}"), text)));
            }
        }
    }
    texts
}

/// The strings of a file of Rust that may be kernels.
fn strings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let raw = rest[..start].ends_with("r#");
        let body = &rest[start + 1..];
        let end = if raw {
            body.find("\"#")
        } else {
            let mut escaped = false;
            body.find(|character| {
                let ends = character == '"' && !escaped;
                escaped = character == '\\' && !escaped;
                ends
            })
        };
        let Some(end) = end else { break };
        if body[..end].contains("@compute") {
            let text = if raw { body[..end].to_owned() } else { body[..end].replace("\\n", "\n").replace("\\\n", "") };
            found.push(text);
        }
        rest = &body[end + 1..];
    }
    found
}

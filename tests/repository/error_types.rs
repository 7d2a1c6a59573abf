//! Public error types print the same text with `Debug` as with `Display`.

use std::fs;
use std::path::Path;

use anywarp_testing::files;

/// Each type that implements `Error`, by `thiserror` or directly, is listed in `debug_as_display!`.
#[test]
fn no_public_error_derives_debug() {
    let mut found = 0;
    for folder in ["src", "backends", "wgsl/src", "middle/src"] {
        for file in files::with_endings(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &["rs"]) {
            let text = fs::read_to_string(&file).unwrap();
            for name in public_errors(&text) {
                found += 1;
                let lists = text.split("debug_as_display!(").skip(1).filter_map(|rest| rest.split(')').next());
                let listed = lists.flat_map(|list| list.split(',')).any(|item| item.trim() == name);
                assert!(listed, "{}: `{name}` is in no list of `debug_as_display!`", file.display());
            }
        }
    }
    // Without a working parser no types would be found.
    assert!(found >= 16, "only {found} errors were found");
}

/// The names of a file's public error types.
fn public_errors(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut names = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("#[derive(") && line.contains("thiserror::Error") {
            let declaration = lines[at..].iter().find_map(|line| {
                let rest = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("pub struct "));
                rest.map(Some).or_else(|| line.contains("enum ").then_some(None))
            });
            names.extend(declaration.flatten());
        }
        let own = line.strip_prefix("impl std::error::Error for ").or_else(|| line.strip_prefix("impl StdError for "));
        names.extend(own);
    }
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    names.into_iter().map(name).collect()
}

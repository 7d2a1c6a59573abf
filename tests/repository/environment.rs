//! The environment variables in the sources are those in the table of the crate's documentation, and each crate reads
//! them in one file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anywarp_testing::files;

/// The endings of source files that may read the environment.
const ENDINGS: &[&str] = &["rs", "mjs", "js", "sh", "py"];

const PREFIX: &str = "ANYWARP_";

/// The prefix of variables that a test sets for a process that it starts.
const OWN: &str = "ANYWARP_TEST_";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source files below these folders, with their texts.
fn sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let files = folders.iter().flat_map(|folder| files::with_endings(&root().join(folder), ENDINGS));
    files.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The names of environment variables in a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(PREFIX).filter_map(|(at, _)| {
        let end = text[at..].find(|letter: char| !(letter.is_ascii_uppercase() || letter == '_'));
        let name = &text[at..end.map_or(text.len(), |end| at + end)];
        (name.len() > PREFIX.len() && !name.starts_with(OWN)).then_some(name)
    })
}

#[test]
fn the_table_has_every_variable_of_the_sources() {
    let library = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let rows = library.lines().filter_map(|line| line.strip_prefix("//! | `ANYWARP_"));
    let listed: BTreeSet<String> = rows
        .filter_map(|row| row.split(" |").next())
        .flat_map(|cell| format!("`{PREFIX}{cell}").split('`').map(str::to_owned).collect::<Vec<_>>())
        .filter(|name| name.starts_with(PREFIX))
        .collect();
    let mut used = BTreeSet::new();
    for (path, text) in sources(&[
        "src", "backends", "cli", "macros", "middle", "wgsl", "tests", "benches", "tools", "examples", "fuzz",
        "testing",
    ]) {
        if !path.ends_with("src/lib.rs") && !path.ends_with("tests/repository/environment.rs") {
            used.extend(names(&text).map(str::to_owned));
        }
    }
    assert!(used.len() > 8, "{used:?}");
    assert_eq!(used, listed, "left: the sources; right: the table in src/lib.rs");
}

#[test]
fn each_crate_reads_the_environment_in_one_file() {
    let mut seen = 0;
    for (path, text) in sources(&[
        "src",
        "backends/contract/src",
        "backends/host/src",
        "backends/cpu/src",
        "backends/cuda/src",
        "backends/wgpu/src",
    ]) {
        // Unit tests may set and read variables for their own processes.
        let is_test = path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
        if path.ends_with("environment.rs") {
            seen += 1;
        } else if !is_test {
            assert!(!text.contains("env::var"), "{} reads the environment", path.display());
        }
    }
    assert_eq!(seen, 4, "files that read the environment");
}

//! The commands in the documents work as described.
//!
//! In blocks of `sh`, every command that begins with `anywarp` is run, in a folder with the shaders of the examples and
//! with the WGSL blocks of the document whose first line is a comment with their file name. A command whose status is
//! not 0 has a comment such as `# ends with status 3`. Commands with requirements that not every machine meets are in a
//! block that begins with a comment `# needs ...`.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use std::fs;
use std::path::Path;

use anywarp_testing::markdown;
use support::Folder;

#[test]
fn every_command_of_the_documents_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seen = 0;
    for document in markdown::documents(&root) {
        let name = document.file_stem().and_then(|stem| stem.to_str()).unwrap();
        let Some(folder) = Folder::with_device(&format!("documents-{name}")) else { return };
        add_shaders(&folder, &root.join("examples/shaders"));
        seen += run_commands(&folder, &document);
    }
    assert!(seen >= 8, "only {seen} commands were found: has the notation changed?");
}

/// Copies the shaders that the commands use into the folder.
fn add_shaders(folder: &Folder, shaders: &Path) {
    for entry in fs::read_dir(shaders).unwrap() {
        let path = entry.unwrap().path();
        folder.write(path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
    }
}

/// Runs a document's commands in their order; returns their number.
fn run_commands(folder: &Folder, document: &Path) -> usize {
    let mut seen = 0;
    for block in markdown::blocks(&fs::read_to_string(document).unwrap()) {
        match (block.language.as_str(), block.file_name()) {
            ("wgsl", Some(name)) => folder.write(name, &block.text),
            ("sh", _) if !block.text.starts_with("# needs ") => {
                for (command, status) in commands(&block.text) {
                    let outcome = folder.anywarp(&command);
                    let place = format!("{}:{}", document.display(), block.line);
                    assert_eq!(outcome.code, Some(status), "{place}: {command}\n{outcome:#?}");
                    seen += 1;
                }
            }
            _ => {}
        }
    }
    seen
}

/// The arguments of each `anywarp` command, and its expected status.
fn commands(block: &str) -> Vec<(String, i32)> {
    let joined = block.replace("\\\n", " ");
    let ours = joined.lines().filter_map(|line| line.strip_prefix("anywarp "));
    ours.map(|line| {
        let (command, remark) = line.split_once(" #").unwrap_or((line, ""));
        let status = remark.split_once("ends with status ").map_or(0, |(_, status)| status.trim().parse().unwrap());
        (command.to_owned(), status)
    })
    .collect()
}

#[test]
fn commands_are_found_with_their_continuations_and_statuses() {
    let block = "cargo build\nanywarp run a.wgsl \\\n    --groups 1   # ends with status 3\nanywarp devices\n";
    let found = commands(block);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].0.split_whitespace().collect::<Vec<_>>(), ["run", "a.wgsl", "--groups", "1"]);
    assert_eq!((found[0].1, found[1].0.as_str(), found[1].1), (3, "devices", 0));
}

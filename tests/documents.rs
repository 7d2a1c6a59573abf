//! The WGSL of the documents, and the shaders that ship, are valid.

#[path = "support/blocks.rs"]
mod blocks;

use std::fs;
use std::path::Path;

use anywarp::backend::{Backend, Caps};
use anywarp::{KernelError, Wgsl};
use anywarp_null::NullBackend;
use blocks::Block;

/// What is not a kernel by itself is checked beside an empty one.
const EMPTY: &str = "\n@compute @workgroup_size(1) fn nothing() {}\n";

#[test]
fn every_wgsl_block_is_valid() {
    let caps = everything();
    let mut seen = 0;
    for document in blocks::documents(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        let text = fs::read_to_string(&document).unwrap();
        let blocks = blocks::of(&text);
        let modules: Vec<(String, &str)> = blocks.iter().filter_map(as_module).collect();
        for block in blocks.iter().filter(|block| block.language == "wgsl") {
            let kernel = if block.text.contains("@compute") { "" } else { EMPTY };
            let wgsl = Wgsl::new(format!("{}{kernel}", block.text));
            let wgsl = wgsl.file(format!("{}:{}", document.display(), block.line));
            check(modules.iter().fold(wgsl, |wgsl, (path, text)| wgsl.module(path, *text)), &caps);
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} blocks were found: has the notation changed?");
}

#[test]
fn every_shader_that_ships_is_valid() {
    let caps = everything();
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            check(Wgsl::open(path).unwrap(), &caps);
        }
    }
}

/// A device that has all that WGSL has.
fn everything() -> Caps {
    let mut caps = NullBackend::new().caps().clone();
    caps.shader = naga::valid::Capabilities::all();
    caps
}

/// What other blocks of the document may import: `shared::sums` of one that begins `// shared/sums.wgsl`.
fn as_module(block: &Block) -> Option<(String, &str)> {
    let path = block.file_name()?.strip_suffix(".wgsl")?.replace('/', "::");
    Some((path, &block.text))
}

/// Every entry point passes the front end.
fn check(wgsl: Wgsl<'_>, caps: &Caps) {
    let entries = match wgsl.program(caps) {
        Err(KernelError::WhichEntryPoint { candidates, .. }) => candidates,
        other => return drop(other.unwrap_or_else(|error| panic!("{error}"))),
    };
    for entry in entries {
        wgsl.clone().entry(entry).program(caps).unwrap_or_else(|error| panic!("{error}"));
    }
}

//! The WGSL of the documents, and the shaders that ship, are valid; links lead somewhere.

#[path = "support/blocks.rs"]
mod blocks;

use std::fs;
use std::path::Path;

use anywarp::{KernelError, Wgsl};
use anywarp_backend::{Backend, Caps};
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
    let (caps, root) = (everything(), Path::new(env!("CARGO_MANIFEST_DIR")));
    for (folder, package) in [("shaders/ops", "shaders"), ("examples/shaders", "examples/shaders")] {
        let mut seen = 0;
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            check(Wgsl::open(entry.unwrap().path()).unwrap().root(root.join(package)), &caps);
            seen += 1;
        }
        assert!(seen >= 2, "only {seen} shaders are in {folder}");
    }
}

#[test]
fn every_link_within_the_documents_leads_somewhere() {
    let mut seen = 0;
    for document in blocks::documents(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&prose(&text)) {
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            if path.starts_with("http") {
                continue;
            }
            let file = if path.is_empty() { document.clone() } else { document.parent().unwrap().join(path) };
            assert!(file.exists(), "{}: there is no {path}", document.display());
            if !anchor.is_empty() {
                let there = prose(&fs::read_to_string(&file).unwrap());
                let found = there.lines().filter_map(|line| line.strip_prefix('#')).any(|line| slug(line) == anchor);
                assert!(found, "{}: {} has no heading #{anchor}", document.display(), file.display());
            }
            seen += 1;
        }
    }
    assert!(seen >= 20, "only {seen} links were found: has the notation changed?");
}

/// Where links lead: `[words](target)`, and `[name]: target` on a line of its own. Code between backquotes has none.
fn targets(prose: &str) -> Vec<String> {
    let words: String = prose.split('`').step_by(2).collect();
    let inline = words.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let named = words.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: ")).map(|(_, target)| target);
    inline.chain(named).map(str::to_owned).collect()
}

/// The document without its fenced blocks.
fn prose(document: &str) -> String {
    document.split("\n```").step_by(2).collect::<Vec<_>>().join("\n")
}

/// What GitHub makes of a heading.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    words.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

/// A device that has all that WGSL has, with workgroups as large as they come.
fn everything() -> Caps {
    let mut caps = NullBackend::new().caps().clone();
    caps.shader = naga::valid::Capabilities::all();
    caps.limits.workgroup_invocations = 1024;
    caps.limits.workgroup_size = [1024, 1024, 64];
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

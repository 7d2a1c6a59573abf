//! The WGSL in the documents is valid, and links in the documents have targets.

use std::fs;
use std::path::Path;

use anywarp::{KernelError, Wgsl};
use anywarp_backend::{Backend, Caps};
use anywarp_null::NullBackend;
use anywarp_testing::files;
use anywarp_testing::markdown::{self, Block};

/// An entry point that does nothing, for blocks that have no entry point.
const EMPTY: &str = "\n@compute @workgroup_size(1) fn nothing() {}\n";

#[test]
fn every_wgsl_block_is_valid() {
    let caps = everything();
    let mut seen = 0;
    for document in markdown::documents(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        let text = fs::read_to_string(&document).unwrap();
        let blocks = markdown::blocks(&text);
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
fn every_link_within_the_documents_has_a_target() {
    let mut seen = 0;
    for document in files::with_endings(Path::new(env!("CARGO_MANIFEST_DIR")), &["md"]) {
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

#[test]
fn every_invariant_of_the_architecture_names_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (_, table) = text.split_once("| invariant | held by |").unwrap();
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 10, "only {} invariants: has the notation changed?", rows.len());
    for row in rows {
        let held_by = row.trim_end_matches(" |").rsplit_once(" | ").unwrap().1;
        let mut names = held_by.split('`').skip(1).step_by(2);
        let (Some(file), Some(test)) = (names.next(), names.next()) else { panic!("no file and test in: {row}") };
        let source = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(source.contains(&format!("fn {test}(")), "{file} has no test '{test}'");
    }
}

#[test]
fn every_path_of_the_architecture_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let quoted = text.split('`').skip(1).step_by(2).filter(|name| name.contains('/') && !name.contains(['*', ' ']));
    let mut seen = 0;
    for path in quoted {
        // The paths of modules begin inside `src`, such as `device/select.rs`.
        assert!(root.join(path).exists() || root.join("src").join(path).exists(), "ARCHITECTURE.md: no {path}");
        seen += 1;
    }
    assert!(seen >= 20, "only {seen} paths were found: has the notation changed?");
}

/// The targets of links, which have the form `[words](target)`, or `[name]: target` on a line of its own. Code between
/// backquotes has no links.
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

/// The anchor that GitHub derives from a heading.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    words.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

/// The capabilities of a device with all features of WGSL and large limits for workgroups.
fn everything() -> Caps {
    let mut caps = NullBackend::new().caps().clone();
    caps.shader = naga::valid::Capabilities::all();
    caps.limits.workgroup_invocations = 1024;
    caps.limits.workgroup_size = [1024, 1024, 64];
    // Kernels for CUDA alone have more than Vulkan's usual 48 KiB.
    caps.limits.workgroup_storage = 48 << 10;
    caps
}

/// The name under which other blocks of the document import this one: `shared::sums` for a block that starts with
/// `// shared/sums.wgsl`.
fn as_module(block: &Block) -> Option<(String, &str)> {
    let path = block.file_name()?.strip_suffix(".wgsl")?.replace('/', "::");
    Some((path, &block.text))
}

/// Checks that every entry point passes the front end.
fn check(wgsl: Wgsl<'_>, caps: &Caps) {
    let entries = match wgsl.program(caps) {
        Err(KernelError::WhichEntryPoint { candidates, .. }) => candidates,
        other => return drop(other.unwrap_or_else(|error| panic!("{error}"))),
    };
    for entry in entries {
        wgsl.clone().entry(entry).program(caps).unwrap_or_else(|error| panic!("{error}"));
    }
}

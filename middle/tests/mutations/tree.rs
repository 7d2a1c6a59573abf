//! A copy of the crate, with what it is built of and what its tests read: a workspace of its own.

use std::fs;
use std::path::{Path, PathBuf};

use super::list;

/// Folders of the workspace whose files are copied. The tests look for kernels in them.
const FOLDERS: [&str; 8] = ["middle", "backends", "benches", "examples", "shaders", "src", "tests", "wgsl"];

/// The profile of the tests: made for one build and one run.
const PROFILE: &str = r#"
[profile.mutations]
inherits = "release"
opt-level = 1
debug = false
incremental = true
codegen-units = 64

[profile.mutations.package."*"]
opt-level = 2
"#;

/// Makes the copy, or brings it up to date; returns its folder. Where none is given, that is `target/mutations`.
pub(crate) fn copy(folder: Option<&Path>) -> Result<PathBuf, String> {
    let root = list::folder().parent().ok_or("the crate lies in no folder")?;
    let built = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let tree = folder.map_or_else(|| built.parent().unwrap_or(built).join("mutations"), Path::to_path_buf);
    for folder in FOLDERS {
        copy_folder(&root.join(folder), &tree.join(folder))?;
    }
    put(&tree.join("Cargo.toml"), &manifest(&read(&root.join("Cargo.toml"))?))?;
    put(&tree.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)?;
    Ok(tree)
}

/// Writes a file, unless it is so already: then nothing is built anew.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// A file's text.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let entries = fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))?;
    let mut names = Vec::new();
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "target" && name != "node_modules" {
                copy_folder(&path, &to.join(&name))?;
                names.push(name);
            }
        } else if path
            .extension()
            .is_some_and(|extension| ["rs", "toml", "wgsl", "md"].iter().any(|own| extension == *own))
        {
            put(&to.join(&name), &read(&path)?)?;
            names.push(name);
        }
    }
    // What is gone from the crate must not stay in the copy.
    for entry in fs::read_dir(to).into_iter().flatten().flatten() {
        if !names.contains(&entry.file_name()) {
            let path = entry.path();
            let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            gone.map_err(|error| format!("{} cannot be removed: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// A workspace of this crate and those it needs, with the shared tables of the real one.
fn manifest(root: &str) -> String {
    let mut made = String::from(
        "[workspace]\nresolver = \"3\"\nmembers = [\"middle\", \"backends/contract\", \"backends/cpu\", \"wgsl\"]\n",
    );
    let mut shared = false;
    for line in root.lines() {
        if line.starts_with('[') {
            shared = line.starts_with("[workspace.");
        }
        if shared {
            made.push_str(line);
            made.push('\n');
        }
    }
    made + PROFILE
}

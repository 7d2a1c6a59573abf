//! The files to check.

use std::path::{Path, PathBuf};

use anywarp::Wgsl;

use crate::composition::{CompositionArgs, display_name, is_stdin, read_text};

/// One file to check, or the reason why it could not be read.
pub(super) struct Input {
    /// The name of the file in findings.
    pub(super) file: String,
    pub(super) content: Result<Content, String>,
}

/// The text of one file.
pub(super) struct Content {
    /// The text of the file alone.
    pub(super) text: String,
    /// The text with the files that it imports.
    pub(super) wgsl: Wgsl<'static>,
}

/// The files that the command line names, in its order; the files of a folder are sorted by name.
pub(super) fn inputs(paths: &[PathBuf], composition: &CompositionArgs) -> Vec<Input> {
    paths.iter().flat_map(|path| of_path(path, composition)).collect()
}

fn of_path(path: &Path, composition: &CompositionArgs) -> Vec<Input> {
    if is_stdin(path) || !path.is_dir() {
        return vec![read(path, None, composition)];
    }
    let mut found = Vec::new();
    let mut problems = Vec::new();
    walk(path, &mut found, &mut problems);
    if found.is_empty() && problems.is_empty() {
        let reason = format!(
            "{}: expected *.wgsl files in this folder, found none: name another folder, or a file",
            path.display()
        );
        problems.push(Input { file: path.display().to_string(), content: Err(reason) });
    }
    found.iter().map(|file| read(file, Some(path), composition)).chain(problems).collect()
}

/// Reads a file. `root` is the folder in which it was found, if the command line names a folder.
fn read(path: &Path, root: Option<&Path>, composition: &CompositionArgs) -> Input {
    let file = display_name(path);
    let content = read_text(path).map_err(|error| format!("{file}: {error}")).and_then(|text| {
        let wgsl = if is_stdin(path) {
            Wgsl::new(text.clone()).file(file.clone())
        } else {
            Wgsl::open(path).map_err(|error| error.to_string())?
        };
        let wgsl = root.into_iter().fold(wgsl, Wgsl::root);
        Ok(Content { text, wgsl: composition.applied(wgsl) })
    });
    Input { file, content }
}

/// Collects `*.wgsl` below a folder. Links to folders, which may form cycles, and hidden folders are not entered.
fn walk(top: &Path, found: &mut Vec<PathBuf>, problems: &mut Vec<Input>) {
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries.flatten(),
            Err(error) => {
                let file = folder.display().to_string();
                problems.push(Input { content: Err(format!("{file}: {error}")), file });
                continue;
            }
        };
        for entry in entries {
            let (path, hidden) = (entry.path(), entry.file_name().to_string_lossy().starts_with('.'));
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !hidden {
                folders.push(path);
            } else if !is_folder && path.extension().is_some_and(|extension| extension == "wgsl") && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
}

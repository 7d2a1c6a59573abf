//! The files that are checked.

use std::path::{Path, PathBuf};

use crate::composition::{display_name, read_text};

/// One text to check, or why it could not be read.
pub(super) struct Input {
    /// As it is named in findings.
    pub(super) file: String,
    pub(super) text: Result<String, String>,
}

/// The files of a command line, in its order; those of a folder by name.
pub(super) fn inputs(paths: &[PathBuf]) -> Vec<Input> {
    paths.iter().flat_map(|path| of_path(path)).collect()
}

fn of_path(path: &Path) -> Vec<Input> {
    if path.as_os_str() == "-" || !path.is_dir() {
        return vec![read(path)];
    }
    let mut found = Vec::new();
    let mut problems = Vec::new();
    walk(path, &mut found, &mut problems);
    if found.is_empty() && problems.is_empty() {
        let reason = format!("{}: there is no *.wgsl file in this folder", path.display());
        problems.push(Input { file: path.display().to_string(), text: Err(reason) });
    }
    found.iter().map(|path| read(path)).chain(problems).collect()
}

fn read(path: &Path) -> Input {
    let text = read_text(path).map_err(|error| format!("{}: {error}", path.display()));
    Input { file: display_name(path), text }
}

/// Collects `*.wgsl` below a folder. Links to folders may lead in circles and hidden folders are
/// somebody else's: neither is entered.
fn walk(top: &Path, found: &mut Vec<PathBuf>, problems: &mut Vec<Input>) {
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries.flatten(),
            Err(error) => {
                let file = folder.display().to_string();
                problems.push(Input { text: Err(format!("{file}: {error}")), file });
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

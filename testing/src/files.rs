//! The files below a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// The names of folders that are left out: those of build outputs and of dependencies.
const SKIPPED_FOLDERS: &[&str] = &["target", "node_modules"];

/// All files below a folder, sorted by path. Hidden files, builds and dependencies are left out.
///
/// # Panics
///
/// The folder cannot be read.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(".");
            if name.starts_with('.') || SKIPPED_FOLDERS.contains(&name) {
                continue;
            }
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The files below a folder whose names have one of these endings, such as `rs`.
///
/// # Panics
///
/// The folder cannot be read.
pub fn with_endings(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut files = below(folder);
    files.retain(|path| path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)));
    files
}

/// The files of a folder whose names end with `ending`, sorted.
///
/// # Errors
///
/// The text names the folder that cannot be read, and the reason.
pub fn in_folder(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_this_crate_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let names = |files: Vec<PathBuf>| -> Vec<String> {
            files.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string().replace('\\', "/")).collect()
        };
        let all = names(below(root));
        assert!(all.is_sorted());
        assert!(all.contains(&"README.md".to_owned()) && all.contains(&"src/files.rs".to_owned()), "{all:?}");
        let documents = names(with_endings(root, &["md"]));
        assert_eq!(documents, ["README.md"]);
    }
}

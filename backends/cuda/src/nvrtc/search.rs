//! The locations where NVRTC may be.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::error::Attempt;
use crate::environment::NVRTC;
use crate::installed::{self, Variable};

/// The file names for which the system's loader searches, newest version first.
#[cfg(windows)]
const NAMES: &[&str] = &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "libnvrtc.so.11.2"];

/// The folders that contain libraries, in a CUDA toolkit or a Python package.
const FOLDERS: &[&str] = &["lib64", "lib", "bin/x64", "bin/x86_64", "bin"];

/// A location where NVRTC may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// A name for the system's loader.
    Name(&'static str),
    /// A file that exists.
    File(PathBuf),
    /// A location without a library, and the reason.
    Nothing(Attempt),
}

/// Returns the candidates, in order. If the environment variable is set, its value is the only location, so that a
/// mistake in it does not go unnoticed.
pub(super) fn candidates(variable: Variable<'_>) -> Vec<Candidate> {
    if let Some(value) = variable(NVRTC).filter(|value| !value.is_empty()) {
        return named(Path::new(&value));
    }
    let mut found: Vec<Candidate> = NAMES.iter().map(|name| Candidate::Name(name)).collect();
    let mut seen = HashSet::new();
    for folder in installed::folders(variable, FOLDERS) {
        match libraries(&folder) {
            Ok(files) if files.is_empty() => found.push(Candidate::Nothing(attempt(&folder, "contains no NVRTC"))),
            Ok(files) => {
                let new = files.into_iter().filter(|file| seen.insert(file.clone()));
                found.extend(new.map(Candidate::File));
            }
            Err(reason) => found.push(Candidate::Nothing(attempt(&folder, &reason))),
        }
    }
    found
}

fn named(path: &Path) -> Vec<Candidate> {
    let place = |reason: &str| {
        let place = format!("{NVRTC}={}", path.display());
        vec![Candidate::Nothing(Attempt { place, reason: reason.to_owned() })]
    };
    if !path.is_dir() {
        return match path.canonicalize() {
            Ok(file) => vec![Candidate::File(file)],
            Err(error) => place(&error.to_string()),
        };
    }
    match libraries(path) {
        Ok(files) if files.is_empty() => place("the folder contains no NVRTC"),
        Ok(files) => files.into_iter().map(Candidate::File).collect(),
        Err(reason) => place(&reason),
    }
}

/// Returns the files in a folder that have a name of NVRTC, newest version first. Links are resolved, because the
/// library searches its own folder for its library of built-in functions.
fn libraries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| is_library(&file.file_name().unwrap_or_default().to_string_lossy()));
    installed::newest_first(&mut files);
    let mut seen = HashSet::new();
    let real = files.into_iter().filter_map(|file| file.canonicalize().ok());
    Ok(real.filter(|file| seen.insert(file.clone())).collect())
}

fn is_library(name: &str) -> bool {
    let dll = name.starts_with("nvrtc64_") && name.ends_with(".dll");
    // `.alt` is a second build of the library, which cannot be loaded in addition to the first.
    (name.starts_with("libnvrtc.so") || dll) && !name.contains(".alt")
}

fn attempt(place: &Path, reason: &str) -> Attempt {
    Attempt { place: place.display().to_string(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, NVRTC, candidates, is_library, libraries};

    #[test]
    fn names_of_the_library_and_of_others() {
        for name in ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12.4.127", "nvrtc64_130_0.dll"] {
            assert!(is_library(name), "{name}");
        }
        for name in
            ["libnvrtc-builtins.so.13.5", "libnvrtc.alt.so.13", "nvrtc-builtins64_130.dll", "nvrtc64_130_0.alt.dll"]
        {
            assert!(!is_library(name), "{name}");
        }
    }

    #[test]
    fn a_folder_gives_the_newest_first() {
        let folder = std::env::temp_dir().join(format!("anywarp-search-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["libnvrtc.so.9", "libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "readme"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let files = libraries(&folder).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.9"]);
        let all = candidates(&|name| (name == NVRTC).then(|| folder.clone().into_os_string()));
        assert_eq!(all.len(), 3);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_variable_that_is_wrong_is_the_only_place() {
        let all = candidates(&|name| (name == NVRTC).then(|| "/nonexistent/libnvrtc.so".into()));
        assert!(matches!(&all[..], [Candidate::Nothing(attempt)] if attempt.place.starts_with(NVRTC)), "{all:?}");
    }

    #[test]
    fn without_variables_names_come_first() {
        let all = candidates(&|_| None);
        assert!(matches!(all.first(), Some(Candidate::Name(_))), "{all:?}");
    }
}

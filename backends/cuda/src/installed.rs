//! The folders where parts of a CUDA toolkit may be installed.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A function that reads an environment variable; tests pass a replacement.
pub(crate) type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Returns the folders with one of these names, in CUDA toolkits and in the packages of the active Python environment.
/// Folders that do not exist are left out, except the default folder, because errors should name it.
pub(crate) fn folders(variable: Variable<'_>, names: &[&str]) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut homes: Vec<PathBuf> = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(set).collect();
    let usual = Path::new("/usr/local/cuda");
    if cfg!(unix) {
        homes.push(usual.to_owned());
        homes.extend(inside(Path::new("/usr/local"), "cuda-"));
        homes.push(PathBuf::from("/opt/cuda"));
    }
    for environment in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(set) {
        let library = environment.join("lib");
        let pythons = inside(&library, "python").into_iter().chain([environment.join("Lib")]);
        homes.extend(pythons.flat_map(|python| inside(&python.join("site-packages").join("nvidia"), "")));
        homes.push(environment);
    }
    let mut seen = HashSet::new();
    let all = homes.iter().flat_map(|home| names.iter().map(|name| home.join(name)));
    all.filter(|folder| {
        folder.is_dir() || (folder.starts_with(usual) && names.first().is_some_and(|name| folder.ends_with(name)))
    })
    .filter(|folder| seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())))
    .collect()
}

/// Returns the entries of a folder whose names begin with `prefix`, newest version first; none if the folder cannot be
/// read.
pub(crate) fn inside(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.file_name().unwrap_or_default().to_string_lossy().starts_with(prefix));
    newest_first(&mut paths);
    paths
}

/// Sorts paths by the numbers in the file names, in descending order.
pub(crate) fn newest_first(paths: &mut [PathBuf]) {
    paths.sort_by_cached_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u64>().ok());
        (Reverse(numbers.collect::<Vec<_>>()), path.clone())
    });
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{folders, newest_first};

    #[test]
    fn versions_are_compared_as_numbers() {
        let mut paths: Vec<PathBuf> = ["cuda-9.2", "cuda-13.0", "cuda-12.4", "cuda-13.1"].map(PathBuf::from).into();
        newest_first(&mut paths);
        assert_eq!(paths, ["cuda-13.1", "cuda-13.0", "cuda-12.4", "cuda-9.2"].map(PathBuf::from));
    }

    #[test]
    fn packages_of_an_environment_are_found() {
        let home = std::env::temp_dir().join(format!("anywarp-installed-{}", std::process::id()));
        let folder = home.join("lib/python3.11/site-packages/nvidia/cu13/lib");
        std::fs::create_dir_all(&folder).unwrap();
        let found = folders(&|name| (name == "VIRTUAL_ENV").then(|| home.clone().into()), &["lib64", "lib"]);
        std::fs::remove_dir_all(&home).unwrap();
        assert!(found.contains(&folder), "{found:?}");
    }
}

//! The features that conditions in the shaders of this repository name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, iter};

/// Every combination of the features that a file and its imports below `package` name: a list of the names, each with
/// whether the feature is on. The first combination has all features off, the last one all on.
///
/// # Panics
///
/// A file cannot be read, or a file names more than ten features.
pub fn choices(file: &Path, package: &Path) -> impl DoubleEndedIterator<Item = Vec<(String, bool)>> {
    let (mut seen, mut waiting, mut names) = (BTreeSet::new(), vec![file.to_owned()], BTreeSet::new());
    while let Some(path) = waiting.pop() {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        names.extend(named(&text));
        waiting.extend(imported(&text, package).filter(|path| seen.insert(path.clone())));
    }
    let names: Vec<String> = names.into_iter().collect();
    assert!(names.len() <= 10, "{}: {} features have too many choices", file.display(), names.len());
    (0..1u32 << names.len())
        .map(move |choice| names.iter().enumerate().map(|(at, name)| (name.clone(), choice >> at & 1 == 1)).collect())
}

/// The names of features in the conditions of a text.
fn named(text: &str) -> impl Iterator<Item = String> {
    let conditions =
        text.lines().filter_map(|line| line.trim().strip_prefix("@if(").or(line.trim().strip_prefix("@elif(")));
    let words =
        conditions.flat_map(|condition| condition.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.filter(|word| !word.is_empty() && !["true", "false"].contains(word)).map(str::to_owned)
}

/// The files that a text imports from its package.
fn imported(text: &str, package: &Path) -> impl Iterator<Item = PathBuf> {
    let paths = text.lines().filter_map(|line| line.trim().strip_prefix("import package::"));
    paths.filter_map(move |path| {
        // An import may name a declaration after the file.
        let path = package.join(path.split(['{', ';']).next()?.trim_end_matches("::").replace("::", "/"));
        iter::successors(Some(path.as_path()), |path| path.parent())
            .take_while(|path| path.starts_with(package))
            .map(|path| path.with_extension("wgsl"))
            .find(|path| path.is_file())
    })
}

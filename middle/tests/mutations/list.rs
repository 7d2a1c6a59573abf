//! The mistakes of `mutations/*.txt`.
//!
//! ```text
//! # A remark.
//! file src/domain/reduce.rs
//!
//! @ why it is wrong
//! - the text that is replaced
//! + what is put in its place
//! ```
//!
//! Several lines that begin with `-` are one text, as are those with `+`; without any, the text only goes.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A mistake to be made.
#[derive(Debug)]
pub(crate) struct Mutation {
    /// The name of the list that it stands in.
    pub(crate) area: String,
    /// The line of that list.
    line: usize,
    /// The file it is made in, seen from the crate.
    pub(crate) file: String,
    /// Why it is wrong.
    pub(crate) why: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

impl fmt::Display for Mutation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{} {}: {}", self.area, self.line, self.file, self.why)
    }
}

impl Mutation {
    /// Why it cannot be made, if it cannot.
    pub(crate) fn fault(&self) -> Option<String> {
        let path = folder().join(&self.file);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return Some(format!("{self}: {}: {error}", path.display())),
        };
        match text.matches(&self.from).count() {
            1 if self.from == self.to => Some(format!("{self}: nothing changes")),
            1 => None,
            count => Some(format!("{self}: the text stands {count} times in the file, not once:\n{}", self.from)),
        }
    }

    /// A file's text with the mistake in it.
    pub(crate) fn apply(&self, text: &str) -> String {
        text.replacen(&self.from, &self.to, 1)
    }
}

/// The crate's folder.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All mistakes, list by list.
pub(crate) fn read() -> Result<Vec<Mutation>, String> {
    let lists = folder().join("mutations");
    let entries = fs::read_dir(&lists).map_err(|error| format!("{}: {error}", lists.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let area = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        parse(&area, &text, &mut all)?;
    }
    Ok(all)
}

fn parse(area: &str, text: &str, all: &mut Vec<Mutation>) -> Result<(), String> {
    let mut file = String::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let (sign, rest) = line.split_at_checked(2).unwrap_or((line, ""));
        if let Some(name) = line.strip_prefix("file ") {
            (file, open) = (name.to_owned(), false);
        } else if line.is_empty() || line.starts_with('#') {
            open = false;
        } else if sign == "@ " && !file.is_empty() {
            let (area, file, why) = (area.to_owned(), file.clone(), rest.to_owned());
            all.push(Mutation { area, line: number, file, why, from: String::new(), to: String::new() });
            open = true;
        } else {
            let of = all.last_mut().filter(|_| open);
            let text = of.and_then(|mutation| match sign {
                "- " => Some(&mut mutation.from),
                "+ " => Some(&mut mutation.to),
                _ => None,
            });
            let text = text.ok_or_else(|| {
                format!("{area}.txt:{number}: expected `file`, `@`, `-`, `+` or `#` at the start of '{line}'")
            })?;
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(rest);
        }
    }
    match all.iter().find(|mutation| mutation.from.is_empty()) {
        Some(mutation) => Err(format!("{mutation}: no text to replace")),
        None => Ok(()),
    }
}

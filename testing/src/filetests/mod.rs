//! Tests of compiler passes as files: the input of a pass, and what its printed result must contain.
//!
//! A line of comment (`//` or `;`) with one of these words and a colon is a directive:
//!
//! | directive | meaning |
//! |---|---|
//! | `pass: NAME` | the pass that runs, as the test that reads the files names it |
//! | `case: NAME` | the start of a case; directives and text before the first one belong to each case of the file |
//! | `check: TEXT` | the result contains the text after the last match |
//! | `next: TEXT` | the line after the last match contains the text |
//! | `not: TEXT` | the text does not occur between the matches before and after this directive |
//! | `count N: TEXT` | the text occurs exactly N times in the whole result |
//!
//! The line `// ...` of the text before the first case stands for the text of the case, which otherwise follows.
//! One space matches any number of spaces. `$name` stands for one word: any word at its first occurrence, the same word
//! later. `$_` stands for any word each time.

mod cases;
mod matcher;

use std::path::Path;

pub use cases::{Case, cases};

/// Applies `work` to the cases of all files below a folder, and compares each result with the directives of its case.
///
/// # Panics
///
/// A file is malformed, `work` fails for a case, or a result differs from its directives. The message lists all such
/// failures.
pub fn run(folder: &Path, endings: &[&str], settings: &[&str], work: impl Fn(&Case) -> Result<String, String>) {
    let (mut count, mut failures) = (0, Vec::new());
    for path in crate::files::with_endings(folder, endings) {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let read = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"));
        match read.and_then(|text| cases(&name, &text, settings)) {
            Ok(cases) => {
                count += cases.len();
                for case in cases {
                    let outcome = work(&case).map_err(|error| format!("{}: {error}\n{}", case.title(), case.text));
                    failures.extend(outcome.and_then(|result| case.compare(&result)).err());
                }
            }
            Err(error) => failures.push(error),
        }
    }
    assert!(failures.is_empty(), "{} of {count} cases fail:\n\n{}", failures.len(), failures.join("\n"));
    assert!(count > 0, "no cases below {}", folder.display());
}

#[cfg(test)]
mod tests;

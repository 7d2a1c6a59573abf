//! Calls with known results, for each element type of the operator.

use serde_json::Value;

use crate::arrays::{array, bytes, descr, parts, sparse};
use crate::op;
use crate::support::Folder;

/// A file: its name, the type (or `T` for the case's type), the shape, and the numbers.
pub(crate) type File = (&'static str, &'static str, &'static str, &'static [f64]);
/// An output: the type (or `T` for the case's type), the shape, and the numbers.
pub(crate) type Output = (&'static str, &'static str, &'static [f64]);

/// A call and its outputs. The call is run with each of the types as `T`.
pub(crate) struct Case {
    pub(crate) line: &'static str,
    /// The types to run the call with; empty for all types of the operator.
    types: &'static [&'static str],
    files: &'static [File],
    outputs: &'static [Output],
}

/// Returns a call for all types of the operator.
pub(crate) const fn all(line: &'static str, files: &'static [File], outputs: &'static [Output]) -> Case {
    Case { line, types: &[], files, outputs }
}

/// Returns a call for some types.
pub(crate) const fn of(
    types: &'static [&'static str],
    line: &'static str,
    files: &'static [File],
    outputs: &'static [Output],
) -> Case {
    Case { line, types, files, outputs }
}

/// Runs all calls in a folder of their own, and compares every byte of their results.
pub(crate) fn run(test: &str, cases: &[Case]) {
    let Some(folder) = Folder::with_device(test) else { return };
    for case in cases {
        let types = match case.types {
            [] => types_of(&folder, case.line.split(' ').next().unwrap()),
            types => types.iter().map(|word| (*word).to_owned()).collect(),
        };
        assert!(!types.is_empty(), "{}", case.line);
        types.iter().for_each(|word| check(&folder, case, word));
    }
}

fn check(folder: &Folder, case: &Case, word: &str) {
    let concrete = |given: &'static str| if given == "T" { word.to_owned() } else { given.to_owned() };
    for (name, given, shape, numbers) in case.files {
        let is_sparse = name.ends_with(".mtx");
        folder.write(name, if is_sparse { sparse(shape, numbers) } else { array(&concrete(given), shape, numbers) });
    }
    let outputs: Vec<String> = (0..case.outputs.len()).map(|at| format!("out{at}.npy")).collect();
    let line = case.line.replace("--dtype T", &format!("--dtype {word}"));
    op(folder, &format!("{line} -o {}", outputs.join(" "))).ok();
    for (file, (given, shape, numbers)) in outputs.iter().zip(case.outputs) {
        let found = parts(&folder.read(file));
        let word = concrete(given);
        let form = format!("{} {shape}", descr(&word));
        assert_eq!(found, (form, bytes(&word, numbers)), "{line}: {file}, for {word}");
    }
}

/// The element types of an operator, as `--list` prints them.
fn types_of(folder: &Folder, name: &str) -> Vec<String> {
    let list = list(folder);
    let operator = list.iter().find(|operator| operator["name"] == *name);
    let types = operator.unwrap_or_else(|| panic!("{name}: no operator"))["types"].as_array().unwrap().clone();
    types.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// The operators that `--list` prints.
pub(crate) fn list(folder: &Folder) -> Vec<Value> {
    let list: Value = serde_json::from_str(&op(folder, "--list --json").ok()).unwrap();
    list["operators"].as_array().unwrap().clone()
}

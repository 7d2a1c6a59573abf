//! A test that only certain layers contain unsafe code.

use std::fs;
use std::path::Path;

/// Folders and files, relative to `src`, that may contain unsafe code.
const LAYERS: &[&str] = &[
    "driver/fake",
    "driver/result",
    "driver/safe",
    "driver/sys",
    "library/result",
    "library/safe",
    "library/sys.rs",
    "nvrtc/result.rs",
    "nvrtc/safe.rs",
    "nvrtc/sys.rs",
    "translate/tests/unchecked.rs",
];

/// Visits the Rust files below a folder.
fn visit(folder: &Path, file: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, file);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            file(&path);
        }
    }
}

/// Returns whether code has the word, outside of comments, names and strings.
fn has_word(text: &str, word: &str) -> bool {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '"' || c == '`';
    text.lines().map(code).any(|line| {
        let mut places = line.match_indices(word);
        places.any(|(at, _)| {
            let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
            !before.is_some_and(is_name) && !after.is_some_and(is_name)
        })
    })
}

#[test]
fn unsafe_code_stands_in_its_layers_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut outside) = (0, Vec::new());
    visit(&source, &mut |file| {
        files += 1;
        let name = file.strip_prefix(&source).unwrap();
        let inside = LAYERS.iter().any(|layer| name.starts_with(layer));
        if !inside && has_word(&fs::read_to_string(file).unwrap(), "unsafe") {
            outside.push(name.to_owned());
        }
    });
    assert!(files > 80, "{files} files below {}", source.display());
    assert!(outside.is_empty(), "unsafe code outside of its layers: {outside:?}");
    for layer in LAYERS {
        assert!(source.join(layer).exists(), "{layer} is listed, but does not exist");
    }
}

#[test]
fn words_are_found_in_code_only() {
    assert!(has_word("let x = word { y };", "word") && has_word("word impl A for B {}", "word"));
    assert!(!has_word("// a word", "word") && !has_word("fn word_of_code() {}", "word"));
    assert!(!has_word("assert!(text.contains(\"word\"))", "word"));
}

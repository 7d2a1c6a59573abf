//! The words of comments, documents and errors: plain technical English, one idea a sentence.
//!
//! CONTRIBUTING.md has the rules and the reasons for them. This test checks the rules that a program can check.

mod prose;
mod rules;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anywarp_testing::files;
use prose::Sentence;

/// Parts of the project whose words do not follow the rules yet. The list may only become shorter.
const UNREVISED: &[&str] = &[];

#[test]
fn sentences_keep_the_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut files, mut sentences, mut faults) = (0, 0, String::new());
    for file in files::below(root) {
        let Some(language) = prose::language(&file) else { continue };
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root).unwrap();
        if UNREVISED.iter().any(|part| name.starts_with(part)) {
            continue;
        }
        let name = name.display();
        files += 1;
        for Sentence { line, text } in prose::sentences(language, &text) {
            sentences += 1;
            for rule in rules::broken(&text) {
                writeln!(faults, "{name}:{line}: {rule}\n    {text}").unwrap();
            }
        }
    }
    assert!(files > 500 && sentences > 10_000, "{sentences} sentences of {files} files: has the layout changed?");
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn rules_find_what_they_forbid() {
    for text in [
        "Of these, the last counts.",
        "What a wait returns.",
        "That a wait returns is certain.",
        "Whoever drops it waits.",
        "A launch that is told nothing.",
        "The cache hears of it.",
        "Somebody gave their word.",
    ] {
        assert_eq!(rules::broken(text).count(), 1, "{text}");
    }
    for text in ["What does it cost?", "Offsets are in bytes.", "The bound of a loop.", "Whole words only."] {
        assert_eq!(rules::broken(text).count(), 0, "{text}");
    }
}

#[test]
fn sentences_are_found_in_each_language() {
    let found = |language, text: &str| -> Vec<(usize, String)> {
        prose::sentences(language, text).into_iter().map(|sentence| (sentence.line, sentence.text)).collect()
    };
    let rust = "/// One thing. Another\n/// thing.\n/// ```\n/// // code\n/// ```\nlet x = 1; // trailing\n#[error(\"no {a}\")]\n";
    assert_eq!(
        found(prose::Language::Slashes, rust),
        [(1, "One thing.".into()), (1, "Another thing.".into()), (6, "trailing".into()), (7, "no {a}".into())]
    );
    let markdown = "# Title\n\nSome *words*.\n- A point.\n```rust\n// code\n```\n| a | b |\n";
    let expected = ["Title", "Some *words*.", "A point.", "a", "b"];
    assert_eq!(
        found(prose::Language::Markdown, markdown).into_iter().map(|(_, text)| text).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(found(prose::Language::Hashes, "#!/bin/sh\n# Why.\necho '# no'\n"), [(2, "Why.".into())]);
}

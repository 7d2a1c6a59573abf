//! The contract holds data and one trait: its sources name no platform, start no thread and contain no assembly.

use std::fs;
use std::path::{Path, PathBuf};

/// Strings that no source may contain before its tests, each with the reason.
const LUGGAGE: &[(&str, &str)] = &[
    ("cfg(", "capability is a value, not a platform"),
    ("cfg!(", "capability is a value, not a platform"),
    ("cfg_attr(", "capability is a value, not a platform"),
    ("std::thread", "threads belong to `anywarp-host`"),
    ("thread::", "threads belong to `anywarp-host`"),
    ("rayon", "threads belong to `anywarp-host`"),
    ("asm!", "assembly belongs to `anywarp-host`"),
    ("std::arch", "instructions of one processor belong to `anywarp-host`"),
    ("std::fs", "files belong to `anywarp-host`"),
    ("std::env", "settings belong to `anywarp-host`"),
    ("Instant", "measuring belongs to `anywarp-host`"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the crate's own sources can be read") {
        let path = entry.expect("the crate's own sources can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Lines of code with their numbers, without comments and without the file's tests, which come last.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    (1..).zip(lines.map(|line| line.split("//").next().unwrap_or_default()))
}

fn luggage_of(text: &str) -> Vec<String> {
    let found = |(number, line): (usize, &str)| {
        let carried = LUGGAGE.iter().find(|(word, _)| line.contains(word))?;
        Some(format!("line {number} has `{}`: {}", carried.0, carried.1))
    };
    code(text).filter_map(found).collect()
}

#[test]
fn the_contract_carries_no_luggage() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 10, "{} sources are too few to be all of them", files.len());
    for file in files {
        let text = fs::read_to_string(&file).expect("a source is text");
        assert_eq!(luggage_of(&text), Vec::<String>::new(), "{}", file.display());
    }
}

#[test]
fn luggage_is_found_and_tests_and_comments_are_passed_over() {
    assert_eq!(luggage_of("// asm!\n#[cfg(test)]\nmod tests { use std::thread; }"), Vec::<String>::new());
    for (word, why) in LUGGAGE {
        let found = luggage_of(&format!("use a;\n{word}"));
        assert!(
            found.len() == 1 && found[0].starts_with("line 2 has ") && found[0].ends_with(why),
            "{word}: {found:?}"
        );
    }
}

//! The floors of `src`: no module uses a module of a higher floor, and ARCHITECTURE.md has the same table of floors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anywarp_testing::files;

/// The floors, lowest first: name, the modules at the root of the crate, and contents.
const FLOORS: &[(&str, &[&str], &str)] = &[
    (
        "values",
        &["backend", "element", "error", "environment", "kept", "npy_header", "search"],
        "types that host and device agree on; errors, into which upper floors fold theirs; environment variables; results \
         of tuning on disk; the header of NumPy's files; the search of the fastest candidate",
    ),
    ("submission", &["submit"], "context, timeline, encoder, streams, recordings, submissions, staging, events"),
    ("buffers", &["buffer"], "residency, transfers, guards, slices"),
    ("kernels", &["kernel", "debug"], "from WGSL text to a checked launch; what kernels print"),
    ("devices", &["device"], "which devices there are, which one is meant; the handle"),
    ("parts", &["ops", "loader", "ring"], "code that users could have written themselves, independent of each other"),
    ("tuning", &["tune"], "which values of its overrides a kernel is fastest with, and which kernels an operator"),
    ("insight", &["insight"], "why a kernel is slow, from the counts of `cpu:observed`"),
    ("edge", &["interop"], "buffers and devices shared with raw wgpu and CUDA"),
];

/// A use of another module, at a line of a file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    file: String,
    line: usize,
    from: String,
    to: String,
}

#[test]
fn no_import_points_upwards() {
    let arrows = arrows();
    println!("{} arrows from files to modules of other folders", pairs(&arrows));
    // Without a working parser there would be no uses, so this checks that some known uses are found.
    for (from, to) in [("buffer", "submit"), ("kernel", "buffer"), ("device", "kernel"), ("interop", "device")] {
        assert!(arrows.iter().any(|arrow| (&*arrow.from, &*arrow.to) == (from, to)), "no arrow from {from} to {to}");
    }
    let upward: Vec<String> = arrows.iter().filter(|arrow| is_wrong(arrow)).map(|arrow| format!("{arrow:?}")).collect();
    assert!(upward.is_empty(), "these files use modules of higher floors or of the same floor:\n{}", upward.join("\n"));
}

#[test]
fn every_module_has_a_floor() {
    let known: BTreeSet<&str> = FLOORS.iter().flat_map(|(_, modules, _)| modules.iter().copied()).collect();
    let modules: BTreeSet<String> = sources().iter().filter_map(|path| module_of(path).into_iter().next()).collect();
    let others: Vec<&String> =
        modules.iter().filter(|module| !known.contains(module.as_str()) && *module != "guide").collect();
    assert!(others.is_empty(), "without a floor: {others:?}");
}

#[test]
fn the_architecture_has_the_same_table() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let mut table = String::from("| floor | modules | holds |\n|---|---|---|\n");
    for (name, modules, holds) in FLOORS {
        let modules: Vec<String> = modules.iter().map(|module| format!("`{module}`")).collect();
        table.push_str(&format!("| {name} | {} | {holds} |\n", modules.join(", ")));
    }
    assert!(text.contains(&table), "ARCHITECTURE.md lacks this table:\n{table}");
}

#[test]
fn the_parser_finds_all_uses() {
    let seen = |module: &[&str], text: &str| -> Vec<(usize, String)> {
        let module: Vec<String> = module.iter().map(|part| (*part).to_owned()).collect();
        names(text, &module)
    };
    let first = |module: &[&str], text: &str| seen(module, text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(first(&["a"], "use crate::b::C;\nuse crate::{d::{E, F}, G};"), ["b", "d", "G"]);
    assert_eq!(first(&["a", "b"], "use super::c::D; use super::super::e::F;"), ["a", "e"]);
    assert_eq!(first(&["a"], "mod inner { use super::B; use super::super::c::D; }"), ["a", "c"]);
    assert_eq!(first(&["a"], "// crate::b\n/// [x](crate::c)\nlet s = \"crate::d\"; $crate::e"), ["e"]);
    assert_eq!(first(&["a"], "use crate::b;\n#[cfg(test)]\nmod tests { use crate::c; }"), ["b"]);
    assert_eq!(first(&["a"], "fn f(x: crate::b::C) -> anywarp::Device { }"), ["b", "Device"]);
    assert_eq!(seen(&["a"], "\n\nuse crate::b;"), [(3, "b".to_owned())]);
}

fn is_wrong(arrow: &Arrow) -> bool {
    let floor = |module: &str| FLOORS.iter().position(|(_, modules, _)| modules.contains(&module));
    let (from, to) = (floor(&arrow.from), floor(&arrow.to));
    let beside = from == to && arrow.from != arrow.to && from.is_some_and(|floor| FLOORS[floor].0 == "parts");
    to > from || beside
}

/// The number of pairs of a file and another module that the file uses.
fn pairs(arrows: &[Arrow]) -> usize {
    arrows.iter().map(|arrow| (&arrow.file, &arrow.to)).collect::<BTreeSet<_>>().len()
}

/// All uses of other modules in the files of `src`.
fn arrows() -> Vec<Arrow> {
    let source = source();
    let roots = roots(&fs::read_to_string(source.join("lib.rs")).unwrap());
    let known: BTreeSet<&str> = FLOORS.iter().flat_map(|(_, modules, _)| modules.iter().copied()).collect();
    let mut arrows = BTreeSet::new();
    for path in sources() {
        let module = module_of(&path);
        let Some(from) = module.first().filter(|from| known.contains(from.as_str())) else { continue };
        let text = fs::read_to_string(&path).unwrap();
        for (line, name) in names(&text, &module) {
            let to = if known.contains(name.as_str()) { name } else { roots.get(&name).cloned().unwrap_or_default() };
            if known.contains(to.as_str()) && to != *from {
                let file = path.strip_prefix(&source).unwrap().display().to_string();
                arrows.insert(Arrow { file, line, from: from.clone(), to });
            }
        }
    }
    arrows.into_iter().collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The source files, without the root of the crate and test modules.
fn sources() -> Vec<PathBuf> {
    let source = source();
    let mut files = files::with_endings(&source, &["rs"]);
    files.retain(|path| {
        let within = path.strip_prefix(&source).unwrap().with_extension("");
        within.iter().all(|part| part != "tests" && part != "lib")
    });
    files
}

/// The path of a file's module: `src/a/mod.rs` is `a`, `src/a/b.rs` is `a::b`.
fn module_of(path: &Path) -> Vec<String> {
    let within = path.strip_prefix(source()).unwrap().with_extension("");
    let mut module: Vec<String> = within.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}

/// The names that lib.rs exports at the root, with their modules.
fn roots(lib: &str) -> BTreeMap<String, String> {
    let mut roots = BTreeMap::new();
    for item in code(lib).split(';').filter_map(|item| item.split("pub use ").nth(1)) {
        let Some((module, rest)) = item.trim().split_once("::") else { continue };
        for name in
            rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|name| !name.is_empty())
        {
            roots.insert(name.to_owned(), module.to_owned());
        }
    }
    roots
}

/// The first names after `crate::`, and the names that `super::` refers to, each with its line. Test modules are left
/// out.
fn names(text: &str, module: &[String]) -> Vec<(usize, String)> {
    let text = code(text);
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let tokens = tokens(text);
    let word = |at: usize| tokens.get(at).map_or("", |(_, token)| token.as_str());
    let (mut found, mut inner, mut depth) = (Vec::new(), Vec::new(), 0usize);
    for (at, (line, token)) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => {
                if at >= 2 && word(at - 2) == "mod" {
                    inner.push(depth);
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if inner.last() == Some(&depth) {
                    inner.pop();
                }
            }
            "crate" | "anywarp" if word(at + 1) == "::" && (at == 0 || word(at - 1) != "::") => {
                found.extend(firsts(&tokens, at + 2).into_iter().map(|name| (*line, name)));
            }
            "super" if at == 0 || word(at - 1) != "::" => {
                let mut ups = 1;
                while word(at + 2 * ups) == "super" {
                    ups += 1;
                }
                let level = module.len() + inner.len();
                match level.checked_sub(ups) {
                    Some(0) => found.extend(firsts(&tokens, at + 2 * ups).into_iter().map(|name| (*line, name))),
                    Some(_) => found.push((*line, module[0].clone())),
                    None => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// The first names of the path or paths that start at a token: one name, or those of a group.
fn firsts(tokens: &[(usize, String)], at: usize) -> Vec<String> {
    let word = |at: usize| tokens.get(at).map_or("", |(_, token)| token.as_str());
    if word(at) != "{" {
        return vec![word(at).to_owned()];
    }
    let (mut found, mut depth, mut next) = (Vec::new(), 1, at + 1);
    let mut begins = true;
    while depth > 0 && next < tokens.len() {
        match word(next) {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," => begins = depth == 1,
            name if begins => {
                found.push(name.to_owned());
                begins = false;
            }
            _ => {}
        }
        next += 1;
    }
    found
}

/// The tokens of a text, each with its line: words, `::`, braces and commas.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut tokens: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(letter) = rest.chars().next() {
            let length = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
            let length = if length > 0 {
                length
            } else if rest.starts_with("::") {
                2
            } else {
                letter.len_utf8()
            };
            let token = &rest[..length];
            if !token.trim().is_empty() {
                tokens.push((number + 1, token.to_owned()));
            }
            rest = &rest[length..];
        }
    }
    tokens
}

/// The text without comments and strings; lines keep their numbers.
fn code(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        let mut in_string = false;
        let letters: Vec<char> = line.chars().collect();
        for (at, letter) in letters.iter().enumerate() {
            match letter {
                '/' if !in_string && letters.get(at + 1) == Some(&'/') => break,
                '"' if at == 0 || letters[at - 1] != '\\' => in_string = !in_string,
                _ if in_string => {}
                letter => code.push(*letter),
            }
        }
        code.push('\n');
    }
    code
}

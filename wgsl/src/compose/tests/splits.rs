//! Kernels that are split into files at random keep their meaning when they are composed.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::LazyLock;

use anywarp_backend::{Source, SourceFile};
use proptest::prelude::*;

use super::super::Options;
use super::super::outline::{Declared, Outline};
use super::super::tokens::Tokens;
use super::{composed, features};
use crate::module;

/// The kernels, each as one text.
static KERNELS: LazyLock<[String; 4]> = LazyLock::new(|| {
    let matmul = include_str!("../../../../shaders/ops/matmul_f32.wgsl");
    let shared = [
        ("shared::epilogue", include_str!("../../../../shaders/shared/epilogue.wgsl")),
        ("shared::product", include_str!("../../../../shaders/shared/product.wgsl")),
        ("shared::product_f32", include_str!("../../../../shaders/shared/product_f32.wgsl")),
        ("shared::product_result", include_str!("../../../../shaders/shared/product_result.wgsl")),
        ("shared::tile_product", include_str!("../../../../shaders/shared/tile_product.wgsl")),
        ("shared::tile_spot", include_str!("../../../../shaders/shared/tile_spot.wgsl")),
    ];
    let matmul = composed(matmul, &shared, &features(&[("packed", false), ("split", false)])).unwrap();
    [
        include_str!("../../../../examples/shaders/conv3x3.wgsl").to_owned(),
        include_str!("../../../../examples/shaders/saxpy.wgsl").to_owned(),
        matmul.text().to_owned(),
        include_str!("kernels/halves.wgsl").to_owned(),
    ]
});

/// A declaration with its text, its name and the declarations that it uses.
struct Part {
    name: String,
    text: String,
    uses: Vec<usize>,
    entry: bool,
    /// The index of the file that receives the declaration; 0 is the author's own file.
    file: usize,
}

fn parts(text: &str) -> (String, Vec<Part>) {
    let tokens = Tokens::of(SourceFile { name: "k".to_owned(), text: text.to_owned() }).unwrap();
    let outline = Outline::of(&tokens).unwrap();
    let directives: String = outline.directives.iter().map(|range| &text[tokens.bytes(range.clone())]).collect();
    let part = |(number, declaration): (usize, &super::super::outline::Declaration)| {
        let within = outline.words.iter().filter(|word| declaration.all.contains(word));
        let uses: HashSet<usize> = within
            .filter_map(|word| outline.declared.get(tokens.text(*word)).copied())
            .filter(|used| *used != number)
            .collect();
        Part {
            name: tokens.text(declaration.name).to_owned(),
            text: text[tokens.bytes(declaration.all.clone())].to_owned(),
            uses: uses.into_iter().collect(),
            entry: declaration.kind == Declared::EntryPoint,
            file: 0,
        }
    };
    (directives, outline.declarations.iter().enumerate().map(part).collect())
}

/// Assigns a file to every part, so that files import only later files. A part that a part in a later file uses moves
/// to that later file.
fn distribute(parts: &mut [Part], choices: &[usize]) {
    for (part, choice) in parts.iter_mut().zip(choices.iter().cycle()) {
        part.file = if part.entry { 0 } else { *choice };
    }
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..parts.len() {
            for used in parts[index].uses.clone() {
                if parts[used].file < parts[index].file {
                    parts[used].file = parts[index].file;
                    changed = true;
                }
            }
        }
    }
}

/// Returns the texts of the files, with imports by name, by module and by path in turn.
fn files(directives: &str, parts: &[Part], style: usize) -> Vec<String> {
    let count = parts.iter().map(|part| part.file + 1).max().unwrap_or(1);
    let file = |index: usize| {
        let own: Vec<&Part> = parts.iter().filter(|part| part.file == index).collect();
        let foreign: HashSet<usize> =
            own.iter().flat_map(|part| part.uses.clone()).filter(|used| parts[*used].file != index).collect();
        let mut text = String::new();
        let mut called: HashMap<String, String> = HashMap::new();
        let mut modules = HashSet::new();
        for used in foreign {
            let Part { name, file, .. } = &parts[used];
            match (style + used) % 4 {
                0 => writeln!(text, "import package::m{file}::{name};").unwrap(),
                1 => {
                    writeln!(text, "import super::m{file}::{{{name} as other_{used}}};").unwrap();
                    called.insert(name.clone(), format!("other_{used}"));
                }
                2 => {
                    if modules.insert(*file) {
                        writeln!(text, "import package::m{file} as module_{file};").unwrap();
                    }
                    called.insert(name.clone(), format!("module_{file}::{name}"));
                }
                _ => {
                    called.insert(name.clone(), format!("package::m{file}::{name}"));
                }
            }
        }
        text.push_str(directives);
        for part in own {
            let tokens = Tokens::of(SourceFile { name: "p".to_owned(), text: part.text.clone() }).unwrap();
            let outline = Outline::of(&tokens).unwrap();
            let mut at = 0;
            for word in outline.words {
                if let Some(new) = called.get(tokens.text(word)) {
                    let bytes = tokens.bytes(word..word + 1);
                    text.push_str(&part.text[at..bytes.start]);
                    text.push_str(new);
                    at = bytes.end;
                }
            }
            text.push_str(&part.text[at..]);
            text.push('\n');
        }
        text
    };
    (0..count).map(file).collect()
}

/// Returns the meaning of a module: naga's output with sorted declarations, without the names that naga generates.
fn meaning(source: &Source) -> Vec<String> {
    let module = module::parse(source).unwrap_or_else(|error| panic!("{error}\n{}", source.text()));
    let module = module::validate(module).unwrap_or_else(|refused| panic!("{refused:?}\n{}", source.text()));
    let flags = naga::back::wgsl::WriterFlags::empty();
    let text = naga::back::wgsl::write_string(&module, module.info(), flags).unwrap();
    let mut blocks: Vec<String> = Vec::new();
    let tokens = Tokens::of(SourceFile { name: "w".to_owned(), text }).unwrap();
    let outline = Outline::of(&tokens).unwrap();
    for declaration in &outline.declarations {
        // Variables of functions are numbered in the order of declarations, which is not part of the meaning.
        let plain = |word: &str| word.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit()).to_owned();
        let local = |word: &str| word.starts_with("_e") || outline.local.contains(word);
        let words = declaration.all.clone().map(|at| tokens.text(at));
        let words = words.map(|word| if local(word) { plain(word) } else { without_module(word) });
        blocks.push(words.collect::<Vec<_>>().join(" "));
    }
    blocks.sort();
    blocks
}

/// Returns a name without the prefix of its module: `m3_name` becomes `name`.
fn without_module(word: &str) -> String {
    let number = word.strip_prefix('m').and_then(|rest| rest.split_once('_'));
    number.filter(|(number, _)| number.parse::<u32>().is_ok()).map_or(word, |(_, name)| name).to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 40 } else { 300 }))]
    #[test]
    fn split_kernels_keep_their_meaning(kernel in 0..KERNELS.len(), choices in prop::collection::vec(0usize..5, 1..40), style in 0usize..16) {
        let text = KERNELS[kernel].as_str();
        let (directives, mut parts) = parts(text);
        distribute(&mut parts, &choices);
        let files = files(&directives, &parts, style);
        let modules: Vec<(String, &str)> = files.iter().enumerate().map(|(index, text)| (format!("m{index}"), text.as_str())).collect();
        let modules: Vec<(&str, &str)> = modules[1..].iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let source = composed(&files[0], &modules, &Options::default());
        let source = source.unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!(meaning(&source), meaning(&Source::new("k", text)), "{:?}", files);
    }
}

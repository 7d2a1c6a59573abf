//! The source position of every byte of a composed text.

use super::super::Options;
use super::{composed, features};
use crate::{diagnostic, module};

#[test]
fn words_have_their_position_in_the_authors_files() {
    let module = "// a\nfn load() -> u32 {\n    return 1u; }\n\nfn\n twice() -> u32 { return load(); }\n";
    let text = "import package::shared::tile::{\n  twice as double,\n};\n@if(off) const gone =\n  1;\nfn load() { let x = double(); }";
    let source = composed(text, &[("shared::tile", module)], &features(&[("off", false)])).unwrap();
    let at = |word: &str| {
        let place = source.position(source.text().find(word).expect(word)).unwrap();
        (place.file.to_owned(), place.line, place.column)
    };
    assert_eq!(at("fn load"), ("main.wgsl".to_owned(), 6, 1));
    assert_eq!(at("twice();"), ("main.wgsl".to_owned(), 6, 21));
    assert_eq!(at("; }"), ("main.wgsl".to_owned(), 6, 29));
    assert_eq!(at("tile_load() -> u32"), ("shared/tile.wgsl".to_owned(), 2, 4));
    assert_eq!(at("() -> u32"), ("shared/tile.wgsl".to_owned(), 2, 8));
    assert_eq!(at("twice() ->"), ("shared/tile.wgsl".to_owned(), 6, 2));
    assert_eq!(at("tile_load(); }"), ("shared/tile.wgsl".to_owned(), 6, 26));
    // The line numbers of the author's own file are also those of the composed text.
    assert_eq!(source.text().lines().nth(5), Some("fn load() { let x = twice(); }"));
    let names: Vec<&str> = source.files().iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["main.wgsl", "shared/tile.wgsl"]);
}

#[test]
fn errors_of_naga_have_positions_in_the_authors_files() {
    let text = "import package::a::f;\nconst load = 1;\n@compute @workgroup_size(1) fn main() { f(); }";
    let table = [
        // The first errors are the parser's, the last one is the validator's.
        ("enable f16;\nfn load() { }\nfn f() {\n  load();\n  let x = ?;\n}", "a.wgsl:5:11"),
        ("enable f16;\nfn load() { }\nfn f() {\n  load(); let y = nowhere;\n}", "a.wgsl:4:19"),
        ("var<private> load: u32;\nfn f() {\n  let p = &load; load = 1 + *p; return 1;\n}", "a.wgsl:3:40"),
    ];
    for (module, place) in table {
        let source = composed(text, &[("a", module)], &Options::default()).unwrap();
        let error = match module::parse(&source) {
            Err(error) => error.to_string(),
            Ok(module) => diagnostic::of_refused(&source, &module::validate(module).unwrap_err()).to_string(),
        };
        assert!(error.contains(place) && !error.contains("main.wgsl:"), "{module}: {error}");
    }
}

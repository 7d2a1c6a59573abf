//! `bindgen MODULE.wasm FOLDER NAME [--small | --package]`: the files that a page needs for a module, as made by
//! `wasm-bindgen --target web`.
//!
//! Writes `NAME.js` and `NAME_bg.wasm` to the folder; `--small` leaves out the names and producers sections, and
//! `--package` does so and writes the types for TypeScript, `NAME.d.ts`.

use std::path::Path;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (module, folder, name, small, types) = match arguments[..] {
        [module, folder, name] => (module, folder, name, false, false),
        [module, folder, name, "--small"] => (module, folder, name, true, false),
        [module, folder, name, "--package"] => (module, folder, name, true, true),
        _ => {
            eprintln!("usage: bindgen MODULE.wasm FOLDER NAME [--small | --package]");
            return ExitCode::from(64);
        }
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(Path::new(module)).out_name(name).typescript(types);
    bindgen.remove_name_section(small).remove_producers_section(small);
    bindgen.omit_default_module_path(false); // the default path of the module is next to the script
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error:?}");
            ExitCode::FAILURE
        }
    }
}

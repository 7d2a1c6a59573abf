//! Runs the passes on the files of `tests/passes` and compares the printed entry points and functions.

use std::path::Path;

use anywarp_backend::Proofs;
use anywarp_testing::filetests;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Function, Module, back::wgsl};

use crate::explicit::explicit;
use crate::optimise::{optimise, pass_over_function};
use crate::{Circumstances, Unrolling, columns, fuse, members, pointers, tables, wide};

#[test]
fn passes_on_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    filetests::run(&folder, &["wgsl"], &[], |case| {
        let module = naga::front::wgsl::parse_str(&case.text).map_err(|error| error.emit_to_string(&case.text))?;
        let info = validated(&module)?;
        let Some(made) = pass(&case.pass, &module, &info)? else {
            return Ok(format!("unchanged\n{}", printed(&module, &info)?));
        };
        let info = validated(&made).map_err(|error| format!("the result is not valid: {error}"))?;
        printed(&made, &info)
    });
}

/// Runs the pass called `name`; `None` if the pass does not change the module.
fn pass(name: &str, module: &Module, info: &ModuleInfo) -> Result<Option<Module>, String> {
    let optimised = |unrolling| optimise(module, info, &Circumstances { unrolling, ..Circumstances::default() });
    Ok(match name {
        "optimise" => optimised(Unrolling::Full),
        "optimise selective" => optimised(Unrolling::Selective),
        "optimise by-compiler" => optimised(Unrolling::ByCompiler),
        "columns" => columns::by_columns(module, info),
        "explicit" => explicit(module, info, &Proofs::default()),
        "fuse" => fuse::products_with_sums(module, info),
        "members" => members::to_whole_arrays(module, info),
        "pointers" => pointers::to_whole_variables(module),
        "tables" => tables::to_variables(module, info),
        "wide" => wide::mend(module, info),
        _ => match pass_over_function(name) {
            Some(pass) => over_functions(module, pass),
            None => return Err(format!("there is no pass `{name}`")),
        },
    })
}

fn over_functions(module: &Module, pass: fn(&Function) -> Option<Function>) -> Option<Module> {
    let mut made = module.clone();
    let functions = made.functions.iter_mut().map(|(_, function)| function);
    let functions = functions.chain(made.entry_points.iter_mut().map(|entry| &mut entry.function));
    let mut changes = false;
    for function in functions {
        if let Some(changed) = pass(function) {
            *function = changed;
            changes = true;
        }
    }
    changes.then_some(made)
}

fn validated(module: &Module) -> Result<ModuleInfo, String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| format!("{error:?}"))
}

/// The functions of a module as WGSL. The suffix `u` of constant indices is removed, because naga does not always write
/// that suffix.
fn printed(module: &Module, info: &ModuleInfo) -> Result<String, String> {
    let text = wgsl::write_string(module, info, wgsl::WriterFlags::empty()).map_err(|error| error.to_string())?;
    let start = text.lines().position(|line| line.starts_with("fn ") || line.starts_with("@compute"));
    let lines = text.lines().skip(start.unwrap_or(0));
    Ok(lines.map(|line| line.replace("u]", "]") + "\n").collect())
}

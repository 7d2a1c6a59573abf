//! Runs the passes on the files of `tests/ir`, which contain WGSL or the text of a function, and compares the printed
//! results. For files with `run: N`, `N` workgroups run before and after the pass, and must write the same data.

use anywarp_backend::Mode;
use std::path::Path;

use anywarp_testing::filetests;

use super::rewrite::Rewriter;
use super::{MAX_GROWTH, promote, prune, run, tails};
use crate::codegen::tests::run_function;
use crate::ir::{Function, parse, verify};
use crate::lower::lower;
use crate::lower::tests::program;

/// The number of loop iterations after which a kernel is stopped.
const STEPS: u64 = 1 << 20;

#[test]
fn passes_on_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let data: Vec<u32> = (0..60u32).map(|i| i * 7 % 11).collect();
    filetests::run(&folder, &["ir", "wgsl"], &["run"], |case| {
        let mut function = if case.file.ends_with(".ir") {
            parse::parse(&case.text)?
        } else {
            lower(&program(&case.text), Mode::Plain).map_err(|error| error.to_string())?
        };
        verify::verify(&function).map_err(|broken| format!("the input breaks a rule: {broken}"))?;
        let groups = case.setting("run").map(str::parse::<u32>).transpose().map_err(|error| error.to_string())?;
        let written = |function: &Function| {
            let buffers: [&[u32]; 2] = [&[u32::MAX; 60], &data];
            groups.map(|groups| run_function(function, &buffers, [groups, 1, 1], STEPS))
        };
        let before = written(&function);
        pass(&case.pass, &mut function)?;
        verify::verify(&function).map_err(|broken| format!("the result breaks a rule: {broken}\n{function}"))?;
        let after = written(&function);
        match (before, after) {
            (Some(Err(stop)), _) => Err(format!("the kernel stops before the pass, with {stop}")),
            (before, after) if before == after => Ok(function.to_string()),
            (before, after) => Err(format!("wrote {before:?} before the pass, {after:?} after it\n{function}")),
        }
    });
}

fn pass(name: &str, function: &mut Function) -> Result<(), String> {
    match name {
        "optimise" => run(function),
        "rewrite" => Rewriter::new(function, MAX_GROWTH).run(),
        "promote" => drop(promote::run(function)),
        "prune" => prune::run(function),
        "tails" => tails::run(function),
        _ => return Err(format!("there is no pass `{name}`")),
    }
    Ok(())
}

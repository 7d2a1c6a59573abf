//! Tests that kernels have the same results before and after each pass. Random kernels run on the CPU, and their
//! results are compared with a reference.
//!
//! Optimised kernels run with every check, and with only the checks that the analysis could not remove. Kernels with
//! explicit checks run on a device that reports every access out of range.

#[path = "meaning/machine.rs"]
mod machine;
#[path = "meaning/small.rs"]
mod small;

use anywarp_backend::{Refused, Validated};
use anywarp_middle::analysis::prove;
use anywarp_middle::columns::by_columns;
use anywarp_middle::explicit::explicit;
use anywarp_middle::members::to_whole_arrays;
use anywarp_middle::optimise::optimise;
use anywarp_middle::pointers::to_whole_variables;
use anywarp_middle::tables::to_variables;
use anywarp_middle::{Circumstances, Unrolling};
use naga::valid::Capabilities;

use anywarp_testing::random_kernels::ast::{Program, Space};
use anywarp_testing::random_kernels::evaluate::{canonical, evaluate};
use anywarp_testing::random_kernels::print::wgsl;
use anywarp_testing::random_kernels::{generate, hostile};
use machine::Machine;

fn parsed(text: &str) -> Result<Validated, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    Validated::new(module, Capabilities::all()).map_err(not_valid)
}

fn not_valid(refused: Box<Refused>) -> String {
    format!("not valid: {:?}", refused.error)
}

/// Returns a description of the difference between a kernel's buffers and the expected buffers, if they differ.
type Judge<'a> = dyn Fn(Vec<Vec<u8>>) -> Option<String> + 'a;

/// Runs a kernel after each combination of passes; returns a description of the first combination with wrong results.
fn differs(
    machines: &[Machine; 2],
    text: &str,
    buffers: &[Vec<u8>],
    groups: [u32; 3],
    judge: &Judge<'_>,
) -> Option<String> {
    let [plain, checked] = machines;
    let ran = |form: &str, machine: &Machine, module: &Validated, proofs| {
        let problem = machine.run(module, proofs, buffers, groups).map_or_else(Some, judge);
        problem.map(|problem| format!("{form}: {problem}\n{text}"))
    };
    let forms = || -> Result<Option<String>, String> {
        let module = parsed(text)?;
        let circumstances = Circumstances::default();
        let proofs = |module: &Validated| prove(module, module.info(), &circumstances).proofs;
        let checks = |module: &Validated| {
            let made = explicit(module, module.info(), &proofs(module));
            module.clone().after_pass(made).map_err(not_valid)
        };
        let faster = |unrolling| {
            let made = optimise(&module, module.info(), &Circumstances { unrolling, ..circumstances.clone() });
            module.clone().after_pass(made).map_err(not_valid)
        };
        let [selective, by_compiler] = [Unrolling::Selective, Unrolling::ByCompiler].map(faster);
        let (faster, selective, by_compiler) = (faster(Unrolling::Full)?, selective?, by_compiler?);
        let (safe, plainly_safe) = (checks(&faster)?, checks(&module)?);
        let copied = safe.clone().after_pass(to_whole_variables(&safe)).map_err(not_valid)?;
        let whole = safe.clone().after_pass(to_whole_arrays(&safe, safe.info())).map_err(not_valid)?;
        let columns = whole.clone().after_pass(by_columns(&whole, whole.info())).map_err(not_valid)?;
        let placed = safe.clone().after_pass(to_variables(&safe, safe.info())).map_err(not_valid)?;
        Ok(ran("optimised, with every check", plain, &faster, None)
            .or_else(|| ran("optimised, with unproven checks", plain, &faster, Some(proofs(&faster))))
            .or_else(|| ran("unrolled selectively", plain, &selective, Some(proofs(&selective))))
            .or_else(|| ran("with loops left to the compiler", plain, &by_compiler, Some(proofs(&by_compiler))))
            .or_else(|| ran("with explicit checks", checked, &safe, None))
            .or_else(|| ran("with whole variables as arguments", checked, &copied, None))
            .or_else(|| ran("with copies of arrays in structs", checked, &whole, None))
            .or_else(|| ran("with stores to columns of matrices", checked, &columns, None))
            .or_else(|| ran("with arrays in variables", checked, &placed, None))
            .or_else(|| ran("with explicit checks, not optimised", checked, &plainly_safe, None)))
    };
    forms().unwrap_or_else(|problem| Some(format!("{problem}\n{text}")))
}

fn check(seeds: std::ops::Range<u64>, make: fn(u64, usize) -> Program) {
    let machines = [Machine::new(false), Machine::new(true)];
    for seed in seeds {
        let program = make(seed, 4);
        let expected = evaluate(&program).expect("generated kernels have defined results").buffers;
        let judge = |mut found: Vec<Vec<u8>>| {
            let written = program.globals.iter().filter(|global| global.space == Space::Output);
            let wrong = written.filter_map(|global| Some((global, global.binding? as usize))).find(|(global, at)| {
                canonical(&global.ty, &program.structs, &mut found[*at]);
                found[*at] != expected[*at]
            });
            wrong.map(|(global, _)| format!("'{}' differs", global.name))
        };
        if let Some(wrong) = differs(&machines, &wgsl(&program), &program.buffers, program.groups, &judge) {
            panic!("seed {seed}, {wrong}");
        }
    }
}

/// Compares the results of each kernel after the passes with its results before the passes.
#[test]
fn small_kernels_keep_their_results() {
    let machines = [Machine::new(false), Machine::new(true)];
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    // The input has small numbers first, then large numbers.
    let input: Vec<u32> = (0..64u32).map(|at| if at < 40 { at } else { at.wrapping_mul(0x9E37_79B9) }).collect();
    let numbers = words(&[5, 3, 0, 7]);
    let buffers =
        [vec![0; 2560], words(&input), numbers, vec![0; 32], vec![1; 4], vec![2; 20], vec![3; 8], vec![4; 16]];
    for body in small::BODIES {
        let text = format!("{}{body} }}", small::START);
        let module = parsed(&text).unwrap_or_else(|problem| panic!("{problem}"));
        let expected = machines[0].run(&module, None, &buffers, [1, 1, 1]).expect("the kernel runs without passes");
        let judge = |found: Vec<Vec<u8>>| {
            let at = found.concat().iter().zip(expected.concat()).position(|(found, expected)| *found != expected)?;
            Some(format!("word {} differs", at / 4))
        };
        if let Some(wrong) = differs(&machines, &text, &buffers, [1, 1, 1], &judge) {
            panic!("{wrong}");
        }
    }
}

#[test]
fn random_kernels_keep_their_results() {
    check(0..60, generate::generate);
}

#[test]
fn hostile_kernels_keep_their_results() {
    check(0..150, hostile::generate);
}

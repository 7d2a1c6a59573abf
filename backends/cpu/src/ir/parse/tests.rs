//! Tests that printed kernels are read back unchanged, and that wrong texts are refused.

use anywarp_backend::Mode;
use anywarp_testing::{kernel_texts, random_kernels};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::parse;
use crate::ir::{Function, optimise, verify};
use crate::lower::tests::program;
use crate::lower::{Budget, lower_within};

/// Reads the printed text of a function, verifies the result, and compares the printed text of the result.
fn round_trip(name: &str, function: &Function) {
    let text = function.to_string();
    let again = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    verify::verify(&again).unwrap_or_else(|broken| panic!("{name}: {broken}\n{text}"));
    assert_eq!(again.to_string(), text, "{name}");
}

/// Tests all forms of a kernel that the backend compiles; returns the number of functions that were not inlined.
fn round_trips(name: &str, source: &str) -> usize {
    let program = program(source);
    let mut callees = 0;
    for mode in [Mode::Plain, Mode::Checked, Mode::Observed] {
        for budget in [Budget::USUAL, Budget::NONE] {
            let Ok(mut function) = lower_within(&program, mode, budget) else { continue };
            round_trip(name, &function);
            optimise::run(&mut function);
            round_trip(name, &function);
            callees += function.callees.len();
        }
    }
    callees
}

#[test]
fn kernels_of_the_repository_are_read_back() {
    let (mut count, mut callees) = (0, 0);
    for (name, text) in kernel_texts::of_repository() {
        let Ok(module) = naga::front::wgsl::parse_str(&text) else { continue };
        let valid = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).is_ok();
        if valid && !module.entry_points.is_empty() {
            callees += round_trips(&name, &text);
            count += 1;
        }
    }
    assert!(count > 100 && callees > 10, "only {count} kernels with {callees} functions");
}

#[test]
fn random_kernels_are_read_back() {
    for seed in 0..40 {
        let text = random_kernels::print::wgsl(&random_kernels::generate::generate(seed, 6));
        round_trips(&format!("seed {seed}"), &text);
    }
}

#[test]
fn wrong_texts_are_refused() {
    for (body, problem) in [
        ("v0: I32 = Add I32(1), v1", "line 2: expected a value that is defined above, found `v1`"),
        ("v0: I32 = Plus I32(1), I32(2)", "line 2: expected an instruction, found `Plus`"),
        ("v0: I32 = Add I32(1)", "line 2: expected an instruction with another number of operands, found `Add`"),
        ("v0: I31 = r0", "line 2: expected a class, found `I31`"),
        ("v0, v2: I32 = load I32 private + 0", "line 2: expected the next value of at most four in a row, found `v2`"),
        ("v0, v1: I32 = Neg I32(1)", "line 2: expected `load`, the only instruction with several results, found `Neg`"),
        ("store I32 shared + 0 = I32(1)", "line 2: expected a memory, found `shared`"),
        ("r0 = LocalId(3)", "line 2: expected a value, a constant, an input or an argument, found `LocalId`"),
        ("while v0 {", "line 2: expected a statement, found `while`"),
        ("loop {", "line 3: expected a statement, found `the end of the text`"),
        ("} function 1 {", "line 2: expected function 0, found `{`"),
        ("} }", "line 2: expected the end of the text, found `}`"),
    ] {
        let text = format!("kernel 8 x 1 x 1 private 16 {{\n{body}\n}}");
        assert_eq!(parse(&text).map(drop), Err(problem.to_owned()), "{text}");
    }
}

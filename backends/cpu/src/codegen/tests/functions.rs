//! Tests of both ways to compute mathematical functions.

use anywarp_backend::Mode;

use super::{kernel, run_with};
use crate::lower::tests::program;
use crate::math::{Functions, LaneFunction, eval_f32};

/// The results of `exp` for these arguments.
fn exponentials(functions: Functions, arguments: &[u32]) -> Vec<u32> {
    let source = kernel("64", "", "out[i] = bitcast<u32>(exp(bitcast<f32>(data[i])));");
    let mut function = crate::lower::lower(&program(&source), Mode::Plain).unwrap();
    crate::ir::optimise::run(&mut function);
    let zeros = vec![0; arguments.len()];
    let groups = [arguments.len() as u32 / 64, 1, 1];
    run_with(&function, functions, &[&zeros, arguments], groups, 1 << 32).unwrap().swap_remove(0)
}

#[test]
fn precise_functions_are_called_and_fast_ones_are_close() {
    let arguments: Vec<u32> = (0..1024).map(|i| (i as f32 * 0.17 - 87.0).to_bits()).collect();
    let called: Vec<u32> =
        arguments.iter().map(|x| eval_f32(LaneFunction::Exp, f32::from_bits(*x), 0.0).to_bits()).collect();
    assert_eq!(exponentials(Functions::Precise, &arguments), called);
    let fast = exponentials(Functions::Fast, &arguments);
    assert!(fast.iter().zip(&called).all(|(fast, called)| fast.abs_diff(*called) <= 1));
    assert_eq!(fast != called, crate::codegen::has_fma(), "only a processor with the instructions has another form");
}

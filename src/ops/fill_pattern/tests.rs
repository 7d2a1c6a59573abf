//! Tests of the fill command and of the kernel, against the reference.

use super::plan::{Choice, Shape};
use super::reference;
use super::run::Operands;
use crate::Device;
use crate::submit::Destination;

fn filled(device: &Device, pattern: &[u32], phase: usize, [before, length]: [usize; 2], choice: Choice) -> Vec<u32> {
    let mut x = device.buffer_from(&vec![77u32; before + length + 5]).unwrap();
    let uniform = pattern.iter().all(|word| *word == pattern[0]);
    let plan = super::plan::plan(Shape { length: length as u64, period: pattern.len() as u32, uniform }, choice);
    let operands = Operands { x: x.slice_mut(before..before + length), pattern, phase };
    operands.run(&plan, &mut Destination::Own).unwrap();
    x.read().unwrap().to_vec()
}

#[test]
fn every_period_phase_and_start_is_filled() {
    let device = Device::open("cpu").unwrap();
    for period in 1..=16 {
        let pattern: Vec<u32> = (0..period).map(|at| 1000 + at as u32).collect();
        for (phase, before, length) in [(0, 0, 70_000), (period - 1, 3, 257), (period / 2, 64, 1)] {
            let mut wanted = vec![77; before + length + 5];
            reference::fill_pattern(&mut wanted[before..before + length], &pattern, phase);
            for choice in [Choice::Word, Choice::Kernel] {
                let got = filled(&device, &pattern, phase, [before, length], choice);
                assert_eq!(got, wanted, "period {period}, phase {phase}, {length} elements, {choice:?}");
            }
        }
    }
}

#[test]
fn both_ways_fill_a_pattern_of_one_word_alike() {
    let device = Device::open("cpu").unwrap();
    let fill = |choice| filled(&device, &[5, 5, 5], 1, [2, 1000], choice);
    assert_eq!(fill(Choice::Word), fill(Choice::Kernel));
}

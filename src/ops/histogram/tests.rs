//! Tests of each choice of kernels, against the reference.

use super::bins::Bins;
use super::plan::{Choice, Sum};
use super::run::Operands;
use super::{Edges, HistogramElement, reference};
use crate::Device;
use crate::submit::Destination;

const fn atomics(shared: bool, vectors: bool, runs: bool) -> Choice {
    Choice::Atomics { shared, vectors, runs, groups: 7 }
}

const CHOICES: [Choice; 6] = [
    atomics(true, true, false),
    atomics(true, true, true),
    atomics(true, false, true),
    atomics(false, true, true),
    atomics(false, false, false),
    Choice::Rows,
];

/// The counts, or the bits of the sums, that a choice computes for `bins` bins in each of `channels` channels.
fn summed<T: HistogramElement>(
    device: &Device,
    x: &[T],
    weights: Option<(&[u32], Sum)>,
    (edges, bins, channels): (&Edges<'_>, usize, usize),
    choice: Choice,
) -> Vec<u32> {
    let x = device.buffer_from(x).unwrap();
    let counters = bins * channels;
    let mut counts = device.buffer_from(&vec![77u32; counters + 4]).unwrap();
    let found = Bins::of::<T>(edges).unwrap();
    let of_weights = weights.map(|(weights, _)| device.buffer_from(weights).unwrap());
    let mut operands = Operands {
        x: x.slice(..),
        weights: of_weights.as_ref().map(|weights| weights.slice(..)),
        counts: counts.slice_mut(3..3 + counters),
        result: "counts",
        channels,
        sum: weights.map_or(Sum::Counts, |(_, sum)| sum),
        all: x.len(),
    };
    let plan = super::plan::plan(operands.shape(bins), choice);
    operands.run(&found, &plan, &mut Destination::Own).unwrap();
    let counts = counts.read().unwrap().to_vec();
    assert!([0, 1, 2, counters + 3].iter().all(|at| counts[*at] == 77), "counts outside");
    counts[3..3 + counters].to_vec()
}

fn counted<T: HistogramElement>(device: &Device, x: &[T], edges: &Edges<'_>, bins: usize, choice: Choice) -> Vec<u32> {
    summed(device, x, None, (edges, bins, 1), choice)
}

#[test]
fn every_way_counts_channels_apart() {
    let device = Device::open("cpu").unwrap();
    let x: Vec<u32> = (0..9000u32).map(|at| at.wrapping_mul(2_654_435_761) >> 27).collect();
    for channels in [1, 2, 3, 4, 9] {
        let mut wanted = vec![0u32; 20 * channels];
        for (at, x) in x.iter().enumerate().filter(|(_, x)| **x < 20) {
            wanted[at % channels * 20 + *x as usize] += 1;
        }
        for choice in CHOICES {
            let got = summed(&device, &x, None, (&Edges::Numbers(20), 20, channels), choice);
            assert_eq!(got, wanted, "{channels}, {choice:?}");
        }
    }
}

#[test]
fn every_way_sums_whole_weights() {
    let device = Device::open("cpu").unwrap();
    let x: Vec<u32> = (0..9001u32).map(|at| at / 5 % 11).collect();
    let weights: Vec<u32> = (0..9001u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let mut wanted = vec![0u32; 10];
    for (x, weight) in x.iter().zip(&weights).filter(|(x, _)| **x < 10) {
        wanted[*x as usize] = wanted[*x as usize].wrapping_add(*weight);
    }
    for choice in CHOICES {
        let got = summed(&device, &x, Some((&weights, Sum::Integers)), (&Edges::Numbers(10), 10, 1), choice);
        assert_eq!(got, wanted, "{choice:?}");
    }
}

/// Compares the bits of sums with those of the exact sum, rounded once.
#[test]
fn every_way_sums_floats_to_the_same_bits() {
    let device = Device::open("cpu").unwrap();
    let x: Vec<u32> = (0..9001u32).map(|at| at.wrapping_mul(2_654_435_761) >> 16 & 15).collect();
    let weight = |at: u32| ((at.wrapping_mul(40_503) % 20_011) as f32 - 10_000.0) * 2f32.powi((at % 9) as i32 - 4);
    let mut weights: Vec<f32> = (0..9001).map(weight).collect();
    // One bin has subnormal numbers, others have infinities, one has NaN, and one the largest numbers.
    let special = [(1, f32::INFINITY), (2, f32::NEG_INFINITY), (3, f32::NAN), (4, f32::MAX)];
    for (x, weight) in x.iter().zip(&mut weights) {
        if let Some((_, value)) = special.iter().find(|(bin, _)| bin == x) {
            *weight = *value;
        } else if *x == 5 {
            *weight = f32::from_bits(weight.to_bits() >> 20);
        }
    }
    let both = x.iter().position(|x| *x == 6).unwrap();
    weights[both] = f32::INFINITY;
    let last = x.iter().rposition(|x| *x == 6).unwrap();
    weights[last] = f32::NEG_INFINITY;
    let mut sums = [0f64; 16];
    x.iter().zip(&weights).for_each(|(x, weight)| sums[*x as usize] += f64::from(*weight));
    let bits: Vec<u32> = weights.iter().map(|weight| weight.to_bits()).collect();
    for choice in CHOICES {
        let got = summed(&device, &x, Some((&bits, Sum::Floats)), (&Edges::Numbers(16), 16, 1), choice);
        for (bin, (got, wanted)) in got.iter().zip(&sums).enumerate() {
            let (got, wanted) = (f32::from_bits(*got), *wanted as f32);
            assert!(got == wanted || (got.is_nan() && wanted.is_nan()), "bin {bin}: {got} for {wanted}, {choice:?}");
        }
    }
}

#[test]
fn every_way_counts_the_same() {
    let device = Device::open("cpu").unwrap();
    let x: Vec<f32> =
        (0..20_011u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0 * 3.0 - 1.0).collect();
    let exact: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    for bins in [1, 2, 7, 256, 4096, 5000] {
        let edges: Vec<f64> = (0..=bins).map(|at| 1.5 * (at as f64 / bins as f64)).collect();
        let wanted = reference::histogram(&exact, &edges);
        for choice in CHOICES {
            assert_eq!(counted(&device, &x, &Edges::Even(bins, 0.0..1.5), bins, choice), wanted, "{bins}, {choice:?}");
            assert_eq!(counted(&device, &x, &Edges::Explicit(&edges), bins, choice), wanted, "{bins}, {choice:?}");
        }
    }
}

#[test]
fn edges_beyond_the_type_leave_bins_empty() {
    let device = Device::open("cpu").unwrap();
    let x = [0u32, 5, u32::MAX - 1, u32::MAX];
    let edges = [-3.5, 0.5, 4_294_967_294.5, 5e9, 6e9];
    for choice in CHOICES {
        assert_eq!(counted(&device, &x, &Edges::Explicit(&edges), 4, choice), [1, 2, 1, 0], "{choice:?}");
        assert_eq!(counted(&device, &x, &Edges::Explicit(&[5e9, 6e9]), 1, choice), [0], "{choice:?}");
        assert_eq!(counted(&device, &x, &Edges::Numbers(6), 6, choice), [1, 0, 0, 0, 0, 1], "{choice:?}");
    }
}

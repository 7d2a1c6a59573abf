//! Tests of every choice, against the reference.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, DeviceKind};
use half::{bf16, f16};

use super::super::every_device::devices;
use super::super::rows::numbers::{Float, HALF_OF_MIN_F16, numbers};
use super::plan::{Choice, Matrices, plan};
use super::reference::{self, Sizes};
use super::{Attention, OPERATOR, Operands, operands};
use crate::Device;
use crate::submit::Destination;

const CHOICES: [Choice; 7] = [
    Choice::Rows { parts: 1 },
    Choice::Rows { parts: 3 },
    Choice::Rows { parts: 100 },
    Choice::Keys { parts: 1 },
    Choice::Keys { parts: 2 },
    Choice::Keys { parts: 100 },
    Choice::Tiles,
];

/// Batches, heads, heads of keys; queries and keys; elements of keys and values.
const SHAPES: [[usize; 7]; 4] =
    [[2, 2, 1, 3, 5, 4, 4], [1, 2, 2, 70, 67, 33, 65], [1, 1, 1, 1, 200, 128, 130], [1, 1, 1, 33, 100, 256, 256]];

fn wide<T: Float>(all: &[T]) -> Vec<f64> {
    all.iter().map(|number| number.wide()).collect()
}

/// Compares a causal attention with a mask and a cap, for arrays that begin at element `skip` of their buffers.
fn check<T: Float>(device: &Device, shape: [usize; 7], choice: Choice, skip: usize) {
    let [_, _, _, queries, keys, ..] = shape;
    let options = Options { offset: keys as isize - queries as isize + 2, is_plain: false, growth: 0.0 };
    check_with::<T>(device, shape, options, choice, skip);
}

/// The options of an attention.
#[derive(Clone, Copy, Debug)]
struct Options {
    offset: isize,
    /// Whether there is neither a mask nor a cap.
    is_plain: bool,
    /// A part of the scores that grows with the keys, so that the greatest score changes many times.
    growth: f64,
}

fn check_with<T: Float>(device: &Device, shape: [usize; 7], options: Options, choice: Choice, skip: usize) {
    let [batches, heads, shared, queries, keys, size, size_of_value] = shape;
    let Options { offset, is_plain, growth } = options;
    let small = |count: usize, seed: usize| -> Vec<T> {
        numbers(count + seed)[seed..].iter().map(|number| T::of(number / 8.0)).collect()
    };
    let (planes, of_keys) = (batches * heads, batches * shared * keys);
    let (mut q, mut k) = (small(planes * queries * size, 1), small(of_keys * size, 2));
    if growth != 0.0 {
        q.iter_mut().step_by(size).for_each(|first| *first = T::of(1.0));
        k.iter_mut().step_by(size).enumerate().for_each(|(at, first)| *first = T::of((at % keys) as f64 * growth));
    }
    let (v, count) = (small(of_keys * size_of_value, 3), planes * queries * size_of_value);
    let flags: Vec<u32> = (0..queries * keys).map(|at| u32::from(at % 3 != 0)).collect();
    let sizes = Sizes { batches, heads, shared, queries, keys, size, size_of_value };
    let scale = f64::from((1.0 / (size as f64).sqrt()) as f32);
    let wanted = reference::attention(&wide(&q), &wide(&k), &wide(&v), sizes, |[_, _, query, key], product| {
        let counts = key as isize <= query as isize + offset && (is_plain || flags[query * keys + key] != 0);
        let score = if is_plain { product * scale } else { 2.0 * (product * scale / 2.0).tanh() };
        if counts { score } else { f64::NEG_INFINITY }
    });

    let padded = |array: &[T]| device.buffer_from(&[&vec![T::of(9.0); skip], array].concat()).unwrap();
    let (q_of, k_of, v_of, mut y_of) = (padded(&q), padded(&k), padded(&v), padded(&vec![T::of(9.0); count + 3]));
    let flags = device.buffer_from(&flags).unwrap();
    let attention = Attention::<T>::new([batches, heads, queries, size], [batches, shared, keys, size]);
    let mut attention = attention.value_size(size_of_value).causal(offset);
    if !is_plain {
        attention = attention.cap(2.0).mask(&flags, [queries, keys]);
    }
    let (q, k, v, y) = (q_of.slice(skip..), k_of.slice(skip..), v_of.slice(skip..), y_of.slice_mut(skip..skip + count));
    let operands = Operands {
        q: operands::bytes(OPERATOR, "q", &q).unwrap(),
        k: operands::bytes(OPERATOR, "k", &k).unwrap(),
        v: operands::bytes(OPERATOR, "v", &v).unwrap(),
        mask: (!is_plain).then(|| operands::bytes(OPERATOR, "mask", &flags.slice(..)).unwrap()),
        bias: None,
        y: operands::bytes_mut(OPERATOR, "y", &y).unwrap(),
    };
    let call = attention.call().unwrap();
    let planned = plan(&attention.shape(call.sizes, operands.are_aligned()), choice);
    operands.run(call, &planned, &mut Destination::Own).unwrap();
    let got = wide(&y_of.read().unwrap());
    let what = format!("{} {shape:?} {options:?} {choice:?} {skip}", device.caps().name);
    // Weights of cooperative matrices are rounded to `f16`, before they are multiplied with values of up to 1.
    let of_weights = if matches!(choice, Choice::Cooperative(_)) { 1.0 / 2048.0 } else { 0.0 };
    assert!(got[..skip].iter().chain(&got[skip + count..]).all(|other| *other == 9.0), "around: {what}");
    for (at, (got, wanted)) in got[skip..skip + count].iter().zip(wanted).enumerate() {
        let tolerance = (T::ROUNDING + 1e-5) * wanted.abs() + HALF_OF_MIN_F16 + 1e-5 + of_weights;
        assert!((got - wanted).abs() <= tolerance, "{what}, element {at}: {got} and not {wanted}");
    }
}

#[test]
fn every_choice_computes_the_same_on_every_device() {
    for device in devices() {
        for shape in SHAPES {
            for choice in CHOICES {
                check::<f32>(&device, shape, choice, 0);
                check::<f32>(&device, shape, choice, 1);
                check::<f16>(&device, shape, choice, 1);
                check::<bf16>(&device, shape, choice, 0);
            }
        }
    }
}

/// The subgroups of a device, if its kernels can have cooperative matrices at all.
fn matrices_of(device: &Device) -> Option<[Matrices; 2]> {
    let caps = device.caps();
    let features = Capabilities::COOPERATIVE_MATRIX
        | Capabilities::SHADER_FLOAT16
        | Capabilities::SUBGROUP
        | Capabilities::SUBGROUP_BARRIER;
    let (lanes, most) = caps.subgroup_size?;
    let has_warps = matches!(caps.backend, BackendKind::Cpu | BackendKind::Cuda);
    let is_possible = lanes == most && caps.shader.contains(features);
    is_possible.then(|| [false, has_warps].map(|warps| Matrices { lanes, warps }))
}

#[test]
fn cooperative_matrices_compute_the_same_on_every_device() {
    for device in devices() {
        let Some(all) = matrices_of(&device) else { continue };
        let plain = |offset, growth| Options { offset, is_plain: true, growth };
        // The processor's compiler takes seconds for a kernel, and has no room for larger ones.
        if device.caps().kind == DeviceKind::Software {
            let [ordered_by_workgroups, other] = all.map(Choice::Cooperative);
            check_with::<f16>(&device, [2, 2, 1, 33, 70, 32, 32], plain(1000, 0.0), ordered_by_workgroups, 0);
            check_with::<f16>(&device, [1, 1, 1, 130, 100, 32, 32], plain(-30, 0.0), ordered_by_workgroups, 4);
            check_with::<f16>(&device, [1, 1, 1, 20, 300, 32, 32], plain(280, 2.0), ordered_by_workgroups, 0);
            check::<f16>(&device, [1, 2, 1, 40, 90, 32, 32], other, 0);
            continue;
        }
        for choice in all.map(Choice::Cooperative) {
            check_with::<f16>(&device, [2, 2, 1, 33, 70, 64, 64], plain(1000, 0.0), choice, 0);
            check_with::<f16>(&device, [1, 1, 1, 130, 100, 128, 128], plain(-30, 0.0), choice, 4);
            check_with::<f16>(&device, [1, 1, 1, 20, 300, 32, 32], plain(1000, 2.0), choice, 0);
            check_with::<f16>(&device, [1, 1, 1, 20, 300, 96, 96], plain(280, -2.0), choice, 0);
            check::<f16>(&device, [1, 2, 1, 40, 90, 64, 64], choice, 0);
        }
    }
}

//! Tests of every choice, against the reference.

use half::{bf16, f16};

use super::super::rows::numbers::{Float, HALF_OF_MIN_F16, devices, numbers};
use super::plan::{Choice, plan};
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
    let [batches, heads, shared, queries, keys, size, size_of_value] = shape;
    let offset = keys as isize - queries as isize + 2;
    let small = |count: usize, seed: usize| -> Vec<T> {
        numbers(count + seed)[seed..].iter().map(|number| T::of(number / 8.0)).collect()
    };
    let (planes, of_keys) = (batches * heads, batches * shared * keys);
    let (q, k) = (small(planes * queries * size, 1), small(of_keys * size, 2));
    let (v, count) = (small(of_keys * size_of_value, 3), planes * queries * size_of_value);
    let flags: Vec<u32> = (0..queries * keys).map(|at| u32::from(at % 3 != 0)).collect();
    let sizes = Sizes { batches, heads, shared, queries, keys, size, size_of_value };
    let scale = f64::from((1.0 / (size as f64).sqrt()) as f32);
    let wanted = reference::attention(&wide(&q), &wide(&k), &wide(&v), sizes, |[_, _, query, key], product| {
        let counts = key as isize <= query as isize + offset && flags[query * keys + key] != 0;
        if counts { 2.0 * (product * scale / 2.0).tanh() } else { f64::NEG_INFINITY }
    });

    let padded = |array: &[T]| device.buffer_from(&[&vec![T::of(9.0); skip], array].concat()).unwrap();
    let (q_of, k_of, v_of, mut y_of) = (padded(&q), padded(&k), padded(&v), padded(&vec![T::of(9.0); count + 3]));
    let flags = device.buffer_from(&flags).unwrap();
    let attention = Attention::<T>::new([batches, heads, queries, size], [batches, shared, keys, size]);
    let attention = attention.value_size(size_of_value).causal(offset).cap(2.0).mask(&flags, [queries, keys]);
    let (q, k, v, y) = (q_of.slice(skip..), k_of.slice(skip..), v_of.slice(skip..), y_of.slice_mut(skip..skip + count));
    let operands = Operands {
        q: operands::bytes(OPERATOR, "q", &q).unwrap(),
        k: operands::bytes(OPERATOR, "k", &k).unwrap(),
        v: operands::bytes(OPERATOR, "v", &v).unwrap(),
        mask: Some(operands::bytes(OPERATOR, "mask", &flags.slice(..)).unwrap()),
        bias: None,
        y: operands::bytes_mut(OPERATOR, "y", &y).unwrap(),
    };
    let call = attention.call().unwrap();
    let planned = plan(&attention.shape(call.sizes), choice);
    operands.run(call, &planned, &mut Destination::Own).unwrap();
    let got = wide(&y_of.read().unwrap());
    let what = format!("{} {shape:?} {choice:?} {skip}", device.caps().name);
    assert!(got[..skip].iter().chain(&got[skip + count..]).all(|other| *other == 9.0), "around: {what}");
    for (at, (got, wanted)) in got[skip..skip + count].iter().zip(wanted).enumerate() {
        let tolerance = (T::ROUNDING + 1e-5) * wanted.abs() + HALF_OF_MIN_F16 + 1e-5;
        assert!((got - wanted).abs() <= tolerance, "{what}, element {at}: {got} and not {wanted}");
    }
}

#[test]
fn every_choice_computes_the_same() {
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

//! Tests of every choice against the reference.

use super::plan::{Choice, plan};
use super::reference;
use super::run::{Operands, Values};
use super::{KeyOrder, SortKey};
use crate::Device;
use crate::submit::Destination;

const CHOICES: [Choice; 4] =
    [Choice::Pieces { most: 1 }, Choice::Pieces { most: 7 }, Choice::Pieces { most: 100_000 }, Choice::Tiles];

/// Returns sorted keys, many of which are equal.
fn sorted<K: SortKey + PartialOrd>(count: usize, seed: u64, descending: bool) -> Vec<K> {
    let mut state = seed | 1;
    let mut keys = Vec::new();
    while keys.len() < count {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let bits = if state & (1 << 20) == 0 { state & (0xf << 60) } else { state };
        let key: K = bytemuck::pod_read_unaligned(&(bits >> (64 - K::BITS)).to_le_bytes()[..size_of::<K>()]);
        if key.partial_cmp(&key).is_some() {
            keys.push(key);
        }
    }
    keys.sort_by(|a, b| a.partial_cmp(b).unwrap());
    if descending {
        keys.reverse();
    }
    keys
}

fn check<K: SortKey + PartialOrd>(device: &Device, choice: Choice, [n, m]: [usize; 2], descending: bool) {
    let said = format!("{n} and {m} keys of {}, {choice:?}, descending {descending}", std::any::type_name::<K>());
    let (a, b) = (sorted::<K>(n, 3, descending), sorted::<K>(m, 4, descending));
    let (of_a, of_b): (Vec<u64>, Vec<u64>) = ((0..n as u64).collect(), (0..m as u64).map(|at| !at).collect());
    let order = reference::merge(&a, &b, descending);
    let wanted: Vec<K> = order.iter().map(|(array, at)| if *array == 0 { a[*at] } else { b[*at] }).collect();
    let wanted_values: Vec<u64> = order.iter().map(|(array, at)| [&of_a, &of_b][*array][*at]).collect();
    let around = |keys: &[K]| [&[K::zeroed(); 3][..], keys, &[K::zeroed(); 2]].concat();
    let (x, y) = (device.buffer_from(&a).unwrap(), device.buffer_from(&around(&b)).unwrap());
    let (v, w) = (device.buffer_from(&of_a).unwrap(), device.buffer_from(&of_b).unwrap());
    let mut merged = device.buffer_from(&around(&vec![K::zeroed(); n + m])).unwrap();
    let mut values = device.buffer::<u64>(n + m).unwrap();
    let operands = Operands {
        a: x.slice(..),
        b: y.slice(3..3 + m),
        merged: merged.slice_mut(3..3 + n + m),
        values: Some(Values { a: v.slice(..), b: w.slice(..), merged: values.slice_mut(..) }),
    };
    let order = KeyOrder::of::<K>(descending);
    let shape = operands.shape(&order).unwrap();
    operands.run(&order, shape, &plan(shape, choice), &mut Destination::Own).unwrap();
    assert_eq!(*values.read().unwrap(), wanted_values[..], "values: {said}");
    let bytes = |keys: &[K]| bytemuck::cast_slice::<K, u8>(keys).to_vec();
    assert_eq!(bytes(&merged.read().unwrap()), bytes(&around(&wanted)), "keys: {said}");
}

#[test]
fn every_choice_merges() {
    let device = Device::open("cpu").unwrap();
    for choice in CHOICES {
        for lengths in [[0, 0], [0, 1], [1, 0], [5, 3], [1023, 1], [1000, 1100], [1, 3000]] {
            for descending in [false, true] {
                check::<u8>(&device, choice, lengths, descending);
                check::<half::f16>(&device, choice, lengths, descending);
                check::<f32>(&device, choice, lengths, descending);
                check::<i64>(&device, choice, lengths, descending);
            }
        }
    }
}

//! Tests of every choice, compared with the reference implementation.

use anywarp_testing::random::Random;

use super::choice::{Choice, Form};
use super::plan::{Shape, Values, plan};
use super::run::{Operand, Operands};
use super::{SortKey, reference};
use crate::Device;
use crate::submit::Destination;

/// The choices that are possible on the processor, where subgroups have 8 invocations.
fn choices() -> Vec<Choice> {
    let forms = [Form::Pieces, Form::Workgroups, Form::Subgroups { threads: 64 }];
    let of_form = |form: Form| [1, 3, 100].map(|most| Choice::Digits { form, most });
    forms.into_iter().flat_map(of_form).chain([Choice::Small, Choice::Sweep { threads: 64 }]).collect()
}

/// Returns random numbers.
fn random(count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.bits()).collect()
}

/// Checks a sort of the keys with values of 8 bytes, in place or not, and an argsort of the keys. Elements around the
/// slices must be unchanged.
fn check<K: SortKey + PartialOrd>(device: &Device, choice: Choice, keys: &[K], descending: bool, in_place: bool) {
    let length = keys.len();
    let said = format!(
        "{length} keys of {}, {choice:?} on {}, descending {descending}, in place {in_place}",
        std::any::type_name::<K>(),
        device.selector()
    );
    let order = reference::argsort(keys, descending);
    let around = |keys: &[K]| [&[K::zeroed(); 3][..], keys, &[K::zeroed(); 2]].concat();
    let wanted_keys = around(&order.iter().map(|at| keys[*at as usize]).collect::<Vec<_>>());
    let wanted_values: Vec<[u32; 2]> = order.iter().map(|at| [*at, !*at]).collect();
    let shape = |values, in_place| Shape {
        length: length as u64,
        key_bits: K::BITS,
        kind: K::KIND,
        bits: 0..K::BITS,
        descending,
        values,
        in_place,
    };
    let part = 3..3 + length;
    let x = device.buffer_from(&around(keys)).unwrap();
    let mut y = device.buffer_from(&around(if in_place { keys } else { &[] })).unwrap();
    let values: Vec<[u32; 2]> = (0..length as u32).map(|at| [at, !at]).collect();
    let v = device.buffer_from(&values).unwrap();
    let mut w = device.buffer_from(&values).unwrap();
    if !in_place {
        y = device.buffer_from(&around(&vec![K::zeroed(); length])).unwrap();
        w.fill([7, 7]).unwrap();
    }
    let given = |in_place: bool| (!in_place).then(|| ("x", x.slice(part.clone())));
    let keys_only = Operand { given: given(in_place), result: Some(("y", y.slice_mut(part.clone()))) };
    let values_too = Operand { given: (!in_place).then(|| ("v", v.slice(..))), result: Some(("w", w.slice_mut(..))) };
    let shape_of_pairs = shape(Values::Given { words: 2 }, in_place);
    let operands = Operands { keys: keys_only, values: Some(values_too) };
    operands.run(&shape_of_pairs, &plan(&shape_of_pairs, choice), &mut Destination::Own).unwrap();
    let bytes = |keys: &[K]| bytemuck::cast_slice::<K, u8>(keys).to_vec();
    assert_eq!(*w.read().unwrap(), wanted_values[..], "values: {said}");
    assert_eq!(bytes(&y.read().unwrap()), bytes(&wanted_keys), "keys: {said}");

    let mut indices = device.buffer_from(&vec![9u32; length]).unwrap();
    let sorted = Operand { given: None, result: Some(("indices", indices.slice_mut(..))) };
    let operands = Operands { keys: Operand { given: given(false), result: None }, values: Some(sorted) };
    let shape_of_indices = shape(Values::Indices, false);
    operands.run(&shape_of_indices, &plan(&shape_of_indices, choice), &mut Destination::Own).unwrap();
    assert_eq!(*indices.read().unwrap(), order[..], "indices: {said}");
    assert_eq!(bytes(&x.read().unwrap()), bytes(&around(keys)), "the keys of an argsort: {said}");
}

#[test]
fn every_choice_sorts_every_length() {
    let device = Device::open("cpu").unwrap();
    for choice in choices() {
        for length in [1, 2, 257, 895, 896, 897, 3327, 3328, 3329, 20_011] {
            let keys: Vec<u32> = random(length, 1).into_iter().map(|bits| bits as u32 & 0xff00_ffff).collect();
            check(&device, choice, &keys, length % 2 == 0, length % 3 == 0);
        }
    }
}

#[test]
fn every_choice_sorts_every_type() {
    fn of<K: SortKey + PartialOrd>(device: &Device, choice: Choice) {
        for (descending, in_place) in [(false, false), (true, true), (false, true)] {
            // The keys are extremes, numbers of few bits, and random numbers, so that most keys have equal keys.
            let mut keys: Vec<K> = Vec::new();
            for (at, bits) in random(5003, 7).into_iter().enumerate() {
                let bits = match at % 4 {
                    0 => [0, 1 << 63, u64::MAX, 0x7ff0 << 48, 0xfff0 << 48, 0x7f80 << 48, 0x7c00 << 48]
                        [bits as usize % 7],
                    1 => bits << 60,
                    2 => bits % 16,
                    _ => bits,
                };
                let upper = bits >> (64 - K::BITS);
                keys.push(bytemuck::pod_read_unaligned(&upper.to_le_bytes()[..size_of::<K>()]));
            }
            check(device, choice, &keys, descending, in_place);
        }
    }
    let device = Device::open("cpu").unwrap();
    for choice in choices().into_iter().filter(|choice| !matches!(choice, Choice::Digits { most: 1 | 100, .. })) {
        of::<u8>(&device, choice);
        of::<i8>(&device, choice);
        of::<u16>(&device, choice);
        of::<i16>(&device, choice);
        of::<half::f16>(&device, choice);
        of::<half::bf16>(&device, choice);
        of::<u32>(&device, choice);
        of::<i32>(&device, choice);
        of::<f32>(&device, choice);
        of::<u64>(&device, choice);
        of::<i64>(&device, choice);
        of::<f64>(&device, choice);
    }
}

#[test]
fn every_choice_sorts_segments() {
    use super::Sort;
    use super::segments::{self, Segments};
    let device = Device::open("cpu").unwrap();
    let offsets = [0u32, 3, 3, 900, 1000];
    let keys: Vec<i16> = random(1800, 4).iter().map(|bits| (*bits >> 58) as i16 - 20).collect();
    for (choice, descending) in [
        (segments::Choice::Rows, false),
        (segments::Choice::Rows, true),
        (segments::Choice::Passes, false),
        (segments::Choice::Passes, true),
    ] {
        let bounds = [0, 3, 900, 1000, 1800];
        let of = |pair: &[usize]| {
            let order = reference::argsort(&keys[pair[0]..pair[1]], descending);
            order.into_iter().map(|at| at + pair[0] as u32).collect::<Vec<_>>()
        };
        let wanted: Vec<u32> = bounds.windows(2).flat_map(of).collect();
        let x = device.buffer_from(&keys).unwrap();
        let mut indices = device.buffer::<u32>(keys.len()).unwrap();
        let sort = if descending { Sort::new().descending() } else { Sort::new() };
        let operands = Operands {
            keys: Operand { given: Some(("x", x.slice(..))), result: None },
            values: Some(Operand { given: None, result: Some(("indices", indices.slice_mut(..))) }),
        };
        segments::call(sort, &operands, Values::Indices, (Segments::Host(&offsets), Some(choice))).unwrap();
        assert_eq!(*indices.read().unwrap(), wanted[..], "{choice:?}, descending {descending}");
    }
}

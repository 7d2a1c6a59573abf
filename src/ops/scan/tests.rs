//! Tests of every form of a scan, compared with the reference implementation.

use super::super::every_device::devices;
use super::super::operation::arguments::Array;
use super::super::scanning::element::{ScanElement, element};
use super::super::scanning::monoid::Monoid;
use super::super::scanning::sizes::Chain;
use super::plan::{Choice, plan};
use super::reference;
use super::run::{Call, Heads, Operands};
use crate::Device;
use crate::submit::Destination;

const CHOICES: [Choice; 10] = [
    Choice::Chained,
    Choice::Tiles,
    Choice::Vectors { each: 4, chained: true },
    Choice::Vectors { each: 2, chained: false },
    Choice::Lines { parts: 1 },
    Choice::Lines { parts: 3 },
    Choice::Lines { parts: 100 },
    Choice::Walks { parts: 1 },
    Choice::Walks { parts: 3 },
    Choice::Walks { parts: 100 },
];

fn call<'a>(monoid: &'a Monoid, heads: &'a Heads<'a>, lines: [usize; 3], exclusive: bool, reverse: bool) -> Call<'a> {
    let element = element::<u32>();
    Call {
        monoid,
        element,
        heads,
        lines,
        exclusive,
        reverse,
        in_place: false,
        vectors: None,
        window: None,
        chain: Chain::TESTED,
    }
}

fn scanned<T: ScanElement>(device: &Device, x: &[T], call: &Call<'_>, choice: Choice) -> Vec<T> {
    let input = device.buffer_from(x).unwrap();
    let mut y = if call.in_place { device.buffer_from(x).unwrap() } else { device.buffer::<T>(x.len()).unwrap() };
    let input = (!call.in_place).then(|| Array::new::<T>(&input));
    let operands = Operands { x: input, y: Array::new::<T>(&mut y) };
    let call = &Call { vectors: operands.vectors(), ..*call };
    let planned = plan(call.shape(), choice);
    operands.run(call, &planned, &mut Destination::Own).unwrap();
    y.read().unwrap().to_vec()
}

fn numbers(length: usize) -> Vec<u32> {
    (0..length as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect()
}

#[test]
fn every_form_scans_alike_on_every_device() {
    let (monoid, none) = (Monoid::Sum, Heads::default());
    for device in devices() {
        for length in [1, 255, 3328, 3329, 40_009, 40_960, 40_964] {
            let x = numbers(length);
            for [exclusive, reverse] in [[false, false], [true, false], [false, true], [true, true]] {
                let lines = [1, length, 1];
                let wanted = reference::scan(&x, lines, [exclusive, reverse], |_| false, 0, u32::wrapping_add);
                for choice in CHOICES {
                    for in_place in [false, true] {
                        let call = Call { in_place, ..call(&monoid, &none, lines, exclusive, reverse) };
                        let got = scanned(&device, &x, &call, choice);
                        assert!(got == wanted, "{length} {choice:?} {exclusive} {reverse} {in_place}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_form_scans_rows_and_segments_on_every_device() {
    let monoid = Monoid::Sum;
    for device in devices() {
        for lines in [[7, 1000, 1], [5, 4001, 1], [40, 25, 8], [1, 9000, 1]] {
            let length = lines[0] * lines[1];
            let (x, none) = (numbers(length), Heads::default());
            let flags: Vec<u32> = numbers(length).iter().map(|x| u32::from(x % 700 == 0)).collect();
            let flags_on_device = device.buffer_from(&flags).unwrap();
            let heads = Heads { flags: Some(Array::new::<u32>(&flags_on_device)), ..Heads::default() };
            for [exclusive, reverse] in [[false, false], [true, false], [false, true], [true, true]] {
                let is_head = |at: usize| lines[0] == 1 && flags[at] != 0;
                let wanted = reference::scan(&x, lines, [exclusive, reverse], is_head, 0, u32::wrapping_add);
                for choice in CHOICES {
                    let heads = if lines[0] == 1 { &heads } else { &none };
                    let got = scanned(&device, &x, &call(&monoid, heads, lines, exclusive, reverse), choice);
                    let at = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
                    assert!(at.is_none(), "{lines:?} {choice:?} {exclusive} {reverse}: element {at:?}");
                }
            }
        }
    }
}

/// Half of the tiles publish nothing, so the workgroups of later tiles have to sum them. The operation is not
/// commutative, so a wrong order of its operands changes the results.
#[test]
fn tiles_that_never_publish_are_summed_by_others_on_every_device() {
    let monoid = Monoid::Own {
        // The upper 16 bits are the last ones that are not zero; the lower 16 bits count the values so far.
        combine:
            "select((a & 0xffff0000u) | ((a + b) & 0xffffu), (b & 0xffff0000u) | ((a + b) & 0xffffu), b > 0xffffu)"
                .to_owned(),
        identity: "0".to_owned(),
        preamble: String::new(),
    };
    let combine = |a: u32, b: u32| (if b > 0xffff { b } else { a } & 0xffff_0000) | (a.wrapping_add(b) & 0xffff);
    let length = 40 * 4096 + 8;
    let x: Vec<u32> = numbers(length).iter().map(|x| if x % 3000 == 0 { x << 16 | 1 } else { 1 }).collect();
    let flags: Vec<u32> = numbers(length).iter().map(|x| u32::from(x % 4001 == 0)).collect();
    for device in devices() {
        let flags_on_device = device.buffer_from(&flags).unwrap();
        let segments = Heads { flags: Some(Array::new::<u32>(&flags_on_device)), ..Heads::default() };
        for (heads, segmented) in [(&Heads::default(), false), (&segments, true)] {
            let is_head = |at: usize| segmented && flags[at] != 0;
            let wanted = reference::scan(&x, [1, length, 1], [false; 2], is_head, 0, combine);
            for silent in [false, true] {
                for choice in [Choice::Chained, Choice::Vectors { each: 4, chained: true }] {
                    let chain = Chain { silent, ..Chain::TESTED };
                    let call = Call { chain, ..call(&monoid, heads, [1, length, 1], false, false) };
                    let got = scanned(&device, &x, &call, choice);
                    let at = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
                    assert!(at.is_none(), "{choice:?} {silent} {segmented}: element {at:?}");
                }
            }
        }
    }
}

/// The bits of float sums depend neither on which published tile a workgroup finds first, nor on which workgroup sums a
/// tile.
#[test]
fn float_sums_have_the_same_bits_with_and_without_the_fallback_on_every_device() {
    let x: Vec<f32> = numbers(100_000).iter().map(|x| (*x as f32 - 2000.0) * 1.37).collect();
    let (monoid, none) = (Monoid::Sum, Heads::default());
    for device in devices() {
        let sums = |silent, choice| {
            let call = call(&monoid, &none, [1, x.len(), 1], false, false);
            let call = Call { element: element::<f32>(), chain: Chain { silent, ..Chain::TESTED }, ..call };
            bytemuck::cast_vec::<f32, u32>(scanned(&device, &x, &call, choice))
        };
        for choice in [Choice::Chained, Choice::Vectors { each: 4, chained: true }] {
            assert!(sums(false, choice) == sums(true, choice), "{choice:?}");
        }
    }
}

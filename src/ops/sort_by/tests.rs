//! Tests of every choice, compared with the sort of Rust.

use super::operands;
use super::plan::{Choice, plan};
use super::run::{Call, Operands};
use super::{Array, OPERATOR, element, shape};
use crate::Device;
use crate::submit::Destination;

fn check(device: &Device, choice: Choice, length: usize, in_place: bool) {
    let keys: Vec<[u32; 2]> = (0..length as u32).map(|at| [at.wrapping_mul(2_654_435_761) >> 24, at]).collect();
    let mut wanted = keys.clone();
    wanted.sort_by_key(|key| key[0] ^ 5);
    let (x, mut y) =
        (device.buffer_from(&keys).unwrap(), device.buffer_from(&[&[[7, 7]; 3][..], &keys].concat()).unwrap());
    let call = Call { comparison: "(x.x ^ 5u) < (y.x ^ 5u)", preamble: "", element: element::<[u32; 2]>() };
    let given = (!in_place).then(|| Array::new::<[u32; 2]>(x.slice(..)));
    let operands = Operands { x: given, y: Array::new::<[u32; 2]>(y.slice_mut(3..)) };
    assert_eq!(operands::length(OPERATOR, "y", &operands.y).unwrap(), length);
    let shape = shape::<[u32; 2]>(length, in_place).unwrap();
    call.run(&operands, shape, &plan(shape, choice), &mut Destination::Own).unwrap();
    assert_eq!(y.read().unwrap()[..3], [[7, 7]; 3]);
    assert_eq!(y.read().unwrap()[3..], wanted, "{length} elements, {choice:?}, in place {in_place}");
}

#[test]
fn every_choice_sorts() {
    let device = Device::open("cpu").unwrap();
    for choice in [Choice::Tiles, Choice::Runs { most: 1 }, Choice::Runs { most: 5 }, Choice::Runs { most: 1 << 20 }] {
        for length in [0, 1, 2, 31, 32, 33, 511, 512, 513, 1025, 2049, 5000] {
            check(&device, choice, length, false);
            check(&device, choice, length, true);
        }
    }
}

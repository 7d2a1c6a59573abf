//! Tests of each combination and cell of a scatter, compared with the reference implementations.

use half::{bf16, f16};

use super::super::moving::indices::{Along, Outside};
use super::super::moving::operands;
use super::super::take::reference as take;
use super::elements::{Kind, Operation};
use super::plan::{self, Choice, Combination, Shape};
use super::run::{Call, Operands};
use super::{OPERATOR, ScatterElement, reference};
use crate::Device;
use crate::element::Element;
use crate::submit::Destination;

/// An operation in plain Rust.
type Combine<T> = fn(T, T) -> T;

/// Returns the result of a scatter with this combination and cells of at most `widest` bytes.
fn scattered<T: Element + PartialEq>(
    device: &Device,
    [x, y]: [&[T]; 2],
    indices: &[i32],
    (along, outside, before): (Along, Outside, usize),
    (combination, operation, widest): (Combination, Option<(Operation, Kind)>, u64),
) -> Vec<T> {
    let padded = |all: &[T]| [vec![y[0]; before], all.to_vec(), vec![y[0]; 3]].concat();
    let (x, chosen) = (device.buffer_from(&padded(x)).unwrap(), device.buffer_from(indices).unwrap());
    let mut target = device.buffer_from(&padded(y)).unwrap();
    {
        let (x, target) = (x.slice(before..x.len() - 3), target.slice_mut(before..before + y.len()));
        let operands = Operands {
            x: operands::bytes(OPERATOR, "x", &x).unwrap(),
            indices: operands::bytes(OPERATOR, "indices", &chosen.slice(..)).unwrap(),
            y: operands::bytes_mut(OPERATOR, "y", &target).unwrap(),
        };
        let element = size_of::<T>() as u64;
        let starts = [operands::start(&operands.x), operands::start_mut(&operands.y)];
        let shape = Shape { along, combination, element, index: 4, starts };
        let unique = combination == Combination::Set { unique: true };
        let call = Call { along, index: (4, true), outside, unique, element, operation };
        operands.run(&call, &plan::plan(&shape, Choice { widest }), &mut Destination::Own).unwrap();
    }
    let all = target.read().unwrap();
    assert!(all[..before].iter().chain(&all[before + y.len()..]).all(|other| *other == y[0]), "around y");
    all[before..before + y.len()].to_vec()
}

const INDICES: [i32; 9] = [3, 0, -1, 3, 7, -9, 2, 3, -1];
const SHAPE: [usize; 3] = [2, 6, 8];

fn each_axis(check: impl Fn(Along, &[i32], Outside, &[Option<usize>])) {
    for (axis, shared) in [(0, true), (1, true), (2, true), (1, false), (2, false)] {
        let inner: usize = SHAPE[axis + 1..].iter().product();
        let outer: usize = SHAPE[..axis].iter().product();
        let indices = if shared { INDICES.to_vec() } else { INDICES.repeat(outer * inner) };
        let wide: Vec<i128> = indices.iter().map(|index| i128::from(*index)).collect();
        let along = Along::of::<u8>(OPERATOR, "y", &SHAPE, axis, (indices.len(), shared)).unwrap();
        for (outside, how) in [
            (Outside::Nowhere, take::Outside::Nowhere),
            (Outside::Clip, take::Outside::Clip),
            (Outside::Wrap, take::Outside::Wrap),
        ] {
            check(along, &indices, outside, &take::places([outer, SHAPE[axis], inner], &wide, shared, how));
        }
    }
}

fn last_one_wins<T: Element + PartialEq + std::fmt::Debug>(from: fn(usize) -> T) {
    let device = Device::open("cpu").unwrap();
    each_axis(|along, indices, outside, places| {
        let x: Vec<T> = (0..places.len()).map(|at| from(at + 1)).collect();
        let y = vec![from(0); SHAPE.iter().product()];
        let mut wanted = y.clone();
        reference::scatter(&mut wanted, &x, places, |_, x| x);
        for before in [0, 1, 4] {
            for widest in [4, 8, 16] {
                let way = (Combination::Set { unique: false }, None, widest);
                let got = scattered(&device, [&x, &y], indices, (along, outside, before), way);
                assert_eq!(got, wanted, "{along:?}, {outside:?}, {before} before, cells up to {widest}");
            }
        }
    });
}

#[test]
fn the_last_one_wins_for_elements_of_every_size() {
    last_one_wins(|at| (at % 251) as u8);
    last_one_wins(|at| at as u16);
    last_one_wins(|at| at as f32);
    last_one_wins(|at| at as u64);
    last_one_wins(|at| [at as u32; 4]);
    last_one_wins(|at| [at as u8; 3]);
}

fn combined<T: ScatterElement + PartialEq + std::fmt::Debug>(
    from: fn(usize) -> T,
    operations: [(Operation, Combine<T>); 4],
) {
    let device = Device::open("cpu").unwrap();
    each_axis(|along, indices, outside, places| {
        let x: Vec<T> = (0..places.len()).map(|at| from(at + 7)).collect();
        let y: Vec<T> = (0..SHAPE.iter().product()).map(from).collect();
        for (operation, combine) in operations {
            let mut wanted = y.clone();
            reference::scatter(&mut wanted, &x, places, combine);
            for combination in [Combination::Any, Combination::Ordered] {
                let kind = T::KIND;
                let possible = match combination {
                    Combination::Ordered => kind.bits == 64 || operation.rounds(kind),
                    _ => operation.is_atomic(kind),
                };
                if possible {
                    let way = (combination, Some((operation, kind)), 16);
                    let got = scattered(&device, [&x, &y], indices, (along, outside, 1), way);
                    assert_eq!(got, wanted, "{operation:?}, {combination:?}, {along:?}, {outside:?}");
                }
            }
        }
    });
}

/// The floats are chosen so that their sums and products are exact.
#[test]
fn every_way_combines_the_same() {
    macro_rules! integers {
        ($($integer:ident),*) => {$(
            combined::<$integer>(
                |at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(24) as $integer,
                [
                    (Operation::Add, $integer::wrapping_add),
                    (Operation::Multiply, $integer::wrapping_mul),
                    (Operation::Min, $integer::min),
                    (Operation::Max, $integer::max),
                ],
            );
        )*};
    }
    macro_rules! floats {
        ($($float:ident),*) => {$(
            combined::<$float>(
                |at| [1i8, -2, 8, -1, 4].map($float::from)[at % 5],
                [
                    (Operation::Add, |a, b| a + b),
                    (Operation::Multiply, |a, b| a * b),
                    (Operation::Min, $float::min),
                    (Operation::Max, $float::max),
                ],
            );
        )*};
    }
    integers! { u8, u16, u32, u64, i8, i16, i32, i64 }
    floats! { f16, bf16, f32, f64 }
}

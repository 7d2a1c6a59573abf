//! Tests of each size of cells, compared with the reference implementation.

use super::super::moving::indices::{Along, Outside};
use super::super::moving::operands;
use super::plan::{self, Choice, Shape};
use super::run::{Call, Operands};
use super::{OPERATOR, reference};
use crate::Device;
use crate::submit::Destination;

const MODES: [(Outside, reference::Outside); 3] = [
    (Outside::Nowhere, reference::Outside::Nowhere),
    (Outside::Clip, reference::Outside::Clip),
    (Outside::Wrap, reference::Outside::Wrap),
];

#[test]
fn every_cell_moves_the_same_elements() {
    let device = Device::open("cpu").unwrap();
    let shape = [3usize, 7, 16];
    let x: Vec<u8> = (0..3 * 7 * 16 + 16).map(|at| (at * 7 % 251) as u8).collect();
    let given = [0i32, 6, -1, -7, 7, -8, 100, 3, i32::MIN, i32::MAX];
    for (axis, shared) in [(0, true), (1, true), (2, true), (1, false)] {
        let inner: usize = shape[axis + 1..].iter().product();
        let outer: usize = shape[..axis].iter().product();
        let indices: Vec<i32> = if shared { given.to_vec() } else { given.repeat(outer * inner) };
        let wide: Vec<i128> = indices.iter().map(|index| i128::from(*index)).collect();
        let along = Along::of::<u8>(OPERATOR, "x", &shape, axis, (indices.len(), shared)).unwrap();
        for before in [0, 1, 4, 8, 16] {
            for widest in [4, 8, 16] {
                for (outside, how) in MODES {
                    for keep in [false, true] {
                        let places = reference::places([outer, shape[axis], inner], &wide, shared, how);
                        let other = if keep { 222 } else { 111 };
                        let wanted: Vec<u8> = places.iter().map(|at| at.map_or(other, |at| x[before + at])).collect();
                        let source = device.buffer_from(&x).unwrap();
                        let chosen = device.buffer_from(&indices).unwrap();
                        let mut y = device.buffer_from(&vec![222u8; wanted.len() + 32]).unwrap();
                        {
                            let y = y.slice_mut(before..before + wanted.len());
                            let operands = Operands {
                                x: source.slice(before..before + 3 * 7 * 16),
                                indices: operands::bytes(OPERATOR, "indices", &chosen.slice(..)).unwrap(),
                                y: operands::bytes_mut(OPERATOR, "y", &y).unwrap(),
                            };
                            let starts = [before as u64; 2];
                            let plan = plan::plan(&Shape { along, element: 1, index: 4, starts }, Choice { widest });
                            let index = (4, true);
                            let call = Call { along, index, outside, keep, element: 1, fill: vec![111] };
                            operands.run(&call, &plan, &mut Destination::Own).unwrap();
                        }
                        let got = y.read().unwrap();
                        let what = format!("axis {axis}, {before} before, cells up to {widest}, {outside:?}, {keep}");
                        assert_eq!(got[before..before + wanted.len()], wanted[..], "{what}");
                        let others = got[..before].iter().chain(&got[before + wanted.len()..]);
                        assert!(others.into_iter().all(|byte| *byte == 222), "{what}");
                    }
                }
            }
        }
    }
}

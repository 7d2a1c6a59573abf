//! Tests of each choice of commands for a rearrangement, against the reference.

use std::fmt::Debug;

use super::super::moving::launch::Move;
use super::super::moving::operands;
use super::super::moving::plan::{Choice, Pass, plan};
use super::reference::{self, Around};
use super::{OPERATOR, Pad, Rearrange, steps};
use crate::Device;
use crate::element::Element;
use crate::submit::Destination;

const CHOICES: [Choice; 4] = [
    Choice { copies: true, tiles: true, widest: 16 },
    Choice { copies: false, tiles: false, widest: 16 },
    Choice { copies: false, tiles: true, widest: 8 },
    Choice { copies: false, tiles: false, widest: 4 },
];

/// Compares every choice with the reference, for arrays that begin at several offsets.
fn check<T: Element + Debug + PartialEq>(
    device: &Device,
    shape: &[usize],
    change: &reference::Change,
    call: impl Fn() -> Rearrange<'static, T>,
) {
    let count: usize = shape.iter().product();
    let bytes = size_of::<T>();
    let elements = |seed: usize, count: usize| -> Vec<T> {
        let all: Vec<u8> = (0..count * bytes).map(|at| ((at + seed) * 167 % 251) as u8).collect();
        all.chunks(bytes).map(bytemuck::pod_read_unaligned).collect()
    };
    let fill = elements(99, 1)[0];
    for [before_x, before_y] in [[0, 0], [1, 3], [4, 8]] {
        let x = elements(1, count + before_x);
        let (target, wanted) = reference::rearrange(&x[before_x..], shape, change, fill);
        let call = call();
        assert_eq!(call.shape().unwrap(), target, "{change:?}");
        let x = device.buffer_from(&x).unwrap();
        let around = elements(7, wanted.len() + before_y + 5);
        for choice in CHOICES {
            let mut y = device.buffer_from(&around).unwrap();
            {
                let end = before_y + wanted.len();
                let (x, y) = (x.slice(before_x..), y.slice_mut(before_y..end));
                let x = operands::bytes(OPERATOR, "x", &x).unwrap();
                let y = operands::bytes_mut(OPERATOR, "y", &y).unwrap();
                let maps = call.change.maps(OPERATOR, shape).unwrap();
                let layout = call.change.layout(bytes as u64, shape, &maps);
                let starts = [operands::start(&x), operands::start_mut(&y)];
                let moved = Move { operator: OPERATOR, x: &x, y: &y, fill: bytemuck::bytes_of(&fill) };
                if let Some(pass) = plan(&layout, starts, choice) {
                    moved.run(&pass, Destination::Own).unwrap();
                }
            }
            let got = y.read().unwrap();
            let what =
                format!("{shape:?} {change:?} of {}, {before_x} and {before_y} before, {choice:?}", T::layout().name);
            assert_eq!(bits(&got[before_y..before_y + wanted.len()]), bits(&wanted), "{what}");
            assert_eq!(bits(&got[..before_y]), bits(&around[..before_y]), "{what}: before");
            let behind = before_y + wanted.len()..;
            assert_eq!(bits(&got[behind.clone()]), bits(&around[behind]), "{what}: behind");
        }
    }
}

/// The bytes of elements, which are compared as elements may be NaN.
fn bits<T: Element>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}

fn every_change<T: Element + Debug + PartialEq>(device: &Device) {
    use reference::Change;
    for shape in [[3, 40, 37], [1, 64, 64], [2, 33, 4], [5, 1, 7]] {
        for axes in [[0, 2, 1], [2, 1, 0], [1, 0, 2], [0, 1, 2], [2, 0, 1]] {
            check::<T>(device, &shape, &Change::Permute(axes.to_vec()), || Rearrange::permute(shape, &axes));
        }
    }
    check::<T>(device, &[3, 4, 5], &Change::Flip(vec![0, 2]), || Rearrange::flip([3, 4, 5], &[0, 2]));
    let shifts = [(1, -3), (0, 7), (1, 1)];
    check::<T>(device, &[3, 5, 4], &Change::Roll(shifts.to_vec()), || Rearrange::roll([3, 5, 4], &shifts));
    check::<T>(device, &[2, 3], &Change::Tile(vec![2, 1, 3]), || Rearrange::tile([2, 3], &[2, 1, 3]));
    check::<T>(device, &[1, 8], &Change::Broadcast(vec![2, 4, 8]), || Rearrange::broadcast([1, 8], &[2, 4, 8]));
    let parts = [(Some(1), None, 1), (None, None, -2), (Some(-5), Some(-1), 1)];
    let given = [steps(1.., 1), steps(.., -2), steps(-5..-1, 1)];
    check::<T>(device, &[3, 6, 9], &Change::Part(parts.to_vec()), || Rearrange::part([3, 6, 9], &given));
}

#[test]
fn every_way_moves_elements_of_every_size() {
    let device = Device::open("cpu").unwrap();
    every_change::<u8>(&device);
    every_change::<u16>(&device);
    every_change::<f32>(&device);
    every_change::<u64>(&device);
    every_change::<[u32; 4]>(&device);
    every_change::<[u8; 3]>(&device);
    every_change::<[i32; 3]>(&device);
}

#[test]
fn every_way_pads() {
    let device = Device::open("cpu").unwrap();
    fn padded<T: Element + Debug + PartialEq>(device: &Device) {
        let widths = [[1, 0], [0, 2], [5, 9]];
        let change = |around| reference::Change::Pad(widths.to_vec(), around);
        let fill = bytemuck::pod_read_unaligned::<T>(
            &(0..size_of::<T>()).map(|at| ((at + 99) * 167 % 251) as u8).collect::<Vec<u8>>(),
        );
        for (around, mode) in [
            (Around::Constant, Pad::Constant(fill)),
            (Around::Edge, Pad::Edge),
            (Around::Reflect, Pad::Reflect),
            (Around::Symmetric, Pad::Symmetric),
            (Around::Wrap, Pad::Wrap),
        ] {
            check::<T>(device, &[2, 3, 4], &change(around), || Rearrange::pad([2, 3, 4], &widths, mode));
            check::<T>(device, &[1, 1, 8], &change(around), || Rearrange::pad([1, 1, 8], &widths, mode));
        }
    }
    padded::<u8>(&device);
    padded::<i16>(&device);
    padded::<u32>(&device);
    padded::<f64>(&device);
    padded::<[f32; 3]>(&device);
}

/// Checks that the default choice uses each pass for some shape.
#[test]
fn the_default_uses_every_pass() {
    let passes = |call: Rearrange<'_, f32>| call.plan([0, 0]).unwrap().passes;
    assert!(matches!(passes(Rearrange::transpose([64, 64]))[..], [Pass::Tiles { vectors: true, .. }]));
    assert!(matches!(passes(Rearrange::transpose([1, 64]))[..], [Pass::Copy(_)]));
    assert!(matches!(passes(Rearrange::flip([64], &[0]))[..], [Pass::Walk(_)]));
    assert!(passes(Rearrange::transpose([0, 64])).is_empty());
}

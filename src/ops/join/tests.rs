//! Tests of joins and splits, against the reference.

use super::{Join, Split, reference};
use crate::Device;

#[test]
fn parts_are_joined_and_split_again() {
    let device = Device::open("cpu").unwrap();
    for (outer, lines) in [(1, vec![5, 7, 1]), (6, vec![4, 8]), (3, vec![1, 0, 2, 5]), (4, vec![16])] {
        let parts: Vec<(Vec<u8>, usize)> =
            lines.iter().map(|line| ((0..outer * line).map(|at| (at * 37 + line) as u8).collect(), *line)).collect();
        let wanted = reference::joined(&parts, outer);
        let width: usize = lines.iter().sum();
        let mut buffers: Vec<_> = parts.iter().map(|(part, _)| device.buffer_from(part).unwrap()).collect();
        let mut y = device.buffer_from(&vec![200u8; wanted.len() + 9]).unwrap();
        let slices: Vec<_> = buffers.iter().map(|buffer| buffer.slice(..)).collect();
        Join::concatenate([outer, width], 1).run(&slices, y.slice_mut(3..3 + wanted.len())).unwrap();
        assert_eq!(y.read().unwrap()[3..3 + wanted.len()], wanted[..], "{lines:?}");
        assert!(y.read().unwrap()[..3].iter().chain(&y.read().unwrap()[3 + wanted.len()..]).all(|byte| *byte == 200));
        for buffer in &mut buffers {
            if !buffer.is_empty() {
                buffer.fill(0).unwrap();
            }
        }
        let mut slices: Vec<_> = buffers.iter_mut().map(|buffer| buffer.slice_mut(..)).collect();
        Split::new([outer, width], 1).run(y.slice(3..3 + wanted.len()), &mut slices).unwrap();
        for (buffer, (part, _)) in buffers.iter().zip(&parts) {
            assert_eq!(buffer.read().unwrap()[..], part[..], "{lines:?}");
        }
    }
}

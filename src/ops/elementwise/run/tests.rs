//! Tests of the kernels on vectors of four elements, which compute long arrays.

use super::super::super::operation::arguments::{Inputs, Outputs};
use super::super::super::operation::reference::{View, elementwise};
use super::super::ElementwiseKernel;
use crate::submit::Destination;
use crate::{Device, Slice, SliceMut};

/// Runs a call whose first launch must compute vectors.
fn run_on_vectors<'a>(
    device: &Device,
    kernel: &'a ElementwiseKernel,
    inputs: impl Inputs<'a>,
    outputs: impl Outputs<'a>,
) {
    let fitted = super::fit(&kernel.call(device), inputs.all(), outputs.all()).unwrap();
    let plan = fitted.plan();
    assert!(plan.passes[0].form.vectors);
    fitted.run(&plan, Destination::Own).unwrap();
}

#[test]
fn vectors_and_the_remaining_elements_are_computed() {
    let device = Device::open("cpu").unwrap();
    let kernel =
        ElementwiseKernel::new("x: f32, w: f32, a: f32", "y: f32, z: u32", "y = a * x + w; z = i + n").unwrap();
    let in_place = ElementwiseKernel::new("x: f32, y: f32", "y: f32", "y = 2 * x + y").unwrap();
    let all: Vec<f32> = (0..40_000).map(|at| (at % 1009) as f32).collect();
    let x = device.buffer_from(&all).unwrap();
    for (from, length) in [(0, 16_384), (0, 16_385), (0, 20_480), (0, 23_459), (4, 32_768), (64, 39_003)] {
        let part: Slice<'_, f32> = x.slice(from..from + length);
        let mut y = device.buffer_from(&vec![5.0f32; length + 8]).unwrap();
        let mut z = device.buffer::<u32>(length).unwrap();
        let target: SliceMut<'_, f32> = y.slice_mut(4..length + 4);
        run_on_vectors(&device, &kernel, (part, x.slice(7..8), 3.0f32), (target, &mut z));
        let got = y.read().unwrap();
        let view = View { elements: &all[from..], shape: &[length], strides: &[1] };
        let wanted = elementwise(&[length], &[view], |x, _, _| 3.0 * x[0] + 7.0);
        assert!(got[4..length + 4] == wanted, "{length} elements from {from}");
        assert!(got[..4].iter().chain(&got[length + 4..]).all(|outside| *outside == 5.0), "{length} elements");
        assert!(z.read().unwrap().iter().enumerate().all(|(at, z)| *z as usize == at + length), "{length} elements");
        drop(got);
        run_on_vectors(&device, &in_place, part, y.slice_mut(..length));
        let got = y.read().unwrap();
        assert_eq!(got[0], 2.0 * all[from] + 5.0);
        assert!((4..length).all(|at| got[at] == 2.0 * all[from + at] + 3.0 * all[from + at - 4] + 7.0));
    }
}

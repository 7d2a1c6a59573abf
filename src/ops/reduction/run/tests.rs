//! Tests of the forms of kernels that only some devices use.

use super::super::super::operation::arguments::{Inputs, Outputs};
use super::super::super::operation::reference::{View, reduction};
use super::super::ReductionKernel;
use crate::Device;
use crate::ops::shaped;

/// Runs a call on the CPU with the plan of a GPU. Returns whether it used vectors, and the number of passes.
fn run_as_on_a_gpu<'a>(
    device: &Device,
    kernel: &'a ReductionKernel,
    axes: &[usize],
    inputs: impl Inputs<'a>,
    outputs: impl Outputs<'a>,
) -> (bool, usize) {
    let call = kernel.call(device).axes(axes);
    let mut fitted =
        super::super::fit::fit(&call, super::super::fit::Parts::Axes, inputs.all(), outputs.all(), &call.destination)
            .unwrap();
    fitted.software = false;
    let plan = fitted.plan();
    fitted.run(&plan, crate::submit::Destination::Own).unwrap();
    (plan.passes[0].form.vectors, plan.passes.len())
}

#[test]
fn long_sums_use_vectors_and_a_tail() {
    let device = Device::open("cpu").unwrap();
    let dot = ReductionKernel::new("x: T, y: T, a: T", "z: T").unwrap().map("a * x * y").combine("a + b").identity("0");
    let all: Vec<i32> = (0..1_100_000).map(|at| at % 7).collect();
    let x = device.buffer_from(&all).unwrap();
    for (from, length, passes) in
        [(0, 4096, 1), (0, 4097, 1), (4, 5003, 1), (0, 100_000, 2), (8, 262_147, 2), (0, 1_048_579, 2)]
    {
        let mut sum = device.buffer_from(&[9i32; 3]).unwrap();
        let (left, right) = (x.slice(from..from + length), x.slice(..length));
        let form = run_as_on_a_gpu(&device, &dot, &[0], (left, right, 3i32), sum.slice_mut(1..2));
        assert_eq!(form, (true, passes), "{length} elements");
        let wanted: i32 = (0..length).map(|at| 3 * all[from + at] * all[at]).sum();
        assert_eq!(*sum.read().unwrap(), [9, wanted, 9], "{length} elements from {from}");
    }
}

/// The sums of a table along an axis.
fn summed(shape: [usize; 2], axis: usize, elements: &[i32]) -> Vec<i32> {
    let view = View { elements, shape: &shape, strides: &[shape[1], 1] };
    reduction(&shape, &[axis], &[view], 0, |x| x[0], |a, b| a + b)
}

#[test]
fn rows_and_columns_are_summed_as_on_a_gpu() {
    let device = Device::open("cpu").unwrap();
    let sum = ReductionKernel::new("x: T", "y: T").unwrap().combine("a + b").identity("0");
    for ([rows, columns], vectors) in [([3, 8192], true), ([70, 4100], true), ([3, 8193], false), ([500, 70], false)] {
        let all: Vec<i32> = (0..rows * columns).map(|at| (at % 11) as i32).collect();
        let x = device.buffer_from(&all).unwrap();
        let mut of_rows = device.buffer::<i32>(rows).unwrap();
        let form = run_as_on_a_gpu(&device, &sum, &[1], shaped(&x, [rows, columns]), &mut of_rows);
        assert_eq!(form.0, vectors, "{rows} x {columns}");
        let wanted = summed([rows, columns], 1, &all);
        assert_eq!(*of_rows.read().unwrap(), wanted[..], "rows of {rows} x {columns}");
        let mut of_columns = device.buffer::<i32>(columns).unwrap();
        run_as_on_a_gpu(&device, &sum, &[0], shaped(&x, [rows, columns]), &mut of_columns);
        let wanted = summed([rows, columns], 0, &all);
        assert_eq!(*of_columns.read().unwrap(), wanted[..], "columns of {rows} x {columns}");
    }
}

//! Tests of the kernels and of each choice of parts against the reference.

use anywarp_backend::{Precision, ProductForm};
use half::f16;

use super::choice::Choice;
use super::plan::{Epilogue, Kernel, Shape, Sizes, plan};
use super::reference::matmul;
use super::run::Operands;
use super::storage::Storage;
use crate::Device;
use crate::submit::Destination;

/// Small whole numbers, whose sums are exact.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + seed * 5) % 11) as f32 - 5.0).collect()
}

#[test]
fn products_by_each_choice_match_the_reference() {
    let device = Device::open("cpu").unwrap();
    for sizes @ [m, k, n] in
        [[1, 1, 1], [64, 16, 64], [65, 17, 63], [3, 0, 5], [130, 33, 7], [129, 8, 130], [7, 68, 132]]
    {
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let exact = |elements: &[f32]| elements.iter().copied().map(f64::from).collect::<Vec<_>>();
        let product = matmul(&exact(&a), &exact(&b), sizes);
        assert!(product.iter().all(|exact| exact.magnitude < f64::from(1 << 24)), "sums are exact in `f32`");
        let wanted: Vec<f32> = product.iter().map(|exact| exact.sum as f32).collect();
        let (a, b) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
        let vector = Kernel::Vector { lanes: 16 };
        for (kernel, parts) in [(Kernel::Tiles, 1), (Kernel::Wide, 1), (vector, 1), (Kernel::Tiles, 3), (vector, 4)] {
            if kernel == vector && m.min(n) > 8 {
                continue;
            }
            let mut c = device.buffer_from(&vec![9.0f32; m * n]).unwrap();
            let sizes = Sizes { m: m as u32, k: k as u32, n: n as u32 };
            let (form, epilogue) = (ProductForm::default(), Epilogue::default());
            let shape =
                Shape { sizes, form, epilogue, precision: Precision::F32, aligned: true, storage: Storage::default() };
            let plan = plan(&shape, Choice::Kernel(kernel, parts));
            let (a, b) = (a.slice(..), b.slice(..));
            let mut operands = Operands { a, b, c: c.slice_mut(..), bias: None, residual: None };
            operands.run(&shape, &plan, &mut Destination::Own).unwrap();
            assert_eq!(*c.read().unwrap(), wanted[..], "{kernel:?} {parts}: {m} x {k} x {n}");
        }
    }
}

/// Thin products in `f16`, whose vectors the device itself converts.
#[test]
fn vectors_of_halves_match_the_reference() {
    let device = Device::open("cpu").unwrap();
    for (sizes @ [m, k, n], transposed) in [
        ([1, 264, 36], [false, false]),
        ([1, 264, 33], [false, true]),
        ([33, 264, 1], [false, false]),
        ([36, 132, 1], [true, false]),
        ([8, 68, 100], [false, false]),
        ([3, 1044, 20], [false, true]),
        ([20, 12, 5], [false, true]),
    ] {
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let exact = |elements: &[f32]| elements.iter().copied().map(f64::from).collect::<Vec<_>>();
        let wanted: Vec<f64> = matmul(&exact(&a), &exact(&b), sizes).iter().map(|exact| exact.sum).collect();
        // The stored form of a transposed matrix of `rows` x `columns`.
        let stored = |matrix: Vec<f32>, is_transposed: bool, [rows, columns]: [usize; 2]| -> Vec<f16> {
            let at = |index| if is_transposed { matrix[index % rows * columns + index / rows] } else { matrix[index] };
            (0..rows * columns).map(|index| f16::from_f32(at(index))).collect()
        };
        let a = device.buffer_from(&stored(a, transposed[0], [m, k])).unwrap();
        let b = device.buffer_from(&stored(b, transposed[1], [k, n])).unwrap();
        for parts in [1, 4] {
            let mut c = device.buffer_from(&vec![f16::ONE; m * n]).unwrap();
            let sizes = Sizes { m: m as u32, k: k as u32, n: n as u32 };
            let form = ProductForm { transposed, ..ProductForm::default() };
            let epilogue = Epilogue::default();
            let shape =
                Shape { sizes, form, epilogue, precision: Precision::F16, aligned: true, storage: Storage::default() };
            assert!(shape.has_vectors(), "{sizes:?}");
            let plan = plan(&shape, Choice::Kernel(Kernel::VectorOfHalves { lanes: 16 }, parts));
            let (a, b) = (a.slice(..), b.slice(..));
            let mut operands = Operands { a, b, c: c.slice_mut(..), bias: None, residual: None };
            operands.run(&shape, &plan, &mut Destination::Own).unwrap();
            let rounded: Vec<f16> = wanted.iter().map(|sum| f16::from_f64(*sum)).collect();
            assert_eq!(*c.read().unwrap(), rounded[..], "{parts}: {m} x {k} x {n}, {transposed:?}");
        }
    }
}

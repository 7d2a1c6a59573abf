//! Every choice against the reference, on `cpu`.

use super::plan::Choice;
use super::{SparseMatrix, SparseProduct, reference, spgemm};
use crate::Device;

/// Lengths of rows: few, none, all entries in one row, and a power law.
fn lengths() -> Vec<Vec<usize>> {
    vec![
        vec![],
        vec![0; 300],
        vec![3; 70],
        vec![0, 0, 5000, 0, 1],
        vec![4096],
        (0..2000).map(|row| 3000 / (1 + row * 7 % 2000)).collect(),
        [vec![1; 1000], vec![0; 3000], vec![1023, 1024, 1, 2]].concat(),
    ]
}

fn number(at: usize) -> f64 {
    (at.wrapping_mul(0x9e37_79b9) >> 7) as f64 % 17.0 - 8.0
}

#[test]
fn every_choice_computes_the_product() {
    let device = Device::open("cpu").unwrap();
    let choices = [
        Choice::Lines,
        Choice::Blocks,
        Choice::Teams { lanes: 2 },
        Choice::Teams { lanes: 64 },
        Choice::Teams { lanes: 256 },
        Choice::Tiles,
        Choice::Walk { items: 1 },
        Choice::Walk { items: 7 },
        Choice::Walk { items: 1024 },
        Choice::Alone { items: 1 },
        Choice::Alone { items: 7 },
        Choice::Alone { items: 4096 },
        Choice::Runs { rows: 1 },
        Choice::Runs { rows: 7 },
        Choice::Runs { rows: 4096 },
    ];
    let columns = 50;
    for lengths in lengths() {
        let mut offsets = vec![0u32];
        offsets.extend(lengths.iter().scan(0, |sum, length| {
            *sum += *length as u32;
            Some(*sum)
        }));
        let entries = lengths.iter().sum::<usize>();
        let indices: Vec<u32> = (0..entries).map(|at| (at * 13 % columns) as u32).collect();
        // Sums of small whole numbers are exact, in any order.
        let values: Vec<f64> = (0..entries).map(number).collect();
        let narrow: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        let rows = lengths.len();
        let matrix = SparseMatrix::from_csr(&device, [rows, columns], &offsets, &indices, &narrow).unwrap();
        let wide = SparseMatrix::from_csr(&device, [rows, columns], &offsets, &indices, &values).unwrap();
        for width in [1, 3] {
            let x: Vec<f64> = (0..columns * width).map(|at| number(at + 5)).collect();
            let old: Vec<f64> = (0..rows * width).map(|at| number(at + 9)).collect();
            let csr = (offsets.as_slice(), indices.as_slice(), values.as_slice());
            let wanted = reference::product(csr, (&x, width), [2.0, -1.0], &old);
            let singles = |numbers: &[f64]| -> Vec<f32> { numbers.iter().map(|number| *number as f32).collect() };
            let of_x = device.buffer_from(&singles(&x)).unwrap();
            let wide_x = device.buffer_from(&x).unwrap();
            for choice in choices {
                let what = format!("{choice:?}, {rows} rows, {entries} entries, {width} columns");
                let mut y = device.buffer_from(&singles(&old)).unwrap();
                let product = || SparseProduct::new().width(width).alpha(2.0).beta(-1.0);
                product().run_as(&matrix, (&of_x).into(), (&mut y).into(), Some(choice), None).unwrap();
                assert_eq!(*y.read().unwrap(), singles(&wanted), "{what}");
                let mut y = device.buffer_from(&old).unwrap();
                product().run_as(&wide, (&wide_x).into(), (&mut y).into(), Some(choice), None).unwrap();
                assert_eq!(*y.read().unwrap(), wanted, "{what}, f64");
            }
        }
    }
}

#[test]
fn pieces_of_a_product_are_joined() {
    let device = Device::open("cpu").unwrap();
    let elements: Vec<f64> = (0..30).map(|at| if at % 3 == 0 { number(at) } else { 0.0 }).collect();
    let a = SparseMatrix::from_dense(&device, [6, 5], &elements).unwrap();
    let b = a.transpose().unwrap();
    let whole = spgemm::multiply(&a, &b, 1 << 20).unwrap();
    assert!(whole.entries() > 6);
    for piece in [1, 5, 9] {
        let joined = spgemm::multiply(&a, &b, piece).unwrap();
        assert_eq!(*joined.offsets().read().unwrap(), *whole.offsets().read().unwrap(), "{piece}");
        assert_eq!(joined.to_dense().unwrap(), whole.to_dense().unwrap(), "{piece}");
    }
}

/// The sums of `x * y` that a product of blocks computes are those of its rows.
#[test]
fn blocks_add_up_their_products() {
    let device = Device::open("cpu").unwrap();
    let matrix = SparseMatrix::<f32>::poisson(&device, &[300]).unwrap();
    let x: Vec<f32> = (0..300).map(|at| (at % 5) as f32 - 2.0).collect();
    let (of_x, mut y) = (device.buffer_from(&x).unwrap(), device.buffer::<f32>(300).unwrap());
    let mut dots = device.buffer_from(&[9.0f32; 32]).unwrap();
    SparseProduct::new().run_with_dots(&matrix, &of_x, &mut y, &mut dots).unwrap();
    let y = y.read().unwrap();
    let dot = |(x, y): (&[f32], &[f32])| -> f32 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let wanted: Vec<f32> = x.chunks(256).zip(y.chunks(256)).map(dot).collect();
    let sums: Vec<f32> = dots.read().unwrap().chunks(16).map(|sums| sums.iter().sum()).collect();
    assert_eq!(sums, wanted);
    assert!(wanted.iter().all(|sum| *sum != 0.0));
}

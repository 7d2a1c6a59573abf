//! Each choice of a Fourier transform, on `cpu`.

use super::plan::{Choice, Kind, Shape, plan};
use super::reference;
use super::run::Operands;
use super::tables::FftTables;
use super::{OPERATOR, operands};
use crate::device::Device;
use crate::submit::Destination;

#[test]
fn each_choice_computes_each_length() {
    let device = Device::open("cpu").unwrap();
    let tables = FftTables::<[f32; 2]>::new(&device);
    let lanes = [4, 8, 16].map(|widest| Choice::Lanes { widest });
    let lines = [(2048, 512), (1024, 256), (1024, 16)].map(|(capacity, longest)| Choice::Lines { capacity, longest });
    let few = [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 30, 64, 97, 1001, 4096].map(|length| (length, 2));
    // Neighbours along lines and in columns, which groups of eight compute. The longer lines do not fit into a workgroup.
    let three_passes = Choice::Lines { capacity: 128, longest: 8 };
    let library = Choice::Library { widest: 8, least: 2 };
    let neighbours = [(64, 1), (343, 1), (40, 8), (34, 16)];
    for (length, inner) in few.into_iter().chain(neighbours) {
        let count = 3 * length * inner;
        let numbers: Vec<[f32; 2]> = (0..count).map(|at| [(at as f32 * 0.7).sin(), (at as f32).cos()]).collect();
        let wide: Vec<[f64; 2]> = numbers.iter().map(|number| number.map(f64::from)).collect();
        let wanted = reference::fft(&wide, &[3, length, inner], 1, false);
        let some = if inner == 2 { [&lanes[..], &lines].concat() } else { vec![lanes[1], three_passes] };
        let choices = some.into_iter().chain([library]);
        for choice in choices {
            let (x, mut y) = (device.buffer_from(&numbers).unwrap(), device.buffer::<[f32; 2]>(count).unwrap());
            let kind = Kind::Complex { in_place: false };
            let sizes = vec![3, length as u64, inner as u64];
            let shape = Shape { kind, inverse: false, sizes, axes: vec![1], number: 8, halves: false };
            let plan = plan(&shape, choice);
            let y_bytes = y.slice_mut(..);
            let operands = Operands {
                x: Some(operands::bytes(OPERATOR, "x", &x.slice(..)).unwrap()),
                y: operands::bytes_mut(OPERATOR, "y", &y_bytes).unwrap(),
            };
            operands.run(&plan, 1.0, &tables, &mut Destination::Own).unwrap();
            let got = y.read().unwrap();
            let square = |[a, b]: [f64; 2]| a * a + b * b;
            let error: f64 =
                got.iter().zip(&wanted).map(|(a, b)| square([f64::from(a[0]) - b[0], f64::from(a[1]) - b[1]])).sum();
            let size: f64 = wanted.iter().map(|number| square(*number)).sum();
            let bound = 2e-7 * (length as f64).log2().max(1.0);
            assert!((error / size).sqrt() <= bound, "{length}, {inner}, {choice:?}: {}", (error / size).sqrt());
        }
    }
}

//! Tests of each way of counting, against the reference.

use super::plan::{Choice, Shape};
use super::run::{Bins, Operands};
use super::{Edges, HistogramElement, reference};
use crate::Device;
use crate::submit::Destination;

const CHOICES: [Choice; 3] = [Choice::Workgroups, Choice::Elements, Choice::Rows];

fn counted<T: HistogramElement>(device: &Device, x: &[T], edges: &Edges<'_>, bins: usize, choice: Choice) -> Vec<u32> {
    let x = device.buffer_from(x).unwrap();
    let mut counts = device.buffer_from(&vec![77u32; bins + 4]).unwrap();
    let plan = super::plan::plan(Shape { count: x.len() as u64, bins: bins as u64 }, choice);
    let found = Bins::of::<T>(edges).unwrap();
    let mut operands = Operands { x: x.slice(..), counts: counts.slice_mut(3..3 + bins) };
    operands.run(&found, &plan, &mut Destination::Own).unwrap();
    let counts = counts.read().unwrap().to_vec();
    assert!([0, 1, 2, bins + 3].iter().all(|at| counts[*at] == 77), "counts outside");
    counts[3..3 + bins].to_vec()
}

#[test]
fn every_way_counts_the_same() {
    let device = Device::open("cpu").unwrap();
    let x: Vec<f32> =
        (0..20_011u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0 * 3.0 - 1.0).collect();
    let exact: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    for bins in [1, 2, 7, 256, 4096, 5000] {
        let edges: Vec<f64> = (0..=bins).map(|at| 1.5 * (at as f64 / bins as f64)).collect();
        let wanted = reference::histogram(&exact, &edges);
        for choice in CHOICES {
            assert_eq!(counted(&device, &x, &Edges::Even(bins, 0.0..1.5), bins, choice), wanted, "{bins}, {choice:?}");
            assert_eq!(counted(&device, &x, &Edges::Explicit(&edges), bins, choice), wanted, "{bins}, {choice:?}");
        }
    }
}

#[test]
fn edges_beyond_the_type_leave_bins_empty() {
    let device = Device::open("cpu").unwrap();
    let x = [0u32, 5, u32::MAX - 1, u32::MAX];
    let edges = [-3.5, 0.5, 4_294_967_294.5, 5e9, 6e9];
    for choice in CHOICES {
        assert_eq!(counted(&device, &x, &Edges::Explicit(&edges), 4, choice), [1, 2, 1, 0], "{choice:?}");
        assert_eq!(counted(&device, &x, &Edges::Explicit(&[5e9, 6e9]), 1, choice), [0], "{choice:?}");
        assert_eq!(counted(&device, &x, &Edges::Numbers(6), 6, choice), [1, 0, 0, 0, 0, 1], "{choice:?}");
    }
}

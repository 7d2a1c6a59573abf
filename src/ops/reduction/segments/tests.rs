//! Tests of each choice, compared with sums and indices of greatest elements in plain Rust.

use super::super::super::operation::arguments::{Array, Given};
use super::super::ReductionKernel;
use super::super::fit::{Parts, fit};
use super::Limits;
use super::plan::{Choice, plan};
use crate::Device;
use crate::ops::reduce;
use crate::submit::Destination;

const CHOICES: [Choice; 5] = [
    Choice { chunk: 64, width: 8, together: false },
    Choice { chunk: 64, width: 256, together: true },
    Choice { chunk: 1024, width: 32, together: true },
    Choice { chunk: 1 << 16, width: 256, together: true },
    Choice { chunk: 1 << 16, width: 8, together: false },
];

/// Returns the offsets of segments with these lengths; the first segment begins at `begin`.
fn offsets(begin: u32, lengths: &[u32]) -> Vec<u32> {
    let ends = lengths.iter().scan(begin, |end, length| {
        *end += length;
        Some(*end)
    });
    std::iter::once(begin).chain(ends).collect()
}

fn reduced(
    device: &Device,
    kernel: &ReductionKernel,
    x: &[i32],
    offsets: &[u32],
    count: Option<u32>,
    choice: Choice,
) -> Vec<u32> {
    let (x, limits) = (device.buffer_from(x).unwrap(), device.buffer_from(offsets).unwrap());
    let segments = offsets.len() - 1;
    let mut y = device.buffer_from(&vec![77u32; segments + 2]).unwrap();
    let mut known = device.count(segments as u32).unwrap();
    known.set(count.unwrap_or(0)).unwrap();
    let call = kernel.call(device);
    {
        let output = y.slice_mut(1..=segments);
        let (inputs, outputs) = (Array::new::<i32>(&x), Array::new::<u32>(output));
        let (inputs, outputs) = (vec![Given::Array(inputs)], vec![Given::Array(outputs)]);
        let fitted = fit(&call, Parts::Segments(segments), inputs, outputs, &Destination::Own).unwrap();
        let limits = Limits { offsets: Array::new::<u32>(&limits), count: count.map(|_| &known) };
        let plan = plan(fitted.segments(count.is_some()), choice);
        fitted.run_segments(&limits, &plan, &mut Destination::Own).unwrap();
    }
    let y = y.read().unwrap().to_vec();
    assert!(y[0] == 77 && y[segments + 1] == 77, "results outside");
    y[1..=segments].to_vec()
}

/// Returns the lengths of long segments beside many short and empty segments.
fn skewed() -> Vec<u32> {
    let mut lengths = vec![0, 1, 63, 64, 65, 128, 129, 0, 0, 5000, 2, 300];
    lengths.extend((0..700).map(|at| at % 5));
    lengths.extend([70_000, 1, 0]);
    lengths
}

#[test]
fn every_choice_gives_the_sums_and_places() {
    let device = Device::open("cpu").unwrap();
    let lengths = skewed();
    let offsets = offsets(3, &lengths);
    let x: Vec<i32> = (0..offsets[lengths.len()] + 9).map(|at| (at.wrapping_mul(2_654_435_761) >> 20) as i32).collect();
    let sum = ReductionKernel::new("x: i32", "y: u32").unwrap().map("u32(x)").combine("a + b").identity("0u");
    for choice in CHOICES {
        let segments = offsets.windows(2).map(|pair| &x[pair[0] as usize..pair[1] as usize]);
        let sums: Vec<u32> = segments.clone().map(|part| part.iter().sum::<i32>() as u32).collect();
        assert_eq!(reduced(&device, &sum, &x, &offsets, None, choice), sums, "{choice:?}");
        let places: Vec<u32> = segments
            .map(|part| (0..part.len()).max_by_key(|at| (part[*at], usize::MAX - at)).map_or(u32::MAX, |at| at as u32))
            .collect();
        assert_eq!(reduced(&device, reduce::argmax(), &x, &offsets, None, choice), places, "{choice:?}");
    }
}

/// The number of segments is on the device: the last segment ends with the last element.
#[test]
fn every_choice_counts_on_the_device() {
    let device = Device::open("cpu").unwrap();
    let lengths: Vec<u32> = skewed().into_iter().filter(|length| *length > 0).collect();
    let offsets = offsets(0, &lengths);
    let length = offsets[lengths.len()];
    let x: Vec<i32> = (0..length).map(|at| at as i32 % 13).collect();
    let sum = ReductionKernel::new("x: i32", "y: u32").unwrap().map("u32(x)").combine("a + b").identity("0u");
    let sums: Vec<u32> =
        offsets.windows(2).map(|pair| x[pair[0] as usize..pair[1] as usize].iter().sum::<i32>() as u32).collect();
    let known = lengths.len();
    for choice in CHOICES {
        // All runs, with unused memory behind the last start.
        let mut starts = offsets.clone();
        starts[known] = 5;
        assert_eq!(reduced(&device, &sum, &x, &starts, Some(known as u32), choice), sums, "{choice:?}");
        // More runs than the output has elements.
        let few = &offsets[..=100];
        assert_eq!(reduced(&device, &sum, &x, few, Some(known as u32), choice), sums[..100], "{choice:?}");
        // No runs.
        assert_eq!(reduced(&device, &sum, &x, few, Some(0), choice), [77; 100], "{choice:?}");
    }
}

/// Offsets that decrease or are too large cause no access outside the elements.
#[test]
fn wrong_offsets_stay_within_the_elements() {
    let Ok(device) = Device::open("cpu:checked") else { return };
    let x: Vec<i32> = (0..1000).collect();
    let sum = ReductionKernel::new("x: i32", "y: u32").unwrap().map("u32(x)").combine("a + b").identity("0u");
    for choice in CHOICES {
        reduced(&device, &sum, &x, &[u32::MAX, 5, 900, 3, 4000, 0], None, choice);
        reduced(&device, &sum, &x, &[500, 100, 1000, 900], Some(u32::MAX), choice);
    }
    let findings = device.findings();
    assert!(findings.iter().next().is_none(), "{findings}");
}

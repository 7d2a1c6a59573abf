//! Round trips of every element type, at every size.

use std::fmt::Debug;

use anywarp::{Device, Element, f16};

use crate::suite::case::{Case, cases};
use crate::suite::data::{SIZES, word};
use crate::suite::portable_waits::{ReadHere, SynchronizeHere, WriteHere};
use anywarp_testing_devices::outcome::{Context, TestResult, equal, same};

pub(crate) const CASES: &[Case] = cases![
    round_trip_u8 = |device| round_trip(device, |n| word(n) as u8),
    round_trip_i8 = |device| round_trip(device, |n| word(n) as i8),
    round_trip_u16 = |device| round_trip(device, |n| word(n) as u16),
    round_trip_i16 = |device| round_trip(device, |n| word(n) as i16),
    round_trip_u32 = |device| round_trip(device, word),
    round_trip_i32 = |device| round_trip(device, |n| word(n) as i32),
    round_trip_u64 = |device| round_trip(device, wide),
    round_trip_i64 = |device| round_trip(device, |n| wide(n) as i64),
    round_trip_f16 = |device| round_trip(device, |n| f16::from_bits(word(n) as u16)),
    // All bit patterns must be preserved, including NaNs and signed zeros.
    round_trip_f32 = |device| round_trip(device, |n| f32::from_bits(word(n))),
    round_trip_f64 = |device| round_trip(device, |n| f64::from_bits(wide(n))),
    round_trip_f32x3 = |device| round_trip(device, |n| [0, 1, 2].map(|part| word(3 * n + part) as f32)),
    round_trip_u8x3 = |device| round_trip(device, |n| [0, 1, 2].map(|part| word(3 * n + part) as u8)),
    round_trip_matrix = |device| round_trip(device, |n| [[word(n) as f32; 4], [word(n + 1) as f32; 4]]),
    round_trip_struct = |device| round_trip(device, particle),
    zeroed,
    empty_buffers,
    sizes_in_elements_and_bytes,
];

#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
struct Particle {
    position: [f32; 3],
    mass: f32,
    id: u64,
    charge: i32,
    flags: u32,
}
anywarp::element!(Particle { position, mass, id, charge, flags });

fn particle(index: usize) -> Particle {
    let value = word(index) as f32;
    Particle { position: [value, -value, 0.5], mass: 1.0, id: wide(index), charge: -7, flags: word(index) }
}

fn wide(index: usize) -> u64 {
    u64::from(word(2 * index)) << 32 | u64::from(word(2 * index + 1))
}

/// Elements are unchanged after a round trip through host memory alone, and after one through a copy on the device.
async fn round_trip<T: Element + Debug>(device: &Device, value: fn(usize) -> T) -> TestResult {
    for &size in SIZES {
        let elements: Vec<T> = (0..size).map(value).collect();
        at_size(device, &elements).await.context(|| format!("{size} elements"))?;
    }
    Ok(())
}

async fn at_size<T: Element + Debug>(device: &Device, elements: &[T]) -> TestResult {
    let mut source = device.buffer_from(elements)?;
    same(&source.read_here().await?, elements, "buffer_from, then read")?;
    let mut copy = device.buffer::<T>(elements.len())?;
    copy.copy_from(&source)?;
    same(&copy.read_here().await?, elements, "copied on the device, then read")?;

    let backwards: Vec<T> = elements.iter().rev().copied().collect();
    source.write_here().await?.copy_from_slice(&backwards);
    copy.copy_from(&source)?;
    let mut got = elements.to_vec();
    copy.copy_to_slice_here(&mut got).await?;
    same(&got, &backwards, "write, copy on the device, copy_to_slice")?;

    copy.update_here().await?.reverse();
    source.copy_from(&copy)?;
    same(&source.read_here().await?, elements, "update, copied on the device, then read")?;
    same(&copy.read_here().await?, elements, "update, then read")
}

async fn zeroed(device: &Device) -> TestResult {
    for &size in SIZES {
        let buffer = device.buffer::<u32>(size)?;
        same(&buffer.read_here().await?, &vec![0; size], "read by the host")?;
        let source = device.buffer::<u16>(size)?;
        let mut copy = device.buffer_from(&vec![7u16; size])?;
        copy.copy_from(&source)?;
        same(&copy.read_here().await?, &vec![0; size], "read by the device")?;
    }
    // New buffers must not show the contents of earlier ones.
    for _ in 0..3 {
        drop(device.buffer_from(&vec![u32::MAX; 50_000])?);
        device.synchronize_here().await?;
        let buffer = device.buffer::<u32>(50_000)?;
        same(&buffer.read_here().await?, &vec![0; 50_000], "reused memory")?;
    }
    Ok(())
}

/// A buffer without elements supports every operation except bindings.
async fn empty_buffers(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from::<f32>(&[])?;
    let mut other = device.buffer::<f32>(0)?;
    equal((buffer.len(), buffer.is_empty(), buffer.byte_len()), (0, true, 0), "its size")?;
    buffer.copy_from_slice_here(&[]).await?;
    buffer.copy_to_slice_here(&mut []).await?;
    buffer.fill(1.0)?;
    buffer.copy_from(&other)?;
    other.slice_mut(0..0).copy_from(&buffer)?;
    equal(buffer.write_here().await?.len(), 0, "write")?;
    equal(buffer.update_here().await?.len(), 0, "update")?;
    equal(buffer.read_async().await?.len(), 0, "read_async")?;
    equal(buffer.read_here().await?.len(), 0, "read")
}

async fn sizes_in_elements_and_bytes(device: &Device) -> TestResult {
    let buffer = device.buffer::<[f32; 3]>(7)?;
    equal((buffer.len(), buffer.byte_len()), (7, 84), "elements and bytes")?;
    equal(buffer.slice(2..5).len(), 3, "a slice")?;
    equal(buffer.slice(2..2).is_empty(), true, "an empty slice is empty")?;
    equal(buffer.slice(9..12).len(), 0, "a slice out of the buffer's range")
}

//! Parts of buffers, valid and invalid.

use std::ops::Bound;

use anywarp::{BufferError, Device};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::{COPY, add};
use crate::suite::portable_waits::{ReadHere, WriteHere};
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same};

pub(crate) const CASES: &[Case] = cases![
    slices_read_and_write,
    slices_of_slices,
    every_kind_of_range,
    slices_at_the_odd_end,
    misaligned_slices_are_refused,
    slices_out_of_range_are_refused,
    lengths_must_agree,
    split_in_two,
    split_and_bound_to_one_launch,
    bound_at_an_offset,
];

async fn slices_read_and_write(device: &Device) -> TestResult {
    let mut wanted = words(100);
    let mut buffer = device.buffer_from(&wanted)?;
    buffer.slice_mut(10..20).write_here().await?.copy_from_slice(&words(10));
    wanted[10..20].copy_from_slice(&words(10));
    buffer.slice_mut(20..30).copy_from_slice_here(&[1; 10]).await?;
    wanted[20..30].fill(1);
    buffer.slice_mut(28..40).update_here().await?[0] = 5;
    wanted[28] = 5;
    buffer.slice_mut(50..60).fill(9)?;
    wanted[50..60].fill(9);
    same(&buffer.slice(15..55).read_here().await?, &wanted[15..55], "a part")?;
    let mut got = [0; 7];
    buffer.slice(93..).copy_to_slice_here(&mut got).await?;
    same(&got, &wanted[93..], "copy_to_slice")?;
    same(&buffer.read_here().await?, &wanted, "all")
}

async fn slices_of_slices(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(100))?;
    let outer = buffer.slice(20..80);
    same(&outer.slice(5..10).read_here().await?, &words(100)[25..30], "a part of a part")?;
    let mut outer = buffer.slice_mut(20..80);
    outer.slice_mut(59..).copy_from_slice_here(&[3]).await?;
    equal(outer.as_slice().read_here().await?[59], 3, "through as_slice")?;
    equal(buffer.read_here().await?[79], 3, "at its index in the buffer")
}

async fn every_kind_of_range(device: &Device) -> TestResult {
    let all = words(10);
    let buffer = device.buffer_from(&all)?;
    same(&buffer.slice(..).read_here().await?, &all, "..")?;
    same(&buffer.slice(3..).read_here().await?, &all[3..], "3..")?;
    same(&buffer.slice(..3).read_here().await?, &all[..3], "..3")?;
    same(&buffer.slice(3..7).read_here().await?, &all[3..7], "3..7")?;
    same(&buffer.slice(3..=7).read_here().await?, &all[3..=7], "3..=7")?;
    same(&buffer.slice(..=7).read_here().await?, &all[..=7], "..=7")?;
    same(&buffer.slice((Bound::Excluded(3), Bound::Unbounded)).read_here().await?, &all[4..], "after 3")?;
    same(&buffer.slice(10..).read_here().await?, &[], "10..")
}

/// With a length that is no multiple of 4 bytes, a slice up to the end includes the partial word.
async fn slices_at_the_odd_end(device: &Device) -> TestResult {
    let mut wanted: Vec<u8> = (0..13).collect();
    let mut buffer = device.buffer_from(&wanted)?;
    buffer.slice_mut(8..).copy_from_slice_here(&[90, 91, 92, 93, 94]).await?;
    wanted[8..].copy_from_slice(&[90, 91, 92, 93, 94]);
    same(&buffer.slice(4..).read_here().await?, &wanted[4..], "before any device work")?;
    let mut copy = device.buffer::<u8>(13)?;
    copy.copy_from(&buffer)?;
    same(&copy.read_here().await?, &wanted, "the whole buffer copied")?;
    copy.slice_mut(12..).fill(7)?;
    copy.slice_mut(0..4).copy_from(buffer.slice(4..8))?;
    wanted[12] = 7;
    wanted.copy_within(4..8, 0);
    same(&copy.read_here().await?, &wanted, "filled and copied at the ends")
}

async fn misaligned_slices_are_refused(device: &Device) -> TestResult {
    let misaligned = |error: &BufferError| matches!(error, BufferError::Misaligned { .. });
    let mut bytes = device.buffer::<u8>(32)?;
    let other = device.buffer::<u8>(4)?;
    let said = ["byte 5", "byte 9", "multiples of 4"];
    refused(bytes.slice(5..9).read_here().await, misaligned, &said)?;
    refused(bytes.slice(5..9).read_async().await, misaligned, &said)?;
    refused(bytes.slice(5..9).copy_to_slice_here(&mut [0; 4]).await, misaligned, &said)?;
    refused(bytes.slice_mut(5..9).write_here().await, misaligned, &said)?;
    refused(bytes.slice_mut(5..9).update_here().await, misaligned, &said)?;
    refused(bytes.slice_mut(5..9).copy_from_slice_here(&[0; 4]).await, misaligned, &said)?;
    refused(bytes.slice_mut(5..9).fill(1), misaligned, &said)?;
    refused(bytes.slice_mut(5..9).copy_from(&other), misaligned, &said)?;
    refused(bytes.slice_mut(4..7).fill(1), misaligned, &["byte 4", "byte 7"])?;
    let mut halves = device.buffer::<u16>(8)?;
    refused(halves.slice_mut(1..3).write_here().await, misaligned, &["byte 2", "byte 6"])?;
    same(&bytes.read_here().await?, &[0; 32], "unchanged")
}

async fn slices_out_of_range_are_refused(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(10))?;
    let other = device.buffer::<u32>(3)?;
    let outside = |error: &BufferError| matches!(error, BufferError::OutOfRange { length: 10, .. });
    let said = ["8..11", "10 elements"];
    refused(buffer.slice(8..11).read_here().await, outside, &said)?;
    refused(buffer.slice(8..11).read_async().await, outside, &said)?;
    refused(buffer.slice(8..11).copy_to_slice_here(&mut [0; 3]).await, outside, &said)?;
    refused(buffer.slice_mut(8..11).write_here().await, outside, &said)?;
    refused(buffer.slice_mut(8..11).update_here().await, outside, &said)?;
    refused(buffer.slice_mut(8..11).copy_from_slice_here(&[0; 3]).await, outside, &said)?;
    refused(buffer.slice_mut(8..11).fill(1), outside, &said)?;
    refused(buffer.slice_mut(8..11).copy_from(&other), outside, &said)?;
    // An end before the start, and ends that would overflow.
    let (late, early) = (7, 3);
    refused(buffer.slice(late..early).read_here().await, outside, &["7..3"])?;
    refused(buffer.slice(..=usize::MAX).read_here().await, outside, &[])?;
    refused(buffer.slice((Bound::Excluded(usize::MAX), Bound::Unbounded)).read_here().await, outside, &[])?;
    // The first range is out of range of the slice, but within the buffer.
    let beyond = |error: &BufferError| matches!(error, BufferError::OutOfRange { length: 4, .. });
    refused(buffer.slice(2..6).slice(3..5).read_here().await, beyond, &["3..5", "4 elements"])?;
    refused(buffer.slice(8..11).slice(0..1).read_here().await, outside, &said)?;
    same(&buffer.read_here().await?, &words(10), "unchanged")
}

fn mismatch(wanted: usize, found: usize) -> impl Fn(&BufferError) -> bool {
    move |error| matches!(error, BufferError::LengthMismatch { expected, got } if (*expected, *got) == (wanted, found))
}

async fn lengths_must_agree(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(10))?;
    let other = device.buffer::<u32>(9)?;
    refused(buffer.copy_from_slice_here(&[0; 11]).await, mismatch(10, 11), &["11", "10"])?;
    refused(buffer.copy_to_slice_here(&mut [0; 9]).await, mismatch(9, 10), &["9", "10"])?;
    refused(buffer.copy_from(&other), mismatch(10, 9), &["9", "10"])?;
    refused(device.recording().copy(&other, &mut buffer), mismatch(10, 9), &["9", "10"])?;
    same(&buffer.read_here().await?, &words(10), "unchanged")
}

async fn split_in_two(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(64))?;
    let (mut low, high) = buffer.split_at_mut(16);
    equal((low.len(), high.len()), (16, 48), "lengths")?;
    let (mid, top) = high.split_at_mut(16);
    equal((mid.len(), top.len()), (16, 32), "lengths of the second split")?;
    low.slice_mut(..).copy_from(&mid)?;
    same(&buffer.slice(..16).read_here().await?, &words(64)[16..32], "copied within one buffer")?;
    for at in [0, 64] {
        let (low, high) = buffer.split_at_mut(at);
        equal((low.len(), high.len()), (at, 64 - at), "a split at an end")?;
    }
    let outside = |error: &BufferError| matches!(error, BufferError::OutOfRange { .. });
    let (low, high) = buffer.split_at_mut(65);
    refused(low.write_here().await, outside, &["65", "64"])?;
    refused(high.write_here().await, outside, &["65", "64"])
}

/// One launch can write both halves of a buffer, as two disjoint bindings.
async fn split_and_bound_to_one_launch(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> low: array<u32>;
         @group(0) @binding(1) var<storage, read_write> high: array<u32>;
         @compute @workgroup_size(64)
         fn swap(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x >= arrayLength(&low) { return; }
             let kept = low[id.x];
             low[id.x] = high[id.x];
             high[id.x] = kept;
         }",
    )?;
    let mut buffer = device.buffer_from(&words(512))?;
    let (mut low, mut high) = buffer.split_at_mut(256);
    kernel.launch().bind("low", &mut low).bind("high", &mut high).threads(256)?;
    let mut wanted = words(512);
    wanted.rotate_left(256);
    same(&buffer.read_here().await?, &wanted, "halves swapped")
}

async fn bound_at_an_offset(device: &Device) -> TestResult {
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    let total = 8 * step + 5;
    let mut buffer = device.buffer_from(&words(total))?;
    add(device, buffer.slice_mut(step..2 * step), step, 1)?;
    add(device, buffer.slice_mut(7 * step..), step + 5, 2)?;
    let mut wanted = words(total);
    wanted[step..2 * step].iter_mut().for_each(|value| *value = value.wrapping_add(1));
    wanted[7 * step..].iter_mut().for_each(|value| *value = value.wrapping_add(2));
    same(&buffer.read_here().await?, &wanted, "only the slices have changed")?;
    let mut result = device.buffer::<u32>(step)?;
    let copy = device.kernel(COPY)?;
    copy.launch().bind("source", buffer.slice(7 * step..)).bind("result", &mut result).threads(step)?;
    same(&result.read_here().await?, &wanted[7 * step..8 * step], "read at an offset")
}

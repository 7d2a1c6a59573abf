//! Copies, fills, and uploads larger than one chunk.

use std::fmt::Debug;

use anywarp::{Device, Element, f16};

use crate::suite::case::{Case, cases};
use crate::suite::data::{word, words};
use crate::suite::kernels::add;
use crate::suite::portable_waits::{ReadHere, ReopenHere, WriteHere};
use anywarp_testing_devices::outcome::{Context, TestResult, equal, same};

pub(crate) const CASES: &[Case] = cases![
    copy_between_buffers,
    copy_within_one_buffer,
    copy_chain,
    fill_u8 = |device| fill(device, 0xA5u8),
    fill_u16 = |device| fill(device, 0xBEEFu16),
    fill_f16 = |device| fill(device, f16::from_f32(-1.5)),
    fill_u32 = |device| fill(device, 0xDEAD_BEEFu32),
    fill_zero = |device| fill(device, 0i32),
    fill_f32 = |device| fill(device, -0.0f32),
    // The device can fill with equal words itself, but not with unequal ones.
    fill_u64_of_equal_words = |device| fill(device, 0x1234_5678_1234_5678u64),
    fill_u64_of_unequal_words = |device| fill(device, 0x1234_5678_9ABC_DEF0u64),
    fill_f64 = |device| fill(device, std::f64::consts::PI),
    fill_f32x3 = |device| fill(device, [1.0f32, 2.0, 3.0]),
    fill_u8x3 = |device| fill(device, [1u8, 2, 3]),
    fill_beyond_one_block,
    large_upload,
    large_upload_over_device_work,
];

async fn copy_between_buffers(device: &Device) -> TestResult {
    let source = device.buffer_from(&words(200))?;
    let mut target = device.buffer::<u32>(200)?;
    target.copy_from(&source)?;
    same(&target.read_here().await?, &words(200), "all")?;
    target.slice_mut(0..50).copy_from(source.slice(150..200))?;
    same(&target.slice(0..50).read_here().await?, &words(200)[150..], "slice to slice")?;
    same(&target.slice(50..).read_here().await?, &words(200)[50..], "the elements beside it")
}

async fn copy_within_one_buffer(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(300))?;
    let (source, target) = buffer.split_at_mut(150);
    target.copy_from(&source)?;
    let (mut target, source) = buffer.split_at_mut(50);
    target.slice_mut(..10).copy_from(source.as_slice().slice(100..110))?;
    let mut wanted = words(300);
    wanted.copy_within(0..150, 150);
    wanted.copy_within(150..160, 0);
    same(&buffer.read_here().await?, &wanted, "both ways")
}

async fn copy_chain(device: &Device) -> TestResult {
    let mut buffers = Vec::new();
    for index in 0..10u32 {
        buffers.push(device.buffer_from(&[index; 65])?);
    }
    add(device, &mut buffers[0], 65, 42)?;
    for index in 1..10 {
        let (before, after) = buffers.split_at_mut(index);
        after[0].copy_from(&before[index - 1])?;
    }
    buffers[0].fill(0)?;
    same(&buffers[9].read_here().await?, &[42; 65], "the end of the chain")
}

async fn fill<T: Element + Debug>(device: &Device, value: T) -> TestResult {
    for length in [1, 2, 3, 64, 1009] {
        let mut buffer = device.buffer::<T>(length)?;
        buffer.fill(value)?;
        same(&buffer.read_here().await?, &vec![value; length], "a fill").context(|| format!("{length} elements"))?;
    }
    let zero = T::zeroed();
    let mut buffer = device.buffer::<T>(64)?;
    buffer.slice_mut(16..32).fill(value)?;
    let mut wanted = vec![zero; 64];
    wanted[16..32].fill(value);
    same(&buffer.read_here().await?, &wanted, "a fill of a part")
}

async fn fill_beyond_one_block(device: &Device) -> TestResult {
    let length = (3 << 20) + 17;
    let mut buffer = device.buffer::<u32>(length)?;
    buffer.slice_mut(5..).fill(0xABCD_1234)?;
    let host = buffer.read_here().await?;
    equal(host[..5].to_vec(), vec![0; 5], "before the fill")?;
    equal(host[5..].iter().position(|value| *value != 0xABCD_1234), None, "index of the first word that was not filled")
}

/// The number of elements in 40 MiB, plus one: several chunks, of which the last is small.
const LARGE: usize = (10 << 20) + 1;

async fn large_upload(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let data: Vec<u32> = (0..LARGE).map(word).collect();
    let mut buffer = fresh.buffer_from(&data)?;
    add(&fresh, &mut buffer, LARGE, 0)?;
    same(&buffer.read_here().await?, &data, "a round trip of 40 MiB")?;
    let bytes = if fresh.caps().unified { 0 } else { 4 * LARGE as u64 };
    equal(buffer.stats().bytes_uploaded, bytes, "bytes uploaded")
}

async fn large_upload_over_device_work(device: &Device) -> TestResult {
    let mut buffer = device.buffer::<u32>(LARGE + 10)?;
    buffer.slice_mut(..10).copy_from_slice_here(&[5; 10]).await?;
    add(device, &mut buffer, LARGE + 10, 1)?;
    let data: Vec<u32> = (0..LARGE).map(word).collect();
    buffer.slice_mut(10..).copy_from_slice_here(&data).await?;
    add(device, &mut buffer, LARGE + 10, 1)?;
    let host = buffer.read_here().await?;
    equal(host[..10].to_vec(), vec![7; 10], "the first elements, written only once")?;
    let wrong = host[10..].iter().zip(&data).position(|(got, sent)| *got != sent.wrapping_add(1));
    equal(wrong, None, "index of the first wrong word")
}

//! Accesses by host and device in turn.

use anywarp::Device;

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::kernels::add;
use crate::suite::portable_waits::{ReadHere, ReopenHere, SynchronizeHere, WriteHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, equal, same};

pub(crate) const CASES: &[Case] = cases![
    read_after_write,
    taking_turns,
    update_sees_the_device,
    read_only_updates_change_nothing,
    later_writes_win,
    writes_around_device_work,
    fill_overrides_what_the_host_wrote,
    reads_are_repeatable,
    async_access,
    cancelled_reads,
    reads_after_cancelled_ones_wait,
    submit_then_read,
];

async fn read_after_write(device: &Device) -> TestResult {
    let mut buffer = device.buffer::<u32>(1000)?;
    buffer.write_here().await?.copy_from_slice(&words(1000));
    same(&buffer.read_here().await?, &words(1000), "before any device work")?;
    device.synchronize_here().await?;
    same(&buffer.read_here().await?, &words(1000), "after a wait")
}

async fn taking_turns(device: &Device) -> TestResult {
    let mut wanted = words(1009);
    let mut buffer = device.buffer_from(&wanted)?;
    for turn in 0..20u32 {
        add(device, &mut buffer, 1009, turn)?;
        wanted.iter_mut().for_each(|value| *value = value.wrapping_add(turn));
        match turn % 4 {
            0 => same(&buffer.read_here().await?, &wanted, "read")?,
            1 => {
                buffer.update_here().await?[turn as usize] = 7;
                wanted[turn as usize] = 7;
            }
            2 => {
                wanted = words(1009 + turn as usize).split_off(turn as usize);
                buffer.copy_from_slice_here(&wanted).await?;
            }
            _ => {}
        }
    }
    same(&buffer.read_here().await?, &wanted, "at the end")
}

async fn update_sees_the_device(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[10u32; 64])?;
    add(device, &mut buffer, 64, 5)?;
    {
        let mut host = buffer.update_here().await?;
        equal(host[3], 15, "the element that the device wrote")?;
        host[3] = 100;
    }
    add(device, &mut buffer, 64, 1)?;
    let host = buffer.read_here().await?;
    equal((host[2], host[3], host[4]), (16, 101, 16), "one element changed, others kept")
}

async fn read_only_updates_change_nothing(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[1u32; 64])?;
    add(device, &mut buffer, 64, 1)?;
    equal(buffer.update_here().await?.iter().sum::<u32>(), 128, "the sum of the elements")?;
    add(device, &mut buffer, 64, 1)?;
    same(&buffer.read_here().await?, &[3; 64], "after a read-only update")
}

async fn later_writes_win(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[0u32; 32])?;
    buffer.slice_mut(0..16).copy_from_slice_here(&[1; 16]).await?;
    buffer.slice_mut(8..24).copy_from_slice_here(&[2; 16]).await?;
    buffer.slice_mut(12..14).update_here().await?.fill(3);
    let mut wanted = [0u32; 32];
    wanted[..16].fill(1);
    wanted[8..24].fill(2);
    wanted[12..14].fill(3);
    same(&buffer.read_here().await?, &wanted, "seen by the host")?;
    add(device, &mut buffer, 32, 10)?;
    same(&buffer.read_here().await?, &wanted.map(|value| value + 10), "seen by the device")
}

async fn writes_around_device_work(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&[1u32; 128])?;
    add(device, &mut buffer, 128, 1)?;
    buffer.slice_mut(0..4).copy_from_slice_here(&[50; 4]).await?;
    add(device, &mut buffer, 128, 1)?;
    buffer.slice_mut(2..6).copy_from_slice_here(&[90; 4]).await?;
    let host = buffer.read_here().await?;
    equal(host[..8].to_vec(), vec![51, 51, 90, 90, 90, 90, 3, 3], "in program order")
}

async fn fill_overrides_what_the_host_wrote(device: &Device) -> TestResult {
    let mut buffer = device.buffer::<u32>(64)?;
    buffer.copy_from_slice_here(&[7; 64]).await?;
    buffer.fill(9)?;
    same(&buffer.read_here().await?, &[9; 64], "a fill after a write")?;
    buffer.fill(1)?;
    buffer.slice_mut(4..8).copy_from_slice_here(&[2; 4]).await?;
    let mut wanted = [1u32; 64];
    wanted[4..8].fill(2);
    same(&buffer.read_here().await?, &wanted, "a write after a fill")?;
    buffer.slice_mut(4..8).copy_from_slice_here(&[3; 4]).await?;
    buffer.slice_mut(6..10).fill(5)?;
    wanted[4..6].fill(3);
    wanted[6..10].fill(5);
    same(&buffer.read_here().await?, &wanted, "a fill over half of a write")
}

async fn reads_are_repeatable(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(300))?;
    add(device, &mut buffer, 300, 0)?;
    for _ in 0..3 {
        same(&buffer.slice(100..200).read_here().await?, &words(300)[100..200], "a part")?;
        same(&buffer.read_here().await?, &words(300), "all")?;
    }
    Ok(())
}

async fn async_access(device: &Device) -> TestResult {
    let mut buffer = device.buffer_from(&words(500))?;
    let mut wanted = words(500);
    for round in 0..5u32 {
        add(device, &mut buffer, 500, round)?;
        wanted.iter_mut().for_each(|value| *value = value.wrapping_add(round));
        same(&buffer.read_async().await?, &wanted, "read_async")?;
        buffer.update_async().await?[7] = round;
        wanted[7] = round;
        let part = buffer.slice(5..10).read_async().await?;
        same(&part, &wanted[5..10], "read_async of a slice")?;
    }
    add(device, &mut buffer, 500, 0)?;
    device.synchronize_async().await?;
    same(&buffer.read_here().await?, &wanted, "at the end")
}

/// Dropping a future, polled once or never, has no effect on later reads.
async fn cancelled_reads(device: &Device) -> TestResult {
    use std::future::Future;
    let mut buffer = device.buffer_from(&[1u32; 256])?;
    let waker = std::task::Waker::noop();
    let mut context = std::task::Context::from_waker(waker);
    for round in 1..=5 {
        add(device, &mut buffer, 256, 1)?;
        drop(buffer.read_async());
        let mut polled = Box::pin(buffer.read_async());
        // The result of the poll is ignored, whether it is ready or not.
        let _ = polled.as_mut().poll(&mut context);
        drop(polled);
        let mut updated = Box::pin(buffer.update_async());
        let _ = updated.as_mut().poll(&mut context);
        drop(updated);
        if round % 2 == 0 {
            same(&buffer.read_here().await?, &[1 + round; 256], "a read after cancelled ones")?;
        }
    }
    add(device, &mut buffer, 256, 1)?;
    same(&buffer.read_here().await?, &[7; 256], "after cancelled reads")
}

/// A read must not mistake the end of the work of a cancelled read for the end of later work.
async fn reads_after_cancelled_ones_wait(device: &Device) -> TestResult {
    use std::future::Future;
    let slow = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var value = data[id.x];
             for (var n = 0u; n < 1000u; n++) { value = value * 5u + 1u; }
             data[id.x] = value;
         }",
    )?;
    let step = |value: u32| (0..1000).fold(value, |value, _| value.wrapping_mul(5).wrapping_add(1));
    let mut buffer = device.buffer_from(&[1u32; 4096])?;
    let mut wanted = 1;
    for _ in 0..20 {
        slow.launch().bind("data", &mut buffer).threads(4096)?;
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let _ = std::pin::pin!(buffer.read_async()).poll(&mut context);
        slow.launch().bind("data", &mut buffer).threads(4096)?;
        wanted = step(step(wanted));
        same(&buffer.read_here().await?, &[wanted; 4096], "after both launches")?;
    }
    Ok(())
}

async fn submit_then_read(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let mut buffer = fresh.buffer_from(&[1u32; 64])?;
    add(&fresh, &mut buffer, 64, 1)?;
    fresh.submit()?;
    let after = fresh.stats().counters.submissions;
    ensure(after >= 1, || "submit caused no submission".to_owned())?;
    fresh.submit()?;
    equal(fresh.stats().counters.submissions, after, "submissions after an empty submit")?;
    same(&buffer.read_here().await?, &[2; 64], "after submit")
}

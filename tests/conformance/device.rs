//! Devices: their capabilities, and several handles to one device.

use anywarp::backend::BackendKind;
use std::collections::HashSet;

use anywarp::backend::Caps;
use anywarp::{Device, DeviceOptions, OpenError};

use crate::suite::case::{Case, cases};
use crate::suite::kernels::{add, still_works};
use crate::suite::portable_waits::{BLOCKING, NO_THREADS, ReadHere, ReopenHere, enumerate_here, select_here};
use anywarp_testing_devices::outcome::{Context, TestResult, ensure, equal, fail, refused, skip};

pub(crate) const CASES: &[Case] = cases![
    caps_are_sane,
    limits_are_at_least_those_of_webgpu,
    feature_names_are_known,
    selector_opens_the_same_device,
    open_without_blocking,
    enumeration_lists_it,
    errors_of_unknown_selectors_list_the_candidates,
    clones_share_everything,
    two_devices_at_once,
    buffers_outlive_the_handle,
    counters_start_at_zero,
];

async fn caps_are_sane(device: &Device) -> TestResult {
    let caps = device.caps();
    ensure(!caps.name.is_empty(), || "the device has no name".to_owned())?;
    ensure(caps.backend != BackendKind::Null, || "the null backend is no real device".to_owned())?;
    equal(caps.blocking, BLOCKING, "`blocking`")?;
    ensure(caps.memory != Some(0), || "a device without memory".to_owned())?;
    if let Some((least, most)) = caps.subgroup_size {
        let sane = least.is_power_of_two() && most.is_power_of_two() && least <= most;
        ensure(sane, || format!("subgroups of {least} to {most}"))?;
    }
    let has_subgroups = caps.feature_names().contains(&"subgroups");
    equal(caps.subgroup_size.is_some(), has_subgroups, "subgroup sizes exist exactly where subgroups do")
}

/// The device's limits are at least the defaults of the WebGPU specification (section "Limits"), on which portable
/// kernels rely.
async fn limits_are_at_least_those_of_webgpu(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    let at_least = [
        ("buffer_size", limits.buffer_size, 256 << 20),
        ("storage_binding_size", limits.storage_binding_size, 128 << 20),
        ("uniform_binding_size", limits.uniform_binding_size, 64 << 10),
        ("storage_buffers", limits.storage_buffers.into(), 8),
        ("uniform_buffers", limits.uniform_buffers.into(), 12),
        ("bind_groups", limits.bind_groups.into(), 4),
        ("bindings_per_group", limits.bindings_per_group.into(), 640),
        ("workgroup_storage", limits.workgroup_storage.into(), 16 << 10),
        ("workgroup_invocations", limits.workgroup_invocations.into(), 256),
        ("workgroup_size.x", limits.workgroup_size[0].into(), 256),
        ("workgroup_size.y", limits.workgroup_size[1].into(), 256),
        ("workgroup_size.z", limits.workgroup_size[2].into(), 64),
        ("workgroups_per_dimension", limits.workgroups_per_dimension.into(), 65_535),
    ];
    for (name, has, least) in at_least {
        ensure(has >= least, || format!("{name}: expected at least {least}, got {has}"))?;
    }
    for alignment in [limits.storage_offset_alignment, limits.uniform_offset_alignment] {
        ensure(alignment.is_power_of_two() && alignment <= 256, || format!("binding alignment {alignment}"))?;
    }
    Ok(())
}

async fn feature_names_are_known(device: &Device) -> TestResult {
    let names = device.caps().feature_names();
    let known: HashSet<&str> = Caps::known_features().iter().map(|(_, name)| *name).collect();
    equal(known.len(), Caps::known_features().len(), "the number of distinct feature names")?;
    for name in &names {
        ensure(known.contains(name), || format!("unknown feature {name}"))?;
    }
    equal(names.iter().collect::<HashSet<_>>().len(), names.len(), "the number of distinct listed features")
}

async fn selector_opens_the_same_device(device: &Device) -> TestResult {
    for again in [select_here(device.selector()).await?, device.reopen_here().await?] {
        equal(again.selector(), device.selector(), "selector")?;
        equal(&again.caps().name, &device.caps().name, "name")?;
        equal(again.caps().backend, device.caps().backend, "backend")?;
    }
    equal(device.reopen_here().await?.caps().unified, device.caps().unified, "`unified` of the reopened device")
}

async fn open_without_blocking(device: &Device) -> TestResult {
    let options = DeviceOptions::default().selector(device.selector());
    let other = Device::open_async(&options).await?;
    equal(other.selector(), device.selector(), "selector")?;
    still_works(&other).await
}

async fn enumeration_lists_it(device: &Device) -> TestResult {
    let all = enumerate_here().await;
    let selectors: HashSet<&str> = all.iter().map(|candidate| candidate.selector.as_str()).collect();
    equal(selectors.len(), all.len(), "the number of distinct selectors")?;
    match all.iter().find(|candidate| candidate.selector == device.selector()) {
        None => fail("the device is not listed"),
        Some(candidate) => equal(&candidate.caps.limits, &device.caps().limits, "limits"),
    }
}

async fn errors_of_unknown_selectors_list_the_candidates(device: &Device) -> TestResult {
    let name = device.caps().name.as_str();
    let wanted = |wanted: &'static str| move |error: &OpenError| error.wanted.as_deref() == Some(wanted);
    let listed: Vec<String> = enumerate_here().await.into_iter().map(|candidate| candidate.selector).collect();
    for selector in ["no such device", "dx12:no such device", "vulkan:99"] {
        let result = select_here(selector).await;
        let mut rejected = result.as_ref().err().map_or_else(Vec::new, |error| error.rejected.clone());
        // A backend without any device is no candidate.
        rejected.retain(|rejection| rejection.selector.contains(':'));
        let rejected: Vec<String> = rejected.into_iter().map(|rejection| rejection.selector).collect();
        refused(result, wanted(selector), &[selector, name, device.selector()])?;
        equal(&rejected, &listed, "the rejected candidates")?;
    }
    Ok(())
}

async fn clones_share_everything(device: &Device) -> TestResult {
    if !BLOCKING {
        return skip(NO_THREADS);
    }
    let fresh = device.reopen_here().await?;
    let clone = fresh.clone();
    let buffer = std::thread::spawn(move || clone.buffer_from(&[1u32, 2, 3]).map_err(|error| error.to_string()));
    let Ok(Ok(mut buffer)) = buffer.join() else { return fail("the other thread could not make a buffer") };
    equal(fresh.stats().live_bytes, 12, "live bytes through the other handle")?;
    add(&fresh, &mut buffer, 3, 1)?;
    equal(buffer.read_here().await?.to_vec(), vec![2, 3, 4], "a buffer of another thread")
}

async fn two_devices_at_once(device: &Device) -> TestResult {
    let (one, two) = (device.reopen_here().await?, device.reopen_here().await?);
    let (mut on_one, mut on_two) = (one.buffer_from(&[1u32; 100])?, two.buffer_from(&[2u32; 100])?);
    for _ in 0..10 {
        add(&one, &mut on_one, 100, 1)?;
        add(&two, &mut on_two, 100, 2)?;
    }
    equal(on_one.read_here().await?.to_vec(), vec![11; 100], "the first device")?;
    equal(on_two.read_here().await?.to_vec(), vec![22; 100], "the second device")?;
    drop((on_two, two));
    add(&one, &mut on_one, 100, 1)?;
    equal(on_one.read_here().await?.to_vec(), vec![12; 100], "the first device, after the second is closed")
}

async fn buffers_outlive_the_handle(device: &Device) -> TestResult {
    let own = device.reopen_here().await?;
    let kernel = own.kernel(crate::suite::kernels::ADD)?;
    let mut data = own.buffer_from(&[5u32; 10])?;
    drop(own);
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).threads(10)?;
    equal(data.read_here().await?.to_vec(), vec![6; 10], "after the handle is dropped")
        .context(|| "without a handle".to_owned())
}

async fn counters_start_at_zero(device: &Device) -> TestResult {
    let stats = device.reopen_here().await?.stats();
    equal((stats.uploads, stats.downloads, stats.launches), (0, 0, 0), "transfers and launches")?;
    equal((stats.live_bytes, stats.peak_bytes), (0, 0), "bytes of buffers")?;
    equal((stats.counters.dispatches, stats.counters.compilations), (0, 0), "the backend's counters")
}

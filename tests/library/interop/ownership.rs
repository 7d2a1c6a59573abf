//! Ownership of buffers, and their allowed uses.

use anywarp::interop::InteropError;
use anywarp::interop::wgpu::{self as beside, Handles, wgpu};
use anywarp::{BufferError, Device, LaunchError, UnifiedBuffer};
use wgpu::{BufferUsages, Features};

use super::raw::{Received, Triple, WORK, anywarp_on, buffer, device, pairs, second};

/// A kernel that writes a uniform to `y`.
const SPREAD: &str = "
@group(0) @binding(0) var<uniform> x: u32;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1)
fn spread(@builtin(workgroup_id) id: vec3<u32>) { y[id.x] = x; }";

fn adopt(device: &Device, raw: &wgpu::Buffer) -> Result<UnifiedBuffer<u32>, InteropError> {
    beside::buffer(device, raw.clone())
}

/// A buffer of another device is refused, whether that device is on the same adapter, in another instance, or opened by
/// anywarp, and with and without an error callback. Without the check, such a buffer would be used as a buffer of this
/// device.
#[test]
fn a_buffer_of_another_device_is_refused() -> anywarp::Result<()> {
    let (Some(raw), Some(elsewhere)) = (device(Features::empty()), device(Features::empty())) else { return Ok(()) };
    let anywarp = anywarp_on(&raw);
    let sibling = second(&raw.adapter, Features::empty());
    let own = Device::open(anywarp.selector())?.wgpu().expect("a device of wgpu");
    let mut ours: Vec<wgpu::Buffer> = (0..8).map(|_| buffer(&raw.device, 64, WORK)).collect();
    for received in [false, true] {
        for (name, other) in [("sibling", &sibling), ("elsewhere", &elsewhere), ("anywarp's", &own)] {
            let Handles { device, .. } = other;
            let received = received.then(|| Received::by(device));
            let theirs = buffer(device, 64, WORK);
            let error = adopt(&anywarp, &theirs).unwrap_err();
            assert!(matches!(error, InteropError::OtherDevice { .. }), "{name}: {error:?}");
            assert!(error.to_string().contains("interop::wgpu::device"), "{error}");
            if let Some(received) = received {
                assert_eq!(received.errors().len(), 1, "{name}");
            }
        }
    }
    // Buffers that were created before and after the refusals are accepted.
    ours.push(buffer(&raw.device, 64, WORK));
    for raw in &ours {
        assert_eq!(*adopt(&anywarp, raw)?.read()?, [0; 16]);
    }
    Ok(())
}

#[test]
fn three_handles_must_belong_together() {
    let (Some(one), Some(other)) = (device(Features::empty()), device(Features::empty())) else { return };
    let sibling = second(&one.adapter, Features::empty());
    for queue in [other.queue, sibling.queue] {
        let error = beside::device(&one.adapter, one.device.clone(), queue).unwrap_err().to_string();
        assert!(error.contains("the queue belongs to another device"), "{error}");
    }
    beside::device(&one.adapter, one.device.clone(), one.queue).unwrap();
}

#[test]
fn a_mapped_buffer_is_refused() -> anywarp::Result<()> {
    for pair in pairs() {
        let raw = pair.raw.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: WORK,
            mapped_at_creation: true,
        });
        raw.get_mapped_range_mut(..).unwrap().slice(..).copy_from_slice(&[7; 16]);
        assert!(matches!(adopt(&pair.anywarp, &raw), Err(InteropError::Mapped)), "{}", pair.name);
        raw.unmap();
        assert_eq!(*adopt(&pair.anywarp, &raw)?.read()?, [0x07070707; 4]);

        let pending = buffer(&pair.raw.device, 64, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        pending.map_async(wgpu::MapMode::Read, .., |_| {});
        let error = adopt(&pair.anywarp, &pending).unwrap_err().to_string();
        assert!(error.contains("or is being mapped"), "{error}");
        pair.raw.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        assert!(pending.get_mapped_range(..).is_ok(), "the mapping is unaffected");
    }
    Ok(())
}

#[test]
fn a_buffer_holds_whole_elements() {
    let Some(raw) = device(Features::empty()) else { return };
    let anywarp = anywarp_on(&raw);
    let of_size = |size| buffer(&raw.device, size, WORK);
    let error = beside::buffer::<[f32; 4]>(&anywarp, of_size(24)).unwrap_err().to_string();
    assert!(error.contains("24 bytes is not a whole number of elements [f32; 4] of 16 bytes"), "{error}");
    for size in [0, 6] {
        let error = beside::buffer::<u8>(&anywarp, of_size(size)).unwrap_err().to_string();
        assert!(error.contains(&format!("{size} bytes")) && error.contains("multiples of 4 bytes"), "{error}");
    }
    assert_eq!(beside::buffer::<u8>(&anywarp, of_size(8)).unwrap().len(), 8);
    assert_eq!(anywarp.stats().live_bytes, 0);
}

/// Uses a buffer in every way; returns the names of the missing usages of all refused uses.
fn refused(device: &Device, buffer: &mut UnifiedBuffer<u32>) -> Vec<&'static str> {
    let spread = device.kernel(SPREAD).unwrap();
    let mut other = device.buffer::<u32>(16).unwrap();
    let params = device.buffer_from(&[1u32, 1, 1, 0]).unwrap();
    let usage = |error: BufferError| match error {
        BufferError::Usage { missing, .. } => missing,
        error => panic!("{error}"),
    };
    let of_launch = |error: LaunchError| match error {
        LaunchError::Slice { error, .. } => usage(error),
        error => panic!("{error}"),
    };
    let results = [
        buffer.write().map(|mut all| all.fill(1)).map_err(usage),
        buffer.fill(1).map_err(usage),
        buffer.copy_from(params.slice(..)).map_err(usage),
        buffer.update().map(|mut all| all[3] = 0).map_err(usage),
        buffer.copy_from_slice(&[1, 1, 1, 0]).map_err(usage),
        buffer.read().map(|all| assert_eq!(all[0], 1)).map_err(usage),
        other.slice_mut(..4).copy_from(&*buffer).map_err(usage),
        spread.launch().bind("x", &*buffer).bind("y", &mut other).groups(1).map(drop).map_err(of_launch),
        spread.launch().bind("x", &params).bind("y", &mut *buffer).groups(1).map(drop).map_err(of_launch),
        spread.launch().bind("x", &params).bind("y", &mut other).indirect(&*buffer, 0).map(drop).map_err(of_launch),
    ];
    device.synchronize().unwrap();
    results.into_iter().filter_map(Result::err).collect()
}

#[test]
fn missing_usages_are_refused_on_use() -> anywarp::Result<()> {
    let Some(raw) = device(Features::empty()) else { return Ok(()) };
    let anywarp = anywarp_on(&raw);
    let received = Received::by(&raw.device);
    let table: [(BufferUsages, &[&str]); 6] = [
        (BufferUsages::empty(), &[]),
        (BufferUsages::STORAGE, &["STORAGE"]),
        (BufferUsages::UNIFORM, &["UNIFORM"]),
        (BufferUsages::INDIRECT, &["INDIRECT"]),
        (BufferUsages::COPY_SRC, &["COPY_SRC"; 3]),
        (BufferUsages::COPY_DST, &["COPY_DST"; 5]),
    ];
    for (without, expected) in table {
        let raw = buffer(&raw.device, 16, WORK - without);
        // Buffers that anywarp cannot write are not tested, because raw code would have to write their contents.
        if !raw.usage().contains(BufferUsages::COPY_DST) {
            continue;
        }
        let mut buffer = beside::buffer(&anywarp, raw)?;
        assert_eq!(refused(&anywarp, &mut buffer), expected, "without {without:?}");
    }
    let error = adopt(&anywarp, &buffer(&raw.device, 16, BufferUsages::VERTEX)).unwrap_err().to_string();
    assert!(error.contains("STORAGE, UNIFORM, INDIRECT, COPY_SRC, COPY_DST"), "{error}");

    let read_only = adopt(&anywarp, &buffer(&raw.device, 16, BufferUsages::STORAGE | BufferUsages::COPY_DST))?;
    let error = read_only.read().unwrap_err().to_string();
    assert_eq!(error, "the buffer cannot be read; create it with `wgpu::BufferUsages::COPY_SRC` as well");
    assert_eq!(received.errors(), [""; 0]);
    Ok(())
}

#[test]
fn a_lent_buffer_is_exclusive() -> anywarp::Result<()> {
    for pair in pairs() {
        let spread = pair.anywarp.kernel(SPREAD)?;
        let params = pair.anywarp.buffer_from(&[1u32; 4])?;
        let mut data = pair.anywarp.buffer::<u32>(8)?;
        let mut recording = pair.anywarp.recording();
        spread.launch().bind("x", &params).bind("y", &mut data).record(&mut recording).groups(8)?;
        {
            let lent = params.lend_wgpu()?;
            let launched = spread.launch().bind("x", &params).bind("y", &mut data).groups(8);
            assert!(matches!(launched, Err(LaunchError::InUse { guard: "Lent", .. })), "{launched:?}");
            let submitted = recording.submit().unwrap_err().to_string();
            assert_eq!(submitted, "the buffer is in use by a Lent; drop the guard first");
            assert!(matches!(params.read(), Err(BufferError::InUse { guard: "Lent" })));
            assert!(matches!(params.lend_wgpu(), Err(InteropError::Buffer(BufferError::InUse { guard: "Lent" }))));
            let copied = data.slice_mut(..4).copy_from(&params);
            assert!(matches!(copied, Err(BufferError::InUse { guard: "Lent" })), "{copied:?}");
            assert!(lent.size() >= 16);
        }
        let guard = params.read()?;
        let lent = params.lend_wgpu();
        assert!(matches!(lent, Err(InteropError::Buffer(BufferError::InUse { guard: "ReadGuard" }))), "{lent:?}");
        drop((guard, lent));
        recording.submit()?;
        assert_eq!(*data.read()?, [1; 8], "{}", pair.name);
    }
    Ok(())
}

/// Handles that outlive the buffer keep its memory alive.
#[test]
fn a_handle_outlives_its_buffer() -> anywarp::Result<()> {
    for pair in pairs() {
        let triple = Triple::new(&pair.raw.device);
        let mut data = pair.anywarp.buffer_from(&[5u32; 64])?;
        let kept: wgpu::Buffer = data.lend_wgpu_mut()?.clone();
        let commands = triple.commands(&kept, 256);
        drop(data);
        assert_eq!(pair.anywarp.stats().live_bytes, 0, "{}", pair.name);
        pair.raw.queue.submit([commands]);
        let again = adopt(&pair.anywarp, &kept)?;
        assert_eq!(again.read()?[..64], [16; 64], "{}", pair.name);
        assert_eq!(pair.anywarp.stats().live_bytes, kept.size());
    }
    Ok(())
}

/// A recording can still use a buffer that was given away.
#[test]
fn a_recording_keeps_a_buffer_that_was_given_away() -> anywarp::Result<()> {
    for pair in pairs() {
        let mut data = pair.anywarp.buffer::<u32>(64)?;
        let mut recording = pair.anywarp.recording();
        recording.fill(&mut data, 4)?;
        let given = data.into_wgpu()?;
        recording.submit()?;
        pair.raw.queue.submit([Triple::new(&pair.raw.device).commands(&given, 256)]);
        assert_eq!(adopt(&pair.anywarp, &given)?.read()?[..64], [13; 64], "{}", pair.name);
    }
    Ok(())
}

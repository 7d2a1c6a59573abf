//! Each side receives only its own errors, and both receive the loss of the device.

use std::sync::atomic::{AtomicBool, Ordering};

use anywarp::backend::BackendError;
use anywarp::interop::wgpu::{self as beside, wgpu};
use anywarp::{BufferError, Error, KernelError, UnifiedBuffer};
use wgpu::{BufferUsages, Features};

use super::raw::{Pair, Received, WORK, anywarp_on, buffer, device, pairs};

const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&b) { b[id.x] += 1u; }
}";

/// Checks that anywarp still works on the device.
fn counts(pair: &Pair) {
    let mut b = pair.anywarp.buffer_from(&[1u32; 1000]).expect("memory");
    let count = pair.anywarp.kernel(COUNT).expect("a kernel");
    count.launch().bind("b", &mut b).threads(1000).expect("a launch");
    assert_eq!(*b.read().expect("the results"), [2; 1000], "{}", pair.name);
}

fn count(pair: &Pair, b: &mut UnifiedBuffer<u32>) -> anywarp::Result<()> {
    pair.anywarp.kernel(COUNT)?.launch().bind("b", b).threads(64)?;
    Ok(())
}

/// If raw code destroys a buffer that anywarp uses, only uses of this buffer fail.
#[test]
fn a_destroyed_buffer_is_an_error() -> anywarp::Result<()> {
    for pair in pairs() {
        let received = Received::by(&pair.raw.device);
        let mappable = BufferUsages::MAP_READ | BufferUsages::MAP_WRITE;
        let both = if pair.anywarp.caps().unified { vec![WORK, WORK | mappable] } else { vec![WORK] };
        for usage in both {
            for launched in [false, true] {
                let raw = buffer(&pair.raw.device, 256, usage);
                let mut b = beside::buffer::<u32>(&pair.anywarp, raw.clone())?;
                if launched {
                    count(&pair, &mut b)?;
                }
                raw.destroy();
                let error = b.read().unwrap_err();
                let refused = matches!(&error, BufferError::Device { error: BackendError::Rejected { .. }, .. });
                assert!(refused && error.to_string().contains("destroyed"), "{}: {error}", pair.name);
                let again = count(&pair, &mut b).and_then(|_| pair.anywarp.submit());
                assert!(again.is_err(), "{}, {usage:?}", pair.name);
                drop(b);
                counts(&pair);
            }
        }
        // This buffer belongs to anywarp and was lent to raw code.
        let mut b = pair.anywarp.buffer_from(&[1u32; 64])?;
        b.lend_wgpu_mut()?.destroy();
        assert!(b.read().is_err(), "{}", pair.name);
        drop(b);
        counts(&pair);
        assert_eq!(received.errors(), [""; 0], "{}", pair.name);
    }
    Ok(())
}

fn mistake(pair: &Pair) {
    drop(buffer(&pair.raw.device, 4, BufferUsages::empty()));
    let small = buffer(&pair.raw.device, 4, WORK);
    pair.raw.queue.write_buffer(&small, 0, &[0; 8]);
}

#[test]
fn raw_code_receives_its_own_errors() -> anywarp::Result<()> {
    for pair in pairs() {
        let received = Received::by(&pair.raw.device);
        let mut b = pair.anywarp.buffer_from(&[0u32; 64])?;
        for _ in 0..10 {
            mistake(&pair);
            count(&pair, &mut b)?;
            mistake(&pair);
            pair.anywarp.submit()?;
            mistake(&pair);
            pair.anywarp.synchronize()?;
        }
        assert_eq!(*b.read()?, [10; 64]);
        assert_eq!(received.errors().len(), 60, "{}", pair.name);

        // The mistake is made in an error scope of raw code, between scopes that anywarp opens and closes.
        let scope = pair.raw.device.push_error_scope(wgpu::ErrorFilter::Validation);
        counts(&pair);
        mistake(&pair);
        counts(&pair);
        assert!(pollster::block_on(scope.pop()).is_some(), "{}", pair.name);
        assert_eq!(received.errors(), [""; 0], "{}", pair.name);
    }
    Ok(())
}

/// Raw code receives its own errors if it makes them on another thread, at any time.
#[test]
fn raw_code_receives_its_own_errors_on_every_thread() -> anywarp::Result<()> {
    let ours = pairs().into_iter().skip(2).map(|pair| (pair, false));
    for (pair, with_callback) in pairs().into_iter().map(|pair| (pair, true)).chain(ours) {
        // Without this callback, anywarp's own callback receives the error, and must recognise that raw code caused it.
        let received = with_callback.then(|| Received::by(&pair.raw.device));
        let over = AtomicBool::new(false);
        let made = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| {
                let mut made = 0;
                while !over.load(Ordering::Relaxed) {
                    mistake(&pair);
                    pair.raw.queue.submit([]);
                    pair.raw.device.poll(wgpu::PollType::Poll).unwrap();
                    made += 2;
                }
                made
            });
            let ours = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (0..50).for_each(|_| counts(&pair))));
            over.store(true, Ordering::Relaxed);
            ours.unwrap();
            theirs.join().unwrap()
        });
        if let Some(received) = received {
            assert_eq!(received.errors().len(), made, "{}", pair.name);
        }
    }
    Ok(())
}

/// If raw code has no callback, an error of anywarp does not become a panic of wgpu.
#[test]
fn anywarp_receives_its_own_errors() {
    let Some(raw) = device(Features::empty()) else { return };
    let pair = Pair { name: "theirs", anywarp: anywarp_on(&raw), raw };
    let gone = buffer(&pair.raw.device, 256, WORK);
    let mut b = beside::buffer::<u32>(&pair.anywarp, gone.clone()).unwrap();
    gone.destroy();
    count(&pair, &mut b).unwrap();
    let error = pair.anywarp.synchronize().unwrap_err();
    assert!(matches!(&error, Error::Device(BackendError::Rejected { .. })), "{error}");
    counts(&pair);
}

#[test]
fn a_missing_feature_of_a_raw_device_is_named() -> anywarp::Result<()> {
    let Some(raw) = device(Features::empty()) else { return Ok(()) };
    let anywarp = anywarp_on(&raw);
    assert_eq!(anywarp.caps().limits.workgroup_invocations, raw.device.limits().max_compute_invocations_per_workgroup);
    assert!(!anywarp.caps().unified && !anywarp.caps().timestamps);
    let wide = "
        @group(0) @binding(0) var<storage, read_write> b: array<f64>;
        @compute @workgroup_size(1) fn wide() { b[0] = b[0] * f64(2.0); }";
    let error = anywarp.kernel(wide).unwrap_err();
    assert!(matches!(&error, KernelError::MissingFeature { feature, .. } if feature == "f64"), "{error}");
    if raw.adapter.features().contains(Features::SHADER_F64) {
        let more = device(Features::SHADER_F64).expect("there was one");
        anywarp_on(&more).kernel(wide)?;
    }
    let limit = raw.device.limits().max_compute_invocations_per_workgroup;
    let large = format!("@compute @workgroup_size({}) fn large() {{}}", 2 * limit);
    let error = anywarp.kernel(&*large).unwrap_err();
    assert!(matches!(error, KernelError::AboveLimit { .. }), "{error}");
    Ok(())
}

/// If one side loses the device, both sides receive the loss, and nothing panics or hangs.
#[test]
fn a_lost_device_is_lost_for_both() -> anywarp::Result<()> {
    for pair in pairs() {
        let received = Received::by(&pair.raw.device);
        let mut b = pair.anywarp.buffer_from(&[1u32; 64])?;
        count(&pair, &mut b)?;
        assert_eq!(b.read()?[0], 2);
        let kernel = pair.anywarp.kernel(COUNT)?;
        let ours = beside::buffer::<u32>(&pair.anywarp, buffer(&pair.raw.device, 256, WORK))?;

        pair.raw.device.destroy();
        let lost = |result: Result<(), Error>| {
            let error = result.unwrap_err();
            assert_eq!(error.class(), anywarp::ErrorClass::Fatal, "{}: {error}", pair.name);
        };
        let launched = kernel.launch().bind("b", &mut b).threads(64).map_err(Error::from);
        lost(launched.and_then(|_| pair.anywarp.submit()));
        lost(ours.read().map(drop).map_err(Error::from));
        lost(pair.anywarp.buffer::<u32>(4).map(drop).map_err(Error::from));
        lost(pair.anywarp.synchronize());
        lost(b.lend_wgpu().map(drop).map_err(Error::from));
        let theirs = buffer(&pair.raw.device, 256, WORK);
        lost(beside::buffer::<u32>(&pair.anywarp, theirs).map(drop).map_err(Error::from));
        drop((b, ours, kernel));

        let _ = pair.raw.device.poll(wgpu::PollType::Poll);
        assert_eq!(received.losses.lock().unwrap().len(), 1, "{}: the callback of raw code stays installed", pair.name);
        assert_eq!(received.errors(), [""; 0], "{}", pair.name);
        let again = beside::device(&pair.raw.adapter, pair.raw.device, pair.raw.queue).map_err(Error::from);
        lost(again.map(drop));
    }
    Ok(())
}

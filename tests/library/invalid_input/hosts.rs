//! Host code that panics, drops objects too early, or calls from many threads at once.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use anywarp::{Device, Kernel, UnifiedBuffer};

use super::{COUNT, counts, device, devices, without_hanging};

/// A kernel that runs for some tenths of a second, and leaves 1 in `b`.
const SLOW: &str = "
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(8)
fn slow(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    for (var i = 0u; i < 1000000u; i++) { x = x * 3u + i; }
    b[id.x] = select(1u, 2u, x == 77777u && id.x == 88888u);
}";

fn slow(device: &Device) -> (Kernel, UnifiedBuffer<u32>) {
    let kernel = device.kernel(SLOW).expect("a kernel");
    let mut b = device.buffer::<u32>(8 * 200).expect("memory");
    kernel.launch().bind("b", &mut b).threads(8 * 200).expect("a launch");
    device.submit().expect("a submission");
    (kernel, b)
}

struct Panicking;

impl Wake for Panicking {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics, on purpose");
    }
}

#[test]
fn a_waker_that_panics_only_affects_itself() {
    without_hanging(|| {
        for device in devices() {
            let waker = Waker::from(Arc::new(Panicking));
            let (_kernel, b) = slow(&device);
            {
                let mut reading = pin!(b.read_async());
                assert!(reading.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                let mut all = pin!(device.synchronize_async());
                assert!(all.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                let other = device.clone();
                let sound = std::thread::spawn(move || pollster::block_on(other.synchronize_async()));
                sound.join().expect("no panic").expect("no error");
            }
            assert!(b.read().expect("the results").iter().all(|value| *value == 1));
            let (_kernel, b) = slow(&device);
            assert!(b.read().expect("the results").iter().all(|value| *value == 1));
            counts(&device);
        }
    });
}

#[test]
fn a_panic_while_the_host_uses_a_buffer_gives_it_back() {
    for device in devices() {
        let mut b = device.buffer_from(&[1u32; 64]).expect("memory");
        let thread = std::thread::scope(|scope| {
            let b = &mut b;
            let work = scope.spawn(move || {
                let mut update = b.update().expect("the host's side");
                update[0] = 7;
                panic!("while a buffer is in use, on purpose");
            });
            work.join()
        });
        assert!(thread.is_err());
        let kernel = device.kernel(COUNT).expect("a kernel");
        kernel.launch().bind("b", &mut b).threads(64).expect("a launch");
        assert_eq!(b.read().expect("the results")[1], 2);
        counts(&device);
    }
}

#[test]
fn things_are_dropped_while_work_runs() {
    without_hanging(|| {
        for device in devices() {
            let (kernel, b) = slow(&device);
            drop(kernel);
            assert!(b.read().expect("the results").iter().all(|value| *value == 1));
            let (kernel, b) = slow(&device);
            drop((b, kernel));
            device.synchronize().expect("no error");

            let (kernel, b) = slow(&device);
            let mut recording = device.recording();
            let mut c = device.buffer::<u32>(8).expect("memory");
            kernel.launch().bind("b", &mut c).record(&mut recording).threads(8).expect("a command");
            drop(kernel);
            let submission = recording.submit().expect("a submission");
            drop((recording, c, b, device));
            submission.wait().expect("no error");
        }
        for device in devices() {
            let (_kernel, b) = slow(&device);
            drop(device);
            assert!(b.read().expect("the results").iter().all(|value| *value == 1));
        }
        for device in devices() {
            drop(slow(&device));
        }
    });
}

#[test]
fn calls_from_many_threads_at_once() {
    without_hanging(|| {
        for device in devices() {
            std::thread::scope(|scope| {
                for thread in 0..16u32 {
                    let device = &device;
                    scope.spawn(move || {
                        for round in 0..20u32 {
                            let text = COUNT.replace("1u", &format!("{}u", thread % 4 + round % 3 + 1));
                            let kernel = device.kernel(&text).expect("a kernel");
                            let mut b = device.buffer_from(&[round; 500]).expect("memory");
                            kernel.launch().bind("b", &mut b).threads(500).expect("a launch");
                            if round % 4 == 0 {
                                device.synchronize().expect("no error");
                            }
                            let expected = round + thread % 4 + round % 3 + 1;
                            assert_eq!(*b.read().expect("the results"), [expected; 500]);
                        }
                    });
                }
            });
        }
        counts(&device());
    });
}

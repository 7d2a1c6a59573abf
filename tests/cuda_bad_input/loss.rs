//! A kernel that faults takes its context with it: told as the device's loss, and a new one opens.

use anywarp::backend::BackendError;
use anywarp::{BufferError, Device, Error, ErrorClass, Unchecked, Wgsl};

/// Writes far outside of `b` if told to.
const WILD: &str = "
struct Params { at: u32 }
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(1) fn wild() { b[params.at] = 7u; }";

fn lose(device: &Device) -> Error {
    // SAFETY: it is not kept: the fault is what is tested, and it reaches no memory of this process.
    let promise = unsafe { Unchecked::promise() };
    let wild = device.kernel(Wgsl::new(WILD).file("wild.wgsl").unchecked(promise)).expect("a kernel");
    let mut b = device.buffer::<u32>(64).expect("memory");
    // 16 GiB behind the buffer: more than the pool of a fresh context maps.
    wild.launch().bind("b", &mut b).set("params.at", u32::MAX).threads(1).expect("a launch");
    device.synchronize().expect_err("the write should have faulted")
}

fn is_lost(error: &BackendError) -> bool {
    matches!(error, BackendError::Lost { .. })
}

#[test]
fn a_fault_is_the_loss_of_the_device_and_another_opens() {
    super::without_hanging(|| {
        let Some(device) = super::device() else { return };
        let read = device.buffer_from(&[3u32; 100]).expect("memory");
        let guard = read.read().expect("the data");
        let mut other = device.buffer_from(&[4u32; 100]).expect("memory");

        let error = lose(&device);
        assert_eq!(error.class(), ErrorClass::Fatal, "{error}");
        assert!(error.to_string().contains("CUDA"), "{error}");

        // What the host has, it keeps.
        assert_eq!(*guard, [3; 100]);
        drop(guard);
        assert_eq!(*read.read().expect("the host's copy"), [3; 100]);

        let told = device.buffer::<u32>(10).expect_err("the device is lost");
        assert!(matches!(&told, BufferError::Device { error, .. } if is_lost(error)), "{told:?}");
        assert!(other.fill(1).is_err());
        assert!(device.synchronize().is_err());
        assert!(device.kernel("@compute @workgroup_size(1) fn other() {}").is_err());

        // While the lost one is alive, and after it is gone.
        let again = device.reopen().expect("a new device");
        super::counts(&again);
        drop((read, other, device));
        super::counts(&again);
        drop(again);
        super::counts(&super::device().expect("the card"));
    });
}

#[test]
fn losing_one_device_does_not_disturb_another_on_the_same_card() {
    super::without_hanging(|| {
        let Some(healthy) = super::device() else { return };
        let data = healthy.buffer_from(&[9u32; 1000]).expect("memory");
        let Some(device) = super::device() else { return };
        lose(&device);
        drop(device);
        // Either it lives, or it says that it does not: never a hang, never wrong data.
        match data.read() {
            Ok(guard) => assert_eq!(*guard, [9; 1000]),
            Err(error) => assert!(matches!(&error, BufferError::Device { error, .. } if is_lost(error)), "{error:?}"),
        }
    });
}

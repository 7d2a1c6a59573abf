//! A kernel that faults takes the context with it, and with that the process: told as the device's loss.
//!
//! CUDA lets a process that has seen such a fault use the card no more, so what happens then is tested
//! in processes of their own.

use anywarp::backend::BackendError;
use anywarp::{BufferError, Checks, Device, Error, ErrorClass, Unchecked, Wgsl};

use super::absence::{is_child, said_by};

/// Writes far outside of `b` if told to.
const WILD: &str = "
struct Params { at: u32 }
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(1) fn wild() { b[params.at] = 7u; }";

fn lose(device: &Device) -> Error {
    // SAFETY: it is not kept: the fault is what is tested, and it reaches no memory of this process.
    let promise = unsafe { Unchecked::promise() };
    let wild = device.kernel(Wgsl::new(WILD).file("wild.wgsl").checks(Checks::Off(promise))).expect("a kernel");
    let mut b = device.buffer::<u32>(64).expect("memory");
    // 16 GiB behind the buffer: more than the pool of a fresh context maps.
    wild.launch().bind("b", &mut b).set("params.at", u32::MAX).threads(1).expect("a launch");
    device.synchronize().expect_err("the write should have faulted")
}

fn is_lost(error: &BackendError) -> bool {
    matches!(error, BackendError::Lost { .. })
}

fn is_told<T>(outcome: Result<T, BufferError>) {
    let error = outcome.map(|_| ()).expect_err("the device is lost");
    assert!(matches!(&error, BufferError::Device { error, .. } if is_lost(error)), "{error:?}");
}

/// Not a test of its own: what the next one starts.
#[test]
fn child() {
    if !is_child() {
        return;
    }
    super::without_hanging(|| {
        let device = super::device().expect("the card");
        let bystander = super::device().expect("the card, once more");
        let read = device.buffer_from(&[3u32; 100]).expect("memory");
        let guard = read.read().expect("the data");
        // Made on the card: the host has no copy.
        let mut unread = bystander.buffer::<u32>(1000).expect("memory");
        unread.fill(9).expect("a fill");
        bystander.synchronize().expect("no error");

        let error = lose(&device);
        assert_eq!(error.class(), ErrorClass::Fatal, "{error}");
        let said = error.to_string();
        assert!(said.contains("ILLEGAL_ADDRESS") && said.contains("wild.wgsl:wild"), "{said}");
        assert!(said.contains("new process"), "{said}");

        // What the host has, it keeps.
        assert_eq!(*guard, [3; 100]);
        drop(guard);
        assert_eq!(*read.read().expect("the host's copy"), [3; 100]);

        is_told(device.buffer::<u32>(10));
        assert!(matches!(device.synchronize(), Err(Error::Device(error)) if is_lost(&error)));
        assert!(device.kernel("@compute @workgroup_size(1) fn other() {}").is_err());
        is_told(unread.read().map(|_| ()));
        is_told(bystander.buffer::<u32>(10));

        // No other device of this process, and it says so; dropping what is lost hangs nowhere.
        let refused = device.reopen().expect_err("CUDA allows no other").to_string();
        assert!(refused.contains("new process"), "{refused}");
        drop((read, unread, device, bystander));
        println!("lost");
    });
}

#[test]
fn a_fault_is_the_loss_of_the_device_and_a_new_process_opens_it() {
    if super::device().is_none() {
        return;
    }
    let said = said_by("loss::child", &[]);
    assert!(said.contains("lost"), "{said}");
    super::counts(&super::device().expect("the card, which this process may use as ever"));
}

//! A kernel that faults destroys the CUDA context, which is reported as the loss of the device.
//!
//! After such a fault CUDA does not allow the process to use the device again, so these tests run in processes of their
//! own.

use anywarp::backend::BackendError;
use anywarp::{BufferError, Checks, Device, Error, ErrorClass, Unchecked, Wgsl};

use super::absence::{is_child, said_by};

/// A kernel that writes far out of the range of `b` if `params.at` is large.
const WILD: &str = "
struct Params { at: u32 }
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(1) fn wild() { b[params.at] = 7u; }";

fn lose(device: &Device) -> Error {
    // SAFETY: the promise is broken on purpose: the test is about the fault, which affects no memory of this process.
    let promise = unsafe { Unchecked::promise() };
    let wild = device.kernel(Wgsl::new(WILD).file("wild.wgsl").checks(Checks::Off(promise))).expect("a kernel");
    let mut b = device.buffer::<u32>(64).expect("memory");
    // The write is 16 GiB after the buffer, beyond the memory that the pool of a new context maps.
    wild.launch().bind("b", &mut b).set("params.at", u32::MAX).threads(1).expect("a launch");
    device.synchronize().expect_err("the write should have faulted")
}

fn is_lost(error: &BackendError) -> bool {
    matches!(error, BackendError::Lost { .. })
}

fn is_reported<T>(outcome: Result<T, BufferError>) {
    let error = outcome.map(|_| ()).expect_err("the device is lost");
    assert!(matches!(&error, BufferError::Device { error, .. } if is_lost(error)), "{error:?}");
}

/// Runs only in the child process of the next test.
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
        // The buffer is filled on the device, so the host has no copy.
        let mut unread = bystander.buffer::<u32>(1000).expect("memory");
        unread.fill(9).expect("a fill");
        bystander.synchronize().expect("no error");

        let error = lose(&device);
        assert_eq!(error.class(), ErrorClass::Fatal, "{error}");
        let said = error.to_string();
        assert!(said.contains("ILLEGAL_ADDRESS") && said.contains("wild.wgsl:wild"), "{said}");
        assert!(said.contains("new process"), "{said}");

        // The host's copy remains readable.
        assert_eq!(*guard, [3; 100]);
        drop(guard);
        assert_eq!(*read.read().expect("the host's copy"), [3; 100]);

        is_reported(device.buffer::<u32>(10));
        assert!(matches!(device.synchronize(), Err(Error::Device(error)) if is_lost(&error)));
        assert!(device.kernel("@compute @workgroup_size(1) fn other() {}").is_err());
        is_reported(unread.read().map(|_| ()));
        is_reported(bystander.buffer::<u32>(10));

        // No other device opens in this process, and the error says so; dropping lost objects does not hang.
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
    let said = said_by("invalid_input_cuda::loss::child", &[]);
    assert!(said.contains("lost"), "{said}");
    super::counts(&super::device().expect("the card, which this process may use as ever"));
}

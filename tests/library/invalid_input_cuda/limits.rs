//! Requests beyond the device's limits.

use anywarp::backend::BackendError;
use anywarp::{BufferError, Error, ErrorClass, KernelError, Wgsl};

#[test]
fn out_of_memory_is_an_error_and_the_device_works() {
    super::without_hanging(|| {
        let Some(device) = super::device() else { return };
        let memory = device.caps().memory.expect("CUDA reports the memory");
        let each = usize::try_from(memory / 4).expect("64 bits");
        let mut held = Vec::new();
        let error = loop {
            match device.buffer::<u8>(each) {
                Ok(buffer) => held.push(buffer),
                Err(error) => break error,
            }
            assert!(held.len() < 5, "more memory was allocated than exists");
        };
        assert!(held.len() >= 2, "{error}");
        let BufferError::Device { error: BackendError::OutOfMemory { requested, live, .. }, .. } = &error else {
            panic!("{error:?}");
        };
        assert!(*requested >= each as u64 && *live >= held.len() as u64 * each as u64, "{error}");
        assert_eq!(Error::from(error).class(), ErrorClass::Retryable);
        super::counts(&device);
        drop(held);
        drop(device.buffer::<u8>(each).expect("what was given back"));
        super::counts(&device);
    });
}

#[test]
fn a_buffer_above_the_memory_is_refused() {
    let Some(device) = super::device() else { return };
    let error = device.buffer::<u64>(1 << 50).expect_err("a petabyte").to_string();
    assert!(error.contains("bytes"), "{error}");
    super::counts(&device);
}

#[test]
fn kernels_above_the_limits_are_refused_with_numbers() {
    let Some(device) = super::device() else { return };
    let texts = [
        ("@compute @workgroup_size(2048) fn main() {}", "2048"),
        ("@compute @workgroup_size(1, 1, 128) fn main() {}", "128"),
        (
            "var<workgroup> tile: array<u32, 100000>;
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { tile[i] = i; }",
            "400000",
        ),
    ];
    for (text, number) in texts {
        let error = device.kernel(Wgsl::new(text).file("large.wgsl")).expect_err("too large");
        assert!(matches!(error, KernelError::AboveLimit { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.contains("large.wgsl") && said.contains(number), "{said}");
    }
    super::counts(&device);
}

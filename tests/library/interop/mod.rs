//! Devices and buffers shared with raw wgpu and raw CUDA code: both sides see each other's results, and neither
//! receives the other's errors.

#[cfg(all(feature = "cuda", not(target_arch = "wasm32")))]
mod cuda;
#[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
mod failures;
#[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
mod mixing;
#[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
mod ownership;
#[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
mod raw;

#[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
#[test]
fn devices_of_other_backends_name_their_backend() {
    let device = anywarp::Device::open("cpu").unwrap();
    let buffer = device.buffer::<u32>(4).unwrap();
    #[cfg(feature = "wgpu")]
    {
        let error = device.wgpu().unwrap_err().to_string();
        assert!(error.contains("runs on cpu, not on wgpu; open a device with 'vulkan'"), "{error}");
        assert_eq!(buffer.lend_wgpu().unwrap_err().to_string(), error);
    }
    #[cfg(feature = "cuda")]
    {
        let error = device.cuda().unwrap_err().to_string();
        assert!(error.contains("runs on cpu, not on CUDA; open a device with 'cuda'"), "{error}");
        assert_eq!(buffer.lend_cuda().unwrap_err().to_string(), error);
    }
    assert_eq!(*buffer.read().unwrap(), [0; 4]);
}

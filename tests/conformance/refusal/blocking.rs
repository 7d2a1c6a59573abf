//! Blocking waits, which a browser does not allow, return errors there instead of blocking.

use anywarp::backend::BackendError;
use anywarp::{BufferError, Device, Error};

use crate::suite::case::{Case, cases};
use crate::suite::kernels::{ADD, add};
use crate::suite::portable_waits::{ReadHere, WaitHere};
use anywarp_testing_devices::outcome::{TestResult, ensure, refused, same};

pub(crate) const CASES: &[Case] = cases![waits_are_refused, reads_are_refused, no_device_is_found_by_blocking];

fn cannot(error: &Error) -> bool {
    matches!(error, Error::Device(BackendError::CannotBlock))
}

async fn waits_are_refused(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 64])?;
    let mut recording = device.recording();
    let kernel = device.kernel(ADD)?;
    kernel.launch().bind("data", &mut data).set("params.by", 1u32).record(&mut recording).threads(64)?;
    let run = recording.submit()?;
    refused(run.wait(), cannot, &["async"])?;
    refused(device.synchronize(), cannot, &["async"])?;
    run.wait_here().await?;
    same(&data.read_here().await?, &[2; 64], "the result after awaiting")
}

async fn reads_are_refused(device: &Device) -> TestResult {
    let mut data = device.buffer_from(&[1u32; 64])?;
    add(device, &mut data, 64, 1)?;
    let cannot = |error: &BufferError| matches!(error, BufferError::Device { error: BackendError::CannotBlock, .. });
    refused(data.read(), cannot, &["async"])?;
    refused(data.update(), cannot, &["async"])?;
    refused(data.copy_to_slice(&mut [0; 64]), cannot, &["async"])?;
    same(&data.read_here().await?, &[2; 64], "the result after awaiting")
}

async fn no_device_is_found_by_blocking(device: &Device) -> TestResult {
    ensure(Device::enumerate().is_empty(), || "`enumerate` found a device without awaiting".to_owned())?;
    refused(device.reopen(), |error| error.rejected.is_empty(), &[device.selector()])
}

//! The buffers of one run: created, moved to the device, read back.

use std::time::{Duration, Instant};

use anywarp::backend::BindingInfo;
use anywarp::{Device, ReadGuard, UnifiedBuffer};

use crate::failure::Failure;
use crate::load::{self, Contents, Data};
use crate::source::Bind;

/// A binding with its buffer.
pub(crate) struct Bound<'k> {
    pub(crate) binding: &'k BindingInfo,
    pub(crate) buffer: UnifiedBuffer<u8>,
}

/// Loads the contents of each source.
pub(crate) fn load(device: &Device, sources: &[(&BindingInfo, &Bind)]) -> Result<Vec<Contents>, Failure> {
    let limit = device.caps().limits.buffer_size;
    sources.iter().map(|(binding, bind)| load::load(bind, binding, limit)).collect()
}

/// Creates a buffer for each source and moves its contents to the device.
pub(crate) fn upload<'k>(
    device: &Device,
    sources: &[(&'k BindingInfo, &Bind)],
    contents: Vec<Contents>,
) -> Result<Vec<Bound<'k>>, Failure> {
    let mut bound = Vec::with_capacity(sources.len());
    for ((binding, bind), contents) in sources.iter().zip(contents) {
        let buffer = match contents.data {
            Data::Zeros(bytes) => device.buffer(usize::try_from(bytes).unwrap_or(usize::MAX)),
            Data::Bytes(bytes) => device.buffer_from(&bytes),
        };
        let buffer = buffer.map_err(|error| Failure::of(bind.argument(), error))?;
        bound.push(Bound { binding, buffer });
    }
    if !device.caps().unified {
        settle(device, &bound)?;
    }
    Ok(bound)
}

/// Moves all contents to the device now, so that the time of the first launch does not include it. The use of any part
/// of a buffer on the device uploads the whole buffer, and the smallest use is a copy of one word.
fn settle(device: &Device, bound: &[Bound<'_>]) -> Result<(), Failure> {
    let mut word = device.buffer::<u8>(4)?;
    for Bound { buffer, .. } in bound {
        if buffer.byte_len() >= 4 {
            word.copy_from(buffer.slice(..4))?;
        }
    }
    Ok(device.synchronize()?)
}

/// Reads the first `most` bytes of a buffer, or all if it is shorter, and adds the time to `spent`.
pub(crate) fn download<'b>(
    buffer: &'b UnifiedBuffer<u8>,
    most: u64,
    spent: &mut Duration,
) -> Result<ReadGuard<'b, u8>, Failure> {
    let start = Instant::now();
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
    let bytes = buffer.slice(..most).read()?;
    *spent += start.elapsed();
    Ok(bytes)
}

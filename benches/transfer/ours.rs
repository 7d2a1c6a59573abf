//! Transfers through anywarp.

use std::hint::black_box;
use std::time::Instant;

use anywarp::{Device, UnifiedBuffer};

use crate::data::{check, fill, sum};
use crate::shared::{Outcome, timed};

/// The size in bytes of the part that the device uses after an upload.
pub(crate) const PROBE: usize = 256;

/// The buffers of our side for one size.
pub(crate) struct Ours {
    device: Device,
    buffer: UnifiedBuffer<u32>,
    source: UnifiedBuffer<u32>,
    probe: UnifiedBuffer<u32>,
}

impl Ours {
    pub(crate) fn new(device: &Device, words: usize) -> Outcome<Self> {
        let mut source = device.buffer(words)?;
        fill(&mut source.write()?, 1);
        Ok(Self { device: device.clone(), buffer: device.buffer(words)?, source, probe: device.buffer(PROBE / 4)? })
    }

    /// Makes the device read a small part of the buffer, which first uploads all newer bytes of the host.
    pub(crate) fn use_on_device(&mut self) -> Outcome<()> {
        self.probe.copy_from(self.buffer.slice(..PROBE / 4))?;
        Ok(self.device.synchronize()?)
    }

    pub(crate) fn upload(&mut self, from: &[u32]) -> Outcome<f64> {
        timed(|| {
            self.buffer.copy_from_slice(from)?;
            self.use_on_device()
        })
    }

    /// The time of an upload through a write guard: from the end of the guard or, with `with_writing`, from its
    /// beginning.
    pub(crate) fn upload_in_place(&mut self, seed: u32, with_writing: bool) -> Outcome<f64> {
        let begun = Instant::now();
        let mut guard = self.buffer.write()?;
        fill(&mut guard, seed);
        let written = Instant::now();
        drop(guard);
        self.use_on_device()?;
        Ok(if with_writing { begun } else { written }.elapsed().as_secs_f64())
    }

    /// Makes the device write the whole buffer, and waits for it.
    pub(crate) fn write_on_device(&mut self) -> Outcome<()> {
        self.buffer.copy_from(&self.source)?;
        Ok(self.device.synchronize()?)
    }

    pub(crate) fn read(&mut self) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| {
            black_box(self.buffer.read()?.first());
            Ok(())
        })
    }

    /// The time of [`read`](Self::read) together with a sum of all words.
    pub(crate) fn read_and_sum(&mut self) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| {
            black_box(sum(&self.buffer.read()?));
            Ok(())
        })
    }

    pub(crate) fn download(&mut self, to: &mut [u32]) -> Outcome<f64> {
        self.write_on_device()?;
        timed(|| Ok(self.buffer.copy_to_slice(to)?))
    }

    /// Transfers data once in every way, and checks the result.
    pub(crate) fn verify(&mut self, host: &mut [u32]) -> Outcome<()> {
        fill(host, 2);
        self.upload(host)?;
        self.check_on_device("copy_from_slice", 2)?;
        self.upload_in_place(3, false)?;
        self.check_on_device("write", 3)?;
        self.download(host)?;
        check("copy_to_slice", host, 1)?;
        self.write_on_device()?;
        check("read", &self.buffer.read()?, 1)
    }

    /// Checks the device's version of the buffer, through a copy on the device.
    pub(crate) fn check_on_device(&mut self, what: &str, seed: u32) -> Outcome<()> {
        let mut copy = self.device.buffer(self.buffer.len())?;
        copy.copy_from(&self.buffer)?;
        check(what, &copy.read()?, seed)
    }

    /// Checks that in unified memory a device use after `write` transfers nothing.
    pub(crate) fn check_nothing_moves(&mut self) -> Outcome<()> {
        let before = self.device.stats();
        fill(&mut self.buffer.write()?, 4);
        self.use_on_device()?;
        black_box(sum(&self.buffer.read()?));
        let after = self.device.stats();
        let moved = after.bytes_uploaded + after.bytes_downloaded - before.bytes_uploaded - before.bytes_downloaded;
        if moved > 0 {
            return Err(format!("{moved} bytes were moved in unified memory, expected 0").into());
        }
        Ok(())
    }
}

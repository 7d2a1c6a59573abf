//! Data sets whose samples contain their own index.

use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anywarp::Device;
use anywarp::loader::{Dataset, Loader, ReadError};

use crate::Outcome;
use crate::plain::Plain;

/// A data set that both sides read.
pub(crate) trait Readable: Dataset<Fields = u32> {
    /// The number of elements of a sample.
    fn length(&self) -> usize {
        self.lengths()
    }
}

impl<D: Dataset<Fields = u32>> Readable for D {}

fn word(index: usize, at: usize) -> u32 {
    ((index * 31 + at) as u32).wrapping_mul(0x9e37_79b9)
}

/// Samples that are copied from memory, the cheapest way to read.
pub(crate) struct Memory {
    words: Vec<u32>,
    length: usize,
}

impl Memory {
    pub(crate) fn new(samples: usize, length: usize) -> Self {
        let words = (0..samples * length).map(|at| word(at / length, at % length)).collect();
        Self { words, length }
    }
}

impl Dataset for Memory {
    type Fields = u32;

    fn len(&self) -> usize {
        self.words.len() / self.length
    }

    fn lengths(&self) -> usize {
        self.length
    }

    fn read(&self, index: usize, slot: &mut [u32]) -> Result<(), ReadError> {
        slot.copy_from_slice(&self.words[index * self.length..][..self.length]);
        Ok(())
    }
}

/// Samples that take time to read.
pub(crate) struct Disk {
    pub(crate) samples: usize,
    /// The time per sample.
    pub(crate) time: Duration,
}

impl Disk {
    pub(crate) const LENGTH: usize = 256;
}

impl Dataset for Disk {
    type Fields = u32;

    fn len(&self) -> usize {
        self.samples
    }

    fn lengths(&self) -> usize {
        Self::LENGTH
    }

    fn read(&self, index: usize, slot: &mut [u32]) -> Result<(), ReadError> {
        thread::sleep(self.time);
        for (at, target) in slot.iter_mut().enumerate() {
            *target = word(index, at);
        }
        Ok(())
    }
}

/// Reads samples in order, without a loader.
pub(crate) fn read_all<D: Readable>(data: &D, samples: Range<usize>, target: &mut [u32]) -> Outcome<()> {
    for (index, slot) in samples.zip(target.chunks_exact_mut(data.length())) {
        data.read(index, slot).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Checks that the loader and the hand-written one both deliver the data set.
pub(crate) fn check<D: Readable>(device: &Device, data: &Arc<D>, batch: usize) -> Outcome<()> {
    let length = data.length();
    let is = |number: usize, got: &[u32]| -> Outcome<()> {
        let mut expected = (0..got.len()).map(|at| word(number * batch + at / length, at % length));
        if got.len() == batch * length && got.iter().all(|got| Some(*got) == expected.next()) {
            return Ok(());
        }
        Err(format!("batch {number} is wrong").into())
    };
    // The batch is read through a copy on the device, to check the device's data.
    let mut copy = device.buffer::<u32>(batch * length)?;
    for (number, loaded) in
        Loader::builder(device, Arc::clone(data)).batch_size(batch).build()?.epoch(0).take(9).enumerate()
    {
        copy.copy_from(loaded?.fields())?;
        is(number, &copy.read()?)?;
    }
    Plain::new(data, batch, 2, 2).take(9).enumerate().try_for_each(|(number, loaded)| is(number, &loaded))
}

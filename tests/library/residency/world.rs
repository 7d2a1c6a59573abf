//! One buffer, its possible steps, and its expected contents.

use std::ops::Range;

use anywarp::{Device, Kernel, UnifiedBuffer};

use anywarp_testing_devices::null_device::ADD;

/// The number of words in the buffer under test. A write of all words is too long to count as a short write.
pub(crate) const LENGTH: usize = 2048;
pub(crate) const BYTES: u64 = 4 * LENGTH as u64;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Overwrites all elements.
    Write,
    WritePart(Range<usize>),
    /// Overwrites these elements one by one.
    WriteWords(Vec<usize>),
    /// Reads and changes elements.
    Update,
    UpdatePart(Range<usize>),
    /// Takes an update guard, but only reads.
    Look,
    Read,
    ReadPart(Range<usize>),
    /// Reads one part while a guard of another part is alive.
    ReadTwo(Range<usize>, Range<usize>),
    /// A kernel reads the buffer, or a part of it; then the host waits.
    LaunchRead,
    LaunchReadPart(Range<usize>),
    /// A kernel may write the buffer, or a part of it.
    LaunchWrite,
    LaunchWritePart(Range<usize>),
    Fill,
    FillPart(Range<usize>),
    /// Copies from or to a buffer that only the device uses.
    CopyFrom,
    CopyPartFrom(Range<usize>),
    CopyTo,
    /// Waits for the device.
    Wait,
}

use Step::{
    CopyFrom, CopyPartFrom, CopyTo, Fill, FillPart, LaunchRead, LaunchReadPart, LaunchWrite, LaunchWritePart, Look,
    Read, ReadPart, ReadTwo, Update, UpdatePart, Wait, Write, WritePart, WriteWords,
};

/// The buffer, another one beside it, and the expected contents of the first.
pub(crate) struct World {
    pub(crate) buffer: UnifiedBuffer<u32>,
    pub(crate) other: UnifiedBuffer<u32>,
    pub(crate) add: Kernel,
    pub(crate) expected: Vec<u32>,
    pub(crate) next: u32,
}

impl World {
    pub(crate) fn new(device: &Device) -> anywarp::Result<Self> {
        Ok(Self {
            buffer: device.buffer(LENGTH)?,
            other: device.buffer(LENGTH)?,
            add: device.kernel(ADD)?,
            expected: vec![0; LENGTH],
            next: 1,
        })
    }

    /// Values that were not used before.
    pub(crate) fn fresh(&mut self, range: &Range<usize>) -> Vec<u32> {
        let first = self.next;
        self.next += range.len() as u32;
        (first..self.next).collect()
    }

    pub(crate) fn write(&mut self, range: &Range<usize>) -> anywarp::Result<()> {
        let values = self.fresh(range);
        self.buffer.slice_mut(range.clone()).write()?.copy_from_slice(&values);
        self.expected[range.clone()].copy_from_slice(&values);
        Ok(())
    }

    pub(crate) fn update(&mut self, range: &Range<usize>) -> anywarp::Result<()> {
        let values = self.fresh(range);
        let mut guard = self.buffer.slice_mut(range.clone()).update()?;
        assert_eq!(*guard, self.expected[range.clone()]);
        guard.copy_from_slice(&values);
        self.expected[range.clone()].copy_from_slice(&values);
        Ok(())
    }

    pub(crate) fn fill(&mut self, range: &Range<usize>) -> anywarp::Result<()> {
        let value = self.fresh(&(0..1))[0];
        self.buffer.slice_mut(range.clone()).fill(value)?;
        self.expected[range.clone()].fill(value);
        Ok(())
    }

    pub(crate) fn copy_from(&mut self, range: &Range<usize>) -> anywarp::Result<()> {
        let value = self.fresh(&(0..1))[0];
        self.other.fill(value)?;
        self.buffer.slice_mut(range.clone()).copy_from(self.other.slice(range.clone()))?;
        self.expected[range.clone()].fill(value);
        Ok(())
    }

    pub(crate) fn read(&self, range: &Range<usize>) -> anywarp::Result<()> {
        assert_eq!(*self.buffer.slice(range.clone()).read()?, self.expected[range.clone()]);
        Ok(())
    }

    pub(crate) fn step(&mut self, device: &Device, step: &Step) -> anywarp::Result<()> {
        let all = 0..LENGTH;
        match step {
            Write => self.write(&all),
            WritePart(range) => self.write(range),
            WriteWords(words) => words.iter().try_for_each(|word| self.write(&(*word..*word + 1))),
            Update => self.update(&all),
            UpdatePart(range) => self.update(range),
            Look => {
                assert_eq!(*self.buffer.update()?, self.expected);
                Ok(())
            }
            Read => self.read(&all),
            ReadPart(range) => self.read(range),
            ReadTwo(first, second) => {
                let guard = self.buffer.slice(first.clone()).read()?;
                self.read(second)?;
                assert_eq!(*guard, self.expected[first.clone()]);
                self.read(first)
            }
            LaunchRead => {
                self.add.launch().bind("x", &self.buffer).bind("y", &mut self.other).threads(1)?;
                Ok(())
            }
            LaunchReadPart(range) => {
                let part = self.buffer.slice(range.clone());
                self.add.launch().bind("x", part).bind("y", &mut self.other).threads(1)?;
                Ok(())
            }
            LaunchWrite => {
                self.add.launch().bind("x", &self.other).bind("y", &mut self.buffer).threads(1)?;
                Ok(())
            }
            LaunchWritePart(range) => {
                let mut part = self.buffer.slice_mut(range.clone());
                self.add.launch().bind("x", &self.other).bind("y", &mut part).threads(1)?;
                Ok(())
            }
            Fill => self.fill(&all),
            FillPart(range) => self.fill(range),
            CopyFrom => self.copy_from(&all),
            CopyPartFrom(range) => self.copy_from(range),
            CopyTo => {
                self.other.copy_from(&self.buffer)?;
                Ok(device.synchronize()?)
            }
            Wait => device.synchronize(),
        }
    }
}

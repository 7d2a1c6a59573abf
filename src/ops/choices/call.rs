//! A call of operators that can be repeated, with its results.

use anywarp_backend::{Layout, Shape};

use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::submit::Recording;

/// Work that a tuner repeats with different candidates. [`Call`] is one for most purposes.
pub trait Workload {
    /// Records the work once. It is called again for each candidate, and may allocate its results anew.
    ///
    /// # Errors
    /// The error of the operator.
    fn record(&mut self) -> Result<Recording, Error>;

    /// Sets the contents of all results as they are before the first run; with `poisoned`, sets all of their bits
    /// instead, so that elements are found that a candidate does not write.
    ///
    /// # Errors
    /// The error of the device.
    fn reset(&mut self, poisoned: bool) -> Result<(), Error>;

    /// The results of the latest run.
    ///
    /// # Errors
    /// The error of the device.
    fn results(&mut self) -> Result<Vec<Contents>, Error>;
}

/// The contents of one result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contents {
    /// The name for messages.
    pub name: String,
    /// The layout of the elements.
    pub element: Layout,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl Contents {
    /// The contents of a result, with its name and the layout of its elements.
    #[must_use]
    pub fn new(name: impl Into<String>, element: Layout, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), element, bytes }
    }

    /// The layout of the whole result.
    pub(crate) fn layout(&self) -> Layout {
        let (size, align) = (self.element.size, self.element.align);
        let stride = size.next_multiple_of(align.max(1));
        let shape = Shape::Array { element: Box::new(self.element.clone()), count: None, stride };
        Layout { name: format!("array<{}>", self.element.name), size, align, shape }
    }
}

/// The buffers that a call writes: a buffer, several of the same type, or a tuple of these.
pub trait Results {
    /// Copies of the buffers.
    ///
    /// # Errors
    /// The error of the device.
    fn copies(&mut self, device: &Device) -> Result<Self, Error>
    where
        Self: Sized;

    /// Sets the contents to those of the copies; without them, sets all bits.
    ///
    /// # Errors
    /// The error of the device.
    fn set(&mut self, copies: Option<&Self>) -> Result<(), Error>;

    /// Appends the contents.
    ///
    /// # Errors
    /// The error of the device.
    fn read(&self, into: &mut Vec<Contents>) -> Result<(), Error>;
}

impl<T: Element> Results for UnifiedBuffer<T> {
    fn copies(&mut self, device: &Device) -> Result<Self, Error> {
        let mut copy = device.buffer::<T>(self.len())?;
        copy.copy_from(&*self)?;
        Ok(copy)
    }

    fn set(&mut self, copies: Option<&Self>) -> Result<(), Error> {
        match copies {
            Some(copy) => self.copy_from(copy)?,
            None => self.fill(bytemuck::pod_read_unaligned(&vec![0xFF; size_of::<T>()]))?,
        }
        Ok(())
    }

    fn read(&self, into: &mut Vec<Contents>) -> Result<(), Error> {
        let bytes = bytemuck::cast_slice(&UnifiedBuffer::read(self)?).to_vec();
        into.push(Contents::new(format!("result {}", into.len() + 1), T::layout(), bytes));
        Ok(())
    }
}

impl<R: Results> Results for Vec<R> {
    fn copies(&mut self, device: &Device) -> Result<Self, Error> {
        self.iter_mut().map(|one| one.copies(device)).collect()
    }

    fn set(&mut self, copies: Option<&Self>) -> Result<(), Error> {
        self.iter_mut().enumerate().try_for_each(|(at, one)| one.set(copies.and_then(|copies| copies.get(at))))
    }

    fn read(&self, into: &mut Vec<Contents>) -> Result<(), Error> {
        self.iter().try_for_each(|one| one.read(into))
    }
}

impl<A: Results, B: Results> Results for (A, B) {
    fn copies(&mut self, device: &Device) -> Result<Self, Error> {
        Ok((self.0.copies(device)?, self.1.copies(device)?))
    }

    fn set(&mut self, copies: Option<&Self>) -> Result<(), Error> {
        self.0.set(copies.map(|copies| &copies.0))?;
        self.1.set(copies.map(|copies| &copies.1))
    }

    fn read(&self, into: &mut Vec<Contents>) -> Result<(), Error> {
        self.0.read(into)?;
        self.1.read(into)
    }
}

/// A call of operators that writes some buffers: a [`Workload`] from a closure.
///
/// The closure records the call, with the buffers that it receives as results. Their contents are kept when the `Call` is
/// made, so that operators that update their results, as a sort in place does, begin each time with the same ones. Tuners
/// of operators take it; their documentation has examples.
pub struct Call<O, F> {
    device: Device,
    results: O,
    copies: O,
    record: F,
}

impl<O: Results, E: Into<Error>, F: FnMut(&mut O, &mut Recording) -> Result<(), E>> Call<O, F> {
    /// A call with its results.
    ///
    /// # Errors
    /// The error of the device, for the copies of the results.
    pub fn new(device: &Device, mut results: O, record: F) -> Result<Self, Error> {
        let copies = results.copies(device)?;
        Ok(Self { device: device.clone(), results, copies, record })
    }
}

impl<O: Results, E: Into<Error>, F: FnMut(&mut O, &mut Recording) -> Result<(), E>> Workload for Call<O, F> {
    fn record(&mut self) -> Result<Recording, Error> {
        let mut recording = self.device.recording();
        (self.record)(&mut self.results, &mut recording).map_err(Into::into)?;
        Ok(recording)
    }

    fn reset(&mut self, poisoned: bool) -> Result<(), Error> {
        self.results.set((!poisoned).then_some(&self.copies))
    }

    fn results(&mut self) -> Result<Vec<Contents>, Error> {
        let mut all = Vec::new();
        self.results.read(&mut all)?;
        Ok(all)
    }
}

//! The two kinds of sides that run a case: a device, and plain Rust.

use anywarp::{Device, Element, UnifiedBuffer};

use crate::shared::Outcome;

/// One side of a case: its data is in memory before the timed run, and the result stays where it is computed.
pub(crate) trait Side {
    /// Restores the output to the initial data of a run.
    fn prepare(&mut self) -> Outcome<()>;

    /// Runs the work once, to its end.
    fn run(&mut self) -> Outcome<()>;

    /// The output's bits, as 32-bit words.
    fn result(&self) -> Outcome<Vec<u32>>;
}

/// A side that runs launches on a device. They fill `output`, the only data that is checked.
struct OnDevice<T: Element, F> {
    device: Device,
    initial: Vec<T>,
    output: UnifiedBuffer<T>,
    launch: F,
}

/// Returns a side that runs the launches of `launch` on `device`. Its output starts as `initial`.
pub(crate) fn on_device<T: Element + 'static>(
    device: &Device,
    initial: Vec<T>,
    launch: impl FnMut(&mut UnifiedBuffer<T>) -> Outcome<()> + 'static,
) -> Outcome<Box<dyn Side>> {
    Ok(Box::new(OnDevice { device: device.clone(), output: device.buffer(initial.len())?, initial, launch }))
}

impl<T: Element, F: FnMut(&mut UnifiedBuffer<T>) -> Outcome<()>> Side for OnDevice<T, F> {
    fn prepare(&mut self) -> Outcome<()> {
        Ok(self.output.copy_from_slice(&self.initial)?)
    }

    fn run(&mut self) -> Outcome<()> {
        (self.launch)(&mut self.output)?;
        Ok(self.device.synchronize()?)
    }

    fn result(&self) -> Outcome<Vec<u32>> {
        Ok(bytemuck::cast_slice(&self.output.read()?).to_vec())
    }
}

/// A side that runs plain Rust, which fills `output`.
struct OnHost<T, F> {
    initial: Vec<T>,
    output: Vec<T>,
    work: F,
}

/// Returns a side of plain Rust. Its output starts as `initial`.
pub(crate) fn on_host<T: Element + 'static>(initial: Vec<T>, work: impl FnMut(&mut [T]) + 'static) -> Box<dyn Side> {
    Box::new(OnHost { output: initial.clone(), initial, work })
}

impl<T: Element, F: FnMut(&mut [T])> Side for OnHost<T, F> {
    fn prepare(&mut self) -> Outcome<()> {
        self.output.copy_from_slice(&self.initial);
        Ok(())
    }

    fn run(&mut self) -> Outcome<()> {
        (self.work)(&mut self.output);
        Ok(())
    }

    fn result(&self) -> Outcome<Vec<u32>> {
        Ok(bytemuck::cast_slice(&self.output).to_vec())
    }
}

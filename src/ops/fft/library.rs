//! The launch of transforms by the device's library.

use std::sync::Arc;

use anywarp_backend::{Library, Scale, Transform};

use super::super::error::OperationError;
use super::OPERATOR;
use super::element::ComplexElement;
use super::launch::{Arrays, Launch};
use crate::submit::{Destination, Refusal, Usage};

impl<T: ComplexElement> Launch<T> {
    /// Appends the transforms of `lines` parts of the array.
    pub(super) fn by_library(
        &self,
        lines: u32,
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let transform = Transform {
            lines,
            length: self.pass.length as u32,
            inner: self.pass.inner as u32,
            // A transform between exchanged parts is an inverse one.
            inverse: self.pass.swap == [true; 2],
            double: T::DOUBLES,
            scale: Scale::new(self.scale),
        };
        // An array may have room for more numbers than the pass reads or writes.
        let bytes = self.pass.written * size_of::<T::Wide>() as u64;
        let read = source.range.get().map_err(OPERATOR.slice("x"))?.start as u64;
        let written = target.range.get().map_err(OPERATOR.slice("y"))?.start as u64;
        let (read, written) = (read..read + bytes, written..written + bytes);
        let call =
            Library::FourierTransform { x: source.core.region(&read), y: target.core.region(&written), transform };
        let of_target = if Arc::ptr_eq(source.core, target.core) {
            Usage::write(target.core, written)
        } else {
            Usage::replace(target.core, written)
        };
        let usages = [Usage::read(source.core), of_target];
        let refused = |refusal| OPERATOR.refused(&target.core.device, &["x", "y"], refusal);
        let mut encoder = destination.reborrow().encoder(&target.core.device).map_err(refused)?;
        encoder.command(&usages, None, |commands| commands.library(call)).map_err(refused)?;
        encoder.launched(false).map_err(|error| refused(Refusal::Device(error)))?;
        Ok(())
    }
}

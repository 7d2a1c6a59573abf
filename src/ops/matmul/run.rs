//! The commands of a matrix product.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{Library, Precision};

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::plan::Plan;
use super::calls::Call;
use super::plan::{Kernel, Parts, Pass, Shape, tiles_of};
use super::storage;
use super::{MatmulElement, MatmulResult, OPERATOR};
use crate::buffer::core::Core;
use crate::buffer::span::{Span, byte_range};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal, Resource, Usage};

/// Kernels count elements in 32 bits, including two tiles beyond the end.
const MAX_ELEMENTS: u64 = (1 << 32) - 512;

/// The arrays of a call.
pub struct Operands<'a, 'b, 'c, T, R> {
    pub(super) a: Slice<'a, T>,
    pub(super) b: Slice<'b, T>,
    pub(super) c: SliceMut<'c, R>,
    pub(super) bias: Option<Slice<'a, R>>,
    pub(super) residual: Option<Slice<'a, R>>,
}

impl<T: MatmulElement, R: MatmulResult<T>> Operands<'_, '_, '_, T, R> {
    /// Checks lengths, devices and guards. The borrow checker ensures that `c` does not overlap `a` and `b`.
    pub(super) fn check(
        &self,
        shapes: [Vec<usize>; 3],
        shape: &Shape,
        destination: &Destination<'_>,
    ) -> Result<(), OperationError> {
        let [of_a, of_b, of_c] = shapes;
        let columns = of_c.last().copied().unwrap_or(0);
        let mut arrays = vec![("a", self.a.core, self.a.range, of_a), ("b", self.b.core, self.b.range, of_b)];
        arrays.extend(self.bias.map(|bias| ("bias", bias.core, bias.range, vec![columns])));
        arrays.extend(self.residual.map(|residual| ("residual", residual.core, residual.range, of_c.clone())));
        arrays.push(("c", self.c.core, self.c.range, of_c));
        for (argument, core, range, of) in &arrays {
            let got = range.get().map_err(OPERATOR.slice(argument))?.len();
            storage::expect(argument, of, got, shape)?;
            if !Arc::ptr_eq(&core.device, &self.c.core.device) {
                let (ours, what) = (&self.c.core.device, format!("'{argument}'"));
                return Err(OPERATOR.other_device(ours, what, core.device.selector.clone()));
            }
        }
        if let Err(refusal) = destination.check(&self.c.core.device) {
            return Err(self.refused(refusal));
        }
        if !matches!(destination, Destination::Recording(_)) {
            for (argument, core, ..) in arrays {
                core.guarded().map_or(Ok(()), |guard| Err(OPERATOR.in_use(argument, guard)))?;
            }
        }
        // A pass after the first one could not be refused any more.
        let mut bound = Vec::new();
        for (name, array) in [("bias", &self.bias), ("residual", &self.residual)] {
            if let Some(array) = array {
                bound.push((name, operands::bytes(OPERATOR, name, array)?));
            }
        }
        bound.push(("c", operands::bytes(OPERATOR, "c", &self.c.as_slice())?));
        operands::check_places(OPERATOR, &self.c.core.device, &bound, 1, destination)
    }

    /// Whether each array begins at a multiple of four elements in its buffer.
    pub(super) fn are_aligned(&self) -> Result<bool, OperationError> {
        let results = [("bias", self.bias), ("residual", self.residual)];
        let results = results.into_iter().filter_map(|(argument, array)| Some((argument, array?.range)));
        let mut aligned = true;
        for (argument, range) in results.chain([("a", self.a.range), ("b", self.b.range), ("c", self.c.range)]) {
            aligned &= range.get().map_err(OPERATOR.slice(argument))?.start.is_multiple_of(4);
        }
        Ok(aligned)
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &mut self,
        shape: &Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.c.core.device);
        let mut parts = match usize::try_from(plan.scratch / 4).unwrap_or(usize::MAX) {
            0 => None,
            length => Some(device.scratch::<f32>(length, destination).map_err(operands::memory(OPERATOR))?),
        };
        // So that a refused kernel leaves nothing launched.
        for pass in plan.passes.iter().skip(1) {
            if let Pass::Finish { .. } = *pass {
                self.by_kernel(Call { pass: *pass, shape: *shape }, parts.as_mut(), None)?;
            }
        }
        for pass in &plan.passes {
            match *pass {
                Pass::Zeros => self.zeros(shape, destination)?,
                Pass::Library(precision) => self.by_library(shape, precision, destination.reborrow())?,
                Pass::Kernel { .. } if shape.sizes.k == 0 => {
                    self.without_factors(shape, *pass, parts.as_mut(), destination)?;
                }
                Pass::Kernel { .. } | Pass::Finish { .. } => {
                    self.by_kernel(Call { pass: *pass, shape: *shape }, parts.as_mut(), Some(destination.reborrow()))?;
                }
            }
        }
        Ok(())
    }

    /// Sets `c` to zero, the sum of no products.
    fn zeros(&mut self, shape: &Shape, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        match transfer::fill(destination.reborrow(), &self.c, R::zeroed()) {
            // The kernel can write halves of words, too.
            Err(BufferError::Misaligned { .. }) => {
                let parts = Parts { count: 1, depth: 0 };
                let pass = Pass::Kernel { kernel: Kernel::Tiles, tiles: tiles_of(64, shape.sizes), parts };
                self.without_factors(shape, pass, None, destination)
            }
            Err(BufferError::Device { error, .. }) => Err(self.refused(Refusal::Device(error))),
            outcome => outcome.map(|_| ()).map_err(OPERATOR.slice("c")),
        }
    }

    /// Computes products of depth 0 by a kernel, which needs an element in each array.
    fn without_factors(
        &mut self,
        shape: &Shape,
        pass: Pass,
        parts: Option<&mut UnifiedBuffer<f32>>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let spare = Device::of(&self.c.core.device).buffer::<T>(2).map_err(OPERATOR.slice("a"))?;
        let (bias, residual) = (self.bias, self.residual);
        let operands = Operands { a: spare.slice(..), b: spare.slice(..), c: self.c.slice_mut(..), bias, residual };
        operands.by_kernel(Call { pass, shape: *shape }, parts, Some(destination.reborrow()))
    }

    fn by_library(
        &self,
        shape: &Shape,
        precision: Precision,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (of_a, of_b) = (bytes::<T>("a", self.a.range)?, bytes::<T>("b", self.b.range)?);
        let written = bytes::<R>("c", self.c.range)?;
        let region = |core: &Core, range| core.region(range);
        let (a, b, c) = (region(self.a.core, &of_a), region(self.b.core, &of_b), region(self.c.core, &written));
        let ([rows, columns, depth], form) = (shape.library_sizes(), shape.library_form());
        let call = Library::MatrixProduct { a, b, c, rows, columns, depth, precision, form };
        // The product keeps what lies between rows, and behind the last of them.
        let of_c = if form.beta.get() == 0.0 && shape.is_dense() {
            Usage::replace(self.c.core, written)
        } else {
            Usage::write(self.c.core, written)
        };
        let usages = [Usage::read(self.a.core), Usage::read(self.b.core), of_c];
        let refused = |refusal| self.refused(refusal);
        let mut encoder = destination.encoder(&self.c.core.device).map_err(refused)?;
        encoder.command(&usages, None, |commands| commands.library(call)).map_err(refused)?;
        encoder.launched(false).map_err(|error| refused(Refusal::Device(error)))?;
        Ok(())
    }

    fn by_kernel(
        &self,
        call: Call,
        parts: Option<&mut UnifiedBuffer<f32>>,
        destination: Option<Destination<'_>>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.c.core.device);
        for (argument, length) in [("a", self.a.len()), ("b", self.b.len()), ("c", self.c.len())] {
            if length as u64 > MAX_ELEMENTS {
                return Err(OPERATOR.too_large(argument, vec![length], MAX_ELEMENTS));
            }
        }
        for (name, array) in [("a", self.a), ("b", self.b)] {
            operands::bindable(OPERATOR, name, &operands::bytes(OPERATOR, name, &array)?)?;
        }
        let results = [("bias", self.bias), ("residual", self.residual), ("c", Some(self.c.as_slice()))];
        for (name, array) in results.into_iter().filter_map(|(name, array)| Some((name, array?))) {
            operands::bindable(OPERATOR, name, &operands::bytes(OPERATOR, name, &array)?)?;
        }
        (R::LAUNCH)(&device, self, call, parts, destination)
    }

    fn refused(&self, refusal: Refusal) -> OperationError {
        OPERATOR.refused(&self.c.core.device, &["a", "b", "c"], refusal)
    }
}

/// The bytes of an array in its buffer.
fn bytes<E: MatmulElement>(argument: &'static str, range: Span) -> Result<Range<u64>, OperationError> {
    range.get().map(|range| byte_range::<E>(&range)).map_err(OPERATOR.slice(argument))
}

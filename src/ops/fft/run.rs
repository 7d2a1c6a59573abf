//! The commands of a Fourier transform.

use super::super::error::OperationError;
use super::super::moving::operands::memory;
use super::super::plan::Plan;
use super::OPERATOR;
use super::chain::{Pass, Place, Work};
use super::element::ComplexElement;
use super::launch::Launch;
use super::tables::{FftTables, Key};
use crate::buffer::cells::{read_again, reborrow};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

/// The arrays of a call, as bytes; `x` is `None` if results replace inputs.
pub(super) struct Operands<'x, 'y> {
    pub(super) x: Option<Slice<'x, u8>>,
    pub(super) y: SliceMut<'y, u8>,
}

/// The launches of a plan, whose kernels are compiled.
pub(super) fn prepare<T: ComplexElement>(
    device: &Device,
    plan: &Plan<Pass>,
    tables: &FftTables<T>,
) -> Result<Vec<Launch<T>>, OperationError> {
    let mut launches = Vec::with_capacity(plan.passes.len());
    for pass in &plan.passes {
        // A number of `f16` has no room for a root that is bound, but not read.
        let key = pass.key().or(T::HALVES.then_some(Key::Roots(1)));
        let table = key.map(|key| tables.get(key)).transpose()?;
        let line_table = match pass.work {
            Work::Lines { line, .. } => Some(tables.get(Key::Roots(u64::from(line)))?),
            _ => None,
        };
        launches.push(Launch { pass: *pass, scale: 1.0, table, line_table });
    }
    launches.iter().try_for_each(|launch| launch.compile(device))?;
    Ok(launches)
}

impl Operands<'_, '_> {
    /// Appends the commands of a plan. Each result is multiplied with `scale`.
    pub(super) fn run<T: ComplexElement>(
        &self,
        plan: &Plan<Pass>,
        scale: f64,
        tables: &FftTables<T>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some(last) = plan.passes.len().checked_sub(1) else { return Ok(()) };
        let device = &Device::of(&self.y.core.device);
        let mut launches = prepare(device, plan, tables)?;
        launches[last].scale = scale;
        let area = |area: usize| {
            let passes = plan.passes.iter().filter(|pass| pass.target == Place::Scratch(area));
            let length = passes.map(|pass| pass.room() as usize).max().unwrap_or(1);
            device.scratch::<u8>(length * size_of::<T::Wide>(), destination).map_err(memory(OPERATOR))
        };
        let mut areas = [area(0)?, area(1)?];
        let [first, second] = &mut areas;
        let areas = [first.slice_mut(..), second.slice_mut(..)];
        for launch in &launches {
            let source = match launch.pass.source {
                Place::X => self.x.unwrap_or_else(|| read_again(&self.y)),
                Place::Y => read_again(&self.y),
                Place::Scratch(area) => read_again(&areas[area]),
            };
            let target = match launch.pass.target {
                Place::Scratch(area) => reborrow(&areas[area]),
                Place::X | Place::Y => reborrow(&self.y),
            };
            launch.run(device, (&source, &target), destination)?;
        }
        Ok(())
    }
}

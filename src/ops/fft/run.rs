//! The commands of a Fourier transform.

use super::super::error::OperationError;
use super::super::moving::operands::{bytes, memory};
use super::super::plan::Plan;
use super::OPERATOR;
use super::element::ComplexElement;
use super::plan::{Factors, Pass, Place, Work};
use super::tables::{FftTables, Table};
use crate::buffer::cells::{read_again, reborrow, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod floats = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod doubles = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = true);
crate::kernels!(mod float_chirps = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod double_chirps = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = true);

/// The arrays of a call, as bytes; `x` is `None` if results replace inputs.
pub(super) struct Operands<'x, 'y> {
    pub(super) x: Option<Slice<'x, u8>>,
    pub(super) y: SliceMut<'y, u8>,
}

/// The parameters of a call, without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) inverse: bool,
    /// Multiplied with each result.
    pub(super) scale: f64,
}

impl Operands<'_, '_> {
    /// Appends the commands of a plan.
    pub(super) fn run<T: ComplexElement>(
        &self,
        call: Call,
        plan: &Plan<Pass>,
        tables: &FftTables<T>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if plan.passes.is_empty() {
            return Ok(());
        }
        let device = &Device::of(&self.y.core.device);
        let used = plan.passes.iter().map(|pass| tables.get(pass.length)).collect::<Result<Vec<_>, _>>()?;
        // Kernels of all passes are compiled before the first launch.
        for (pass, table) in plan.passes.iter().zip(&used) {
            compile::<T>(device, pass.work, table)?;
        }
        let mut buffers = [Place::Scratch(0), Place::Scratch(1)]
            .map(|area| plan.passes.iter().filter(|pass| pass.target == area).map(|pass| pass.written).max())
            .map(|length| device.scratch::<u8>(length.unwrap_or(1) as usize * size_of::<T>(), destination))
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .map_err(memory(OPERATOR))?;
        let areas: Vec<SliceMut<'_, u8>> = buffers.iter_mut().map(|buffer| buffer.slice_mut(..)).collect();
        let last = plan.passes.len() - 1;
        for (at, (pass, table)) in plan.passes.iter().zip(&used).enumerate() {
            let source = match pass.source {
                Place::X => self.x.unwrap_or_else(|| read_again(&self.y)),
                Place::Y => read_again(&self.y),
                Place::Scratch(area) => read_again(&areas[area]),
            };
            let target = match pass.target {
                Place::Scratch(area) => reborrow(&areas[area]),
                Place::X | Place::Y => reborrow(&self.y),
            };
            let launch = Launch {
                written: pass.written,
                inner: pass.inner as u32,
                swap_inputs: call.inverse && at == 0,
                swap_results: call.inverse && at == last,
                scale: if at == last { call.scale } else { 1.0 },
                table,
            };
            launch.run(device, pass.work, (&source, &target), destination)?;
        }
        Ok(())
    }
}

/// The parameters of one launch.
struct Launch<'t, T: ComplexElement> {
    written: u64,
    inner: u32,
    swap_inputs: bool,
    swap_results: bool,
    scale: f64,
    table: &'t Table<T>,
}

/// Compiles the kernel of a pass.
fn compile<T: ComplexElement>(device: &Device, work: Work, table: &Table<T>) -> Result<(), OperationError> {
    let levels = table.roots.second.is_some();
    match (work, T::DOUBLES) {
        (Work::Radix { radix, .. }, false) => drop(floats::fft_pass_with(device, floats::Overrides { radix, levels })?),
        (Work::Radix { radix, .. }, true) => {
            drop(doubles::fft_pass_with(device, doubles::Overrides { radix, levels })?)
        }
        (Work::Chirp { .. }, false) => drop(float_chirps::fft_chirp(device)?),
        (Work::Chirp { .. }, true) => drop(double_chirps::fft_chirp(device)?),
    }
    Ok(())
}

impl<T: ComplexElement> Launch<'_, T> {
    /// Appends the launch of a pass; the limit of the operator keeps all numbers within 32 bits.
    fn run(
        &self,
        device: &Device,
        work: Work,
        (source, target): (&Slice<'_, u8>, &SliceMut<'_, u8>),
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        match work {
            Work::Radix { radix, distance, span, step } => {
                let [distance, span, step] = [distance, span, step].map(|number| number as u32);
                self.radix(device, [radix, distance, span, step], (source, target), destination)
            }
            Work::Chirp { factors, from, to, used } => {
                let lengths = [from, to, used].map(|number| number as u32);
                self.chirp(device, factors, lengths, (source, target), destination)
            }
        }
    }

    fn radix(
        &self,
        device: &Device,
        [radix, distance, span, step]: [u32; 4],
        (source, target): (&Slice<'_, u8>, &SliceMut<'_, u8>),
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let roots = self.table.roots;
        let [swap_inputs, swap_results] = [self.swap_inputs, self.swap_results].map(u32::from);
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (x, first_of_x) = whole_cells::<$number>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$number>(target).map_err(OPERATOR.slice("y"))?;
                let numbers = bytes(OPERATOR, "the table", &self.table.numbers.slice(..))?;
                let (numbers, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    scale: self.scale as $real,
                    count: (self.written / u64::from(radix)) as u32,
                    distance,
                    span,
                    inner: self.inner,
                    step,
                    swap_inputs,
                    swap_results,
                    first_of_x,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let second = first + roots.second.unwrap_or(0) as u32;
                let table = $module::Roots { first, second, bits: roots.bits };
                let overrides = $module::Overrides { radix, levels: roots.second.is_some() };
                let args = $module::Args { sizes, x, y, roots: numbers, table };
                let kernel = $module::fft_pass_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).threads(sizes.count)?;
            }};
        }
        if T::DOUBLES {
            launch!(doubles, [f64; 2], f64);
        } else {
            launch!(floats, [f32; 2], f32);
        }
        Ok(())
    }

    fn chirp(
        &self,
        device: &Device,
        factors: Factors,
        [length_of_x, length_of_y, used]: [u32; 3],
        (source, target): (&Slice<'_, u8>, &SliceMut<'_, u8>),
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some(chirp) = self.table.chirp else { return Ok(()) };
        // A convolution is a product of transforms; the second one is inverse, so its inputs and its results are
        // exchanged. Parts that are exchanged twice stay.
        let swap_inputs = u32::from(self.swap_inputs != (factors == Factors::Results));
        let swap_results = u32::from(self.swap_results != (factors == Factors::Filter));
        let begin = if factors == Factors::Filter { chirp.filter } else { chirp.factors };
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (x, first_of_x) = whole_cells::<$number>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$number>(target).map_err(OPERATOR.slice("y"))?;
                let numbers = bytes(OPERATOR, "the table", &self.table.numbers.slice(..))?;
                let (factors, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    count: self.written as u32,
                    length_of_x,
                    length_of_y,
                    used,
                    inner: self.inner,
                    swap_inputs,
                    swap_results,
                    first_of_x,
                    first_of_y,
                    first_of_factors: first + begin as u32,
                    scale: self.scale as $real,
                    ..bytemuck::Zeroable::zeroed()
                };
                let args = $module::Args { sizes, x, y, factors };
                $module::fft_chirp(device)?.launch(args).to(destination.reborrow()).threads(sizes.count)?;
            }};
        }
        if T::DOUBLES {
            launch!(double_chirps, [f64; 2], f64);
        } else {
            launch!(float_chirps, [f32; 2], f32);
        }
        Ok(())
    }
}

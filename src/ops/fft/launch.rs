//! The launches of the passes of a Fourier transform.

use std::sync::Arc;

use super::super::error::OperationError;
use super::OPERATOR;
use super::chain::{Factors, Form, Pass, Work};
use super::element::ComplexElement;
use super::tables::Table;
use crate::buffer::cells::{bytes_of, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod chirps_32 = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod chirps_64 = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = true);
crate::kernels!(mod halves_32 = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod halves_64 = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = true);

/// One launch: its pass, the factor of its results, and the table that it reads.
pub(super) struct Launch<T: ComplexElement> {
    pub(super) pass: Pass,
    pub(super) scale: f64,
    pub(super) table: Option<Arc<Table<T>>>,
    /// The roots for the length of a line that a workgroup transforms.
    pub(super) line_table: Option<Arc<Table<T>>>,
}

/// Source and target of a pass.
pub(super) type Arrays<'a, 'x, 'y> = (&'a Slice<'x, u8>, &'a SliceMut<'y, u8>);

/// Calls a macro with the modules and the types for the elements of a transform.
macro_rules! for_elements {
    ($launch:ident, $elements:ty, $floats:ident, $doubles:ident) => {
        if <$elements>::DOUBLES {
            $launch!($doubles, [f64; 2], f64);
        } else {
            $launch!($floats, [f32; 2], f32);
        }
    };
}
pub(super) use for_elements;

impl<T: ComplexElement> Launch<T> {
    /// Whether the table has two levels.
    pub(super) fn levels(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.levels.second.is_some())
    }

    /// Compiles the kernel.
    pub(super) fn compile(&self, device: &Device) -> Result<(), OperationError> {
        let levels = self.levels();
        macro_rules! compile {
            ($chirps:ident, $halves:ident) => {
                match self.pass.work {
                    Work::Radix { radix, form: Form::Any, .. } => self.compile_small(device, radix)?,
                    Work::Radix { radix, form, span, .. } => self.compile_groups(device, [radix, span as u32], form)?,
                    Work::Lines { line, capacity, radices, .. } => {
                        self.compile_lines(device, [line, capacity], radices)?;
                    }
                    Work::Chirp { .. } => drop($chirps::fft_chirp(device)?),
                    Work::Half { half, .. } => {
                        drop($halves::fft_half_with(device, $halves::Overrides { way: half as u32, levels })?);
                    }
                    Work::FromReals(reals) => self.compile_from_reals(device, reals)?,
                    Work::ToReals(reals) => self.compile_to_reals(device, reals)?,
                }
            };
        }
        if T::DOUBLES {
            compile!(chirps_64, halves_64);
        } else {
            compile!(chirps_32, halves_32);
        }
        Ok(())
    }

    /// Appends the launch. The limit of the operator keeps all numbers within 32 bits.
    pub(super) fn run(
        &self,
        device: &Device,
        arrays: Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        match self.pass.work {
            Work::Radix { radix, distance, span, step, form } => {
                let [distance, span, step] = [distance, span, step].map(|number| number as u32);
                let numbers = [radix, distance, span, step];
                match form {
                    Form::Any => self.small_transforms(device, numbers, arrays, destination),
                    _ => self.groups(device, numbers, form, arrays, destination),
                }
            }
            Work::Lines { line, capacity, radices, distance, span, step } => {
                let [distance, span, step] = [distance, span, step].map(|number| number as u32);
                let numbers = [line, capacity, distance, span, step];
                self.lines(device, numbers, radices, arrays, destination)
            }
            Work::Chirp { factors, from, to, used } => {
                self.products(device, factors, [from, to, used].map(|number| number as u32), arrays, destination)
            }
            Work::Half { half, from, to } => {
                self.halves(device, half as u32, [from, to].map(|number| number as u32), arrays, destination)
            }
            Work::FromReals(reals) => self.read_reals(device, reals, arrays, destination),
            Work::ToReals(reals) => self.write_reals(device, reals, arrays, destination),
        }
    }

    /// The numbers of the table; for kernels that read none, those of the source.
    pub(super) fn numbers<'a>(&'a self, source: &Slice<'a, u8>) -> Result<Slice<'a, u8>, OperationError> {
        match &self.table {
            Some(table) => bytes_of(&table.numbers.slice(..)).map_err(OPERATOR.slice("the table")),
            None => Ok(*source),
        }
    }

    fn products(
        &self,
        device: &Device,
        factors: Factors,
        [length_of_x, length_of_y, used]: [u32; 3],
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let [swap_inputs, swap_results] = self.pass.swap.map(u32::from);
        let begin = if factors == Factors::Filter { self.pass.length as u32 } else { 0 };
        let numbers = self.numbers(source)?;
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (x, first_of_x) = whole_cells::<$number>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$number>(target).map_err(OPERATOR.slice("y"))?;
                let (factors, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    count: self.pass.written as u32,
                    length_of_x,
                    length_of_y,
                    used,
                    inner: self.pass.inner as u32,
                    swap_inputs,
                    swap_results,
                    first_of_x,
                    first_of_y,
                    first_of_factors: first + begin,
                    scale: self.scale as $real,
                };
                let args = $module::Args { sizes, x, y, factors };
                $module::fft_chirp(device)?.launch(args).to(destination.reborrow()).threads(sizes.count)?;
            }};
        }
        for_elements!(launch, T, chirps_32, chirps_64);
        Ok(())
    }

    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    fn halves(
        &self,
        device: &Device,
        way: u32,
        [length_of_x, length_of_y]: [u32; 2],
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let levels = self.table.as_ref().map(|table| table.levels);
        let numbers = self.numbers(source)?;
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (x, first_of_x) = whole_cells::<$number>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$number>(target).map_err(OPERATOR.slice("y"))?;
                let (roots, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    scale: self.scale as $real,
                    count: self.pass.written as u32,
                    length: self.pass.length as u32,
                    length_of_x,
                    length_of_y,
                    inner: self.pass.inner as u32,
                    first_of_x,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let second = first + levels.and_then(|levels| levels.second).unwrap_or(0);
                let table = $module::Roots { first, second, bits: levels.map_or(0, |levels| levels.bits) };
                let overrides = $module::Overrides { way, levels: self.levels() };
                let args = $module::Args { sizes, x, y, roots, table };
                let kernel = $module::fft_half_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).threads(sizes.count)?;
            }};
        }
        for_elements!(launch, T, halves_32, halves_64);
        Ok(())
    }
}

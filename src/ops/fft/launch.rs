//! The launches of the passes of a Fourier transform.

use std::sync::Arc;

use super::super::error::OperationError;
use super::OPERATOR;
use super::chain::{Factors, Form, Half, Pass, Place, Work};
use super::element::ComplexElement;
use super::reals::compile_narrow;
use super::tables::Table;
use crate::buffer::cells::{bytes_of, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod chirps_32 = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = false);
crate::kernels!(mod chirps_64 = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = true, feature half_source = false, feature half_target = false);
crate::kernels!(mod chirps_source = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = false);
crate::kernels!(mod chirps_target = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = true);
crate::kernels!(mod chirps_both = "shaders/ops/fft_chirp.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = true);
crate::kernels!(mod halves_32 = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = false);
crate::kernels!(mod halves_64 = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = true, feature half_source = false, feature half_target = false);
crate::kernels!(mod halves_source = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = false);
crate::kernels!(mod halves_target = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = true);
crate::kernels!(mod halves_both = "shaders/ops/fft_half.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = true);

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

/// The numbers in source and target of a pass.
pub(super) enum Storage {
    Floats,
    Doubles,
    /// `f16` in the source, in the target, or in both, and `f32` otherwise.
    HalfSource,
    HalfTarget,
    Halves,
}

/// Calls a macro with the module and the types for the storage of a launch: those of numbers and of their parts in the
/// kernel, and those of the elements of source and target.
macro_rules! for_storage {
    ($self:ident, $launch:ident, [$floats:ident, $doubles:ident, $sources:ident, $targets:ident, $both:ident]) => {
        match $self.storage() {
            $crate::ops::fft::launch::Storage::Floats => $launch!($floats, [f32; 2], f32, [f32; 2], [f32; 2]),
            $crate::ops::fft::launch::Storage::Doubles => $launch!($doubles, [f64; 2], f64, [f64; 2], [f64; 2]),
            $crate::ops::fft::launch::Storage::HalfSource => $launch!($sources, [f32; 2], f32, u32, [f32; 2]),
            $crate::ops::fft::launch::Storage::HalfTarget => $launch!($targets, [f32; 2], f32, [f32; 2], u32),
            $crate::ops::fft::launch::Storage::Halves => $launch!($both, [f32; 2], f32, u32, u32),
        }
    };
}
pub(super) use for_storage;

impl<T: ComplexElement> Launch<T> {
    /// Whether the table has two levels.
    pub(super) fn levels(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.levels.second.is_some())
    }

    /// The numbers in source and target: only the arrays of a call have `f16`.
    pub(super) fn storage(&self) -> Storage {
        let is_half = |place| T::HALVES && !matches!(place, Place::Scratch(_));
        match (is_half(self.pass.source), is_half(self.pass.target)) {
            _ if T::DOUBLES => Storage::Doubles,
            (false, false) => Storage::Floats,
            (true, false) => Storage::HalfSource,
            (false, true) => Storage::HalfTarget,
            (true, true) => Storage::Halves,
        }
    }

    /// Compiles the kernel.
    pub(super) fn compile(&self, device: &Device) -> Result<(), OperationError> {
        match self.pass.work {
            Work::Radix { radix, form: Form::Any, .. } => self.compile_small(device, radix),
            Work::Radix { radix, form, span, .. } => self.compile_groups(device, [radix, span as u32], form),
            Work::Lines { line, capacity, radices, .. } => self.compile_lines(device, [line, capacity], radices),
            Work::Chirp { .. } => self.compile_products(device),
            Work::Half { half, .. } => self.compile_halves(device, half),
            Work::FromReals(reals) => self.compile_from_reals(device, reals),
            Work::ToReals(reals) => self.compile_to_reals(device, reals),
            Work::Narrow => compile_narrow(device),
            Work::Library { .. } => Ok(()),
        }
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
            Work::Narrow => self.narrow(device, arrays, destination),
            Work::Library { lines } => self.by_library(lines as u32, arrays, destination),
        }
    }

    /// The numbers of the table; for kernels that read none, those of the source.
    pub(super) fn numbers<'a>(&'a self, source: &Slice<'a, u8>) -> Result<Slice<'a, u8>, OperationError> {
        match &self.table {
            Some(table) => bytes_of(&table.numbers.slice(..)).map_err(OPERATOR.slice("the table")),
            None => Ok(*source),
        }
    }

    fn compile_products(&self, device: &Device) -> Result<(), OperationError> {
        macro_rules! compile {
            ($module:ident, $($types:ty),+) => {
                drop($module::fft_chirp(device)?)
            };
        }
        for_storage!(self, compile, [chirps_32, chirps_64, chirps_source, chirps_target, chirps_both]);
        Ok(())
    }

    fn compile_halves(&self, device: &Device, half: Half) -> Result<(), OperationError> {
        let (way, levels) = (half as u32, self.levels());
        macro_rules! compile {
            ($module:ident, $($types:ty),+) => {
                drop($module::fft_half_with(device, $module::Overrides { way, levels })?)
            };
        }
        for_storage!(self, compile, [halves_32, halves_64, halves_source, halves_target, halves_both]);
        Ok(())
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
            ($module:ident, $number:ty, $real:ty, $x:ty, $y:ty) => {{
                let (x, first_of_x) = whole_cells::<$x>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$y>(target).map_err(OPERATOR.slice("y"))?;
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
        for_storage!(self, launch, [chirps_32, chirps_64, chirps_source, chirps_target, chirps_both]);
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
            ($module:ident, $number:ty, $real:ty, $x:ty, $y:ty) => {{
                let (x, first_of_x) = whole_cells::<$x>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$y>(target).map_err(OPERATOR.slice("y"))?;
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
        for_storage!(self, launch, [halves_32, halves_64, halves_source, halves_target, halves_both]);
        Ok(())
    }
}

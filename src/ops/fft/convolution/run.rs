//! The commands of a convolution.

use super::super::super::error::OperationError;
use super::super::super::moving::operands::memory;
use super::super::super::rearrange::{Pad, Rearrange, steps};
use super::super::element::RealElement;
use super::super::element::sealed::Complex;
use super::super::launch::for_elements;
use super::super::plan::half;
use super::super::real::RealFft;
use super::super::tables::FftTables;
use super::OPERATOR;
use super::sizes::Extent;
use crate::buffer::cells::{bytes_of, bytes_of_mut, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod products_32 = "shaders/ops/fft_product.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod products_64 = "shaders/ops/fft_product.wgsl", root = "shaders", feature doubles = true);

/// A call whose arguments were checked.
pub(super) struct Call<'a, T: RealElement> {
    pub(super) device: &'a Device,
    pub(super) tables: &'a FftTables<T::Complex>,
    pub(super) axes: &'a [usize],
    pub(super) sizes: &'a [Extent],
    pub(super) padded: &'a [usize],
    /// Whether w is reversed.
    pub(super) reversed: bool,
}

/// The shape of the first halves of the transforms along the last of the axes.
pub(super) fn halves(padded: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut halves = padded.to_vec();
    if let Some(last) = axes.last() {
        halves[*last] = half(padded[*last] as u64) as usize;
    }
    halves
}

impl<T: RealElement> Call<'_, T> {
    pub(super) fn run(
        &self,
        (x, w): (Slice<'_, T>, Slice<'_, T>),
        y: SliceMut<'_, T>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let shape_of = |size: fn(&Extent) -> usize| self.sizes.iter().map(size).collect::<Vec<usize>>();
        // The padded w has its own sizes along axes that are not convolved.
        let mut padded_w = shape_of(|extent| extent.w);
        self.axes.iter().for_each(|axis| padded_w[*axis] = self.padded[*axis]);
        let fft = |shape: &[usize]| RealFft::<T::Complex>::new(shape).axes(self.axes).tables(self.tables);
        // Kernels are compiled before the first command.
        fft(self.padded).prepare(self.device, false)?;
        fft(&padded_w).prepare(self.device, false)?;
        fft(self.padded).prepare(self.device, true)?;
        self.compile()?;

        let count = |shape: &[usize]| shape.iter().product::<usize>();
        let (halves_x, halves_w) = (halves(self.padded, self.axes), halves(&padded_w, self.axes));
        let mut reals = self.scratch::<T>(count(self.padded), destination)?;
        let mut spectrum = self.scratch::<T::Complex>(count(&halves_x), destination)?;
        let mut factors = self.scratch::<T::Complex>(count(&halves_w), destination)?;

        self.pad(x, &shape_of(|extent| extent.x), self.padded, (&mut reals, destination))?;
        fft(self.padded).to(destination.reborrow()).run(&reals, &mut spectrum)?;
        let shape_of_w = shape_of(|extent| extent.w);
        if self.reversed {
            let mut reverse = self.scratch::<T>(count(&shape_of_w), destination)?;
            Rearrange::flip(shape_of_w.clone(), self.axes).to(destination.reborrow()).run(w, &mut reverse)?;
            self.pad(reverse.slice(..), &shape_of_w, &padded_w, (&mut reals, destination))?;
        } else {
            self.pad(w, &shape_of_w, &padded_w, (&mut reals, destination))?;
        }
        let padded_reals = reals.slice(..count(&padded_w));
        fft(&padded_w).to(destination.reborrow()).run(padded_reals, &mut factors)?;
        if halves_w != halves_x {
            let mut all = self.scratch::<T::Complex>(count(&halves_x), destination)?;
            Rearrange::broadcast(halves_w, &halves_x).to(destination.reborrow()).run(&factors, &mut all)?;
            factors = all;
        }
        self.multiply(&factors, &mut spectrum, destination)?;
        fft(self.padded).to(destination.reborrow()).inverse(&spectrum, &mut reals)?;
        let range = |extent: &Extent| steps(extent.start as isize..(extent.start + extent.y) as isize, 1);
        let parts: Vec<_> = self.sizes.iter().map(range).collect();
        Rearrange::part(self.padded, &parts).to(destination.reborrow()).run(&reals, y)
    }

    fn scratch<E: crate::element::Element>(
        &self,
        length: usize,
        destination: &Destination<'_>,
    ) -> Result<UnifiedBuffer<E>, OperationError> {
        self.device.scratch::<E>(length, destination).map_err(memory(OPERATOR))
    }

    /// Writes `x` to the start of `y`, with zeros behind it along each axis.
    fn pad(
        &self,
        x: Slice<'_, T>,
        shape: &[usize],
        padded: &[usize],
        (y, destination): (&mut UnifiedBuffer<T>, &mut Destination<'_>),
    ) -> Result<(), OperationError> {
        let widths: Vec<[usize; 2]> = shape.iter().zip(padded).map(|(size, padded)| [0, padded - size]).collect();
        let zero = Pad::Constant(T::zeroed());
        let length = padded.iter().product::<usize>();
        Rearrange::pad(shape, &widths, zero).to(destination.reborrow()).run(x, y.slice_mut(..length))
    }

    fn compile(&self) -> Result<(), OperationError> {
        if T::Complex::DOUBLES {
            products_64::fft_product(self.device)?;
        } else {
            products_32::fft_product(self.device)?;
        }
        Ok(())
    }

    fn multiply(
        &self,
        x: &UnifiedBuffer<T::Complex>,
        y: &mut UnifiedBuffer<T::Complex>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let count = y.len() as u32;
        let y = y.slice_mut(..);
        let x = bytes_of(&x.slice(..)).map_err(OPERATOR.slice("x"))?;
        let y = bytes_of_mut(&y).map_err(OPERATOR.slice("y"))?;
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (x, first_of_x) = whole_cells::<$number>(&x).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$number>(&y).map_err(OPERATOR.slice("y"))?;
                let sizes = $module::Sizes { count, first_of_x, first_of_y };
                let kernel = $module::fft_product(self.device)?;
                kernel.launch($module::Args { sizes, x, y }).to(destination.reborrow()).threads(count)?;
            }};
        }
        for_elements!(launch, T::Complex, products_32, products_64);
        Ok(())
    }
}

//! The commands of a short-time Fourier transform.

use super::super::super::error::OperationError;
use super::super::super::moving::operands::memory;
use super::super::element::sealed::Complex;
use super::super::tables::FftTables;
use super::OPERATOR;
use super::frames::Frames;
use super::signal::{SignalElement, Transforms};
use crate::buffer::cells::{bytes_of, bytes_of_mut, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod frames_32 = "shaders/ops/stft_frames.wgsl", root = "shaders", feature doubles = false, feature pairs = false);
crate::kernels!(mod frames_64 = "shaders/ops/stft_frames.wgsl", root = "shaders", feature doubles = true, feature pairs = false);
crate::kernels!(mod frames_pairs_32 = "shaders/ops/stft_frames.wgsl", root = "shaders", feature doubles = false, feature pairs = true);
crate::kernels!(mod frames_pairs_64 = "shaders/ops/stft_frames.wgsl", root = "shaders", feature doubles = true, feature pairs = true);
crate::kernels!(mod overlap_32 = "shaders/ops/stft_overlap.wgsl", root = "shaders", feature doubles = false, feature pairs = false);
crate::kernels!(mod overlap_64 = "shaders/ops/stft_overlap.wgsl", root = "shaders", feature doubles = true, feature pairs = false);
crate::kernels!(mod overlap_pairs_32 = "shaders/ops/stft_overlap.wgsl", root = "shaders", feature doubles = false, feature pairs = true);
crate::kernels!(mod overlap_pairs_64 = "shaders/ops/stft_overlap.wgsl", root = "shaders", feature doubles = true, feature pairs = true);

/// A call whose arguments were checked.
pub(super) struct Call<'a, T: SignalElement> {
    pub(super) device: &'a Device,
    pub(super) tables: &'a FftTables<T::Complex>,
    pub(super) window: &'a [f64],
    pub(super) frames: Frames,
    /// The number of all transforms, and their length.
    pub(super) rows: [usize; 2],
}

/// Launches a kernel of the modules with `count` invocations.
macro_rules! launched {
    ($call:expr, $source:expr, $target:expr, $count:expr, $destination:expr, $entry:ident,
     [$floats:ident, $doubles:ident, $pairs:ident, $double_pairs:ident]) => {{
        let Frames { length, window, hop, transform, count: frames, offset, shift } = $call.frames;
        let (source, target, count) = ($source, $target, $count as u32);
        macro_rules! launch {
            ($module:ident, $real:ty, $sample:ty) => {{
                let numbers: Vec<$real> = $call.window.iter().map(|number| *number as $real).collect();
                let numbers = $call.device.buffer_from(&numbers).map_err(memory(OPERATOR))?;
                let (x, first_of_x) = whole_cells::<$sample>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$sample>(target).map_err(OPERATOR.slice("y"))?;
                let sizes = $module::Sizes {
                    count,
                    length: length as u32,
                    frames: frames as u32,
                    hop: hop as u32,
                    window_length: window as u32,
                    transform_length: transform as u32,
                    offset: offset as u32,
                    shift: shift as u32,
                    first_of_x,
                    first_of_y,
                    first_of_window: 0,
                };
                let args = $module::Args { sizes, x, y, window: numbers.slice(..) };
                $module::$entry($call.device)?.launch(args).to($destination.reborrow()).threads(count)?;
            }};
        }
        match (T::PAIRS, T::Complex::DOUBLES) {
            (false, false) => launch!($floats, f32, f32),
            (false, true) => launch!($doubles, f64, f64),
            (true, false) => launch!($pairs, f32, [f32; 2]),
            (true, true) => launch!($double_pairs, f64, [f64; 2]),
        }
    }};
}

impl<T: SignalElement> Call<'_, T> {
    fn transforms(&self) -> Transforms<'_, T> {
        Transforms { rows: self.rows, tables: self.tables }
    }

    pub(super) fn forward(
        &self,
        x: &Slice<'_, u8>,
        y: SliceMut<'_, T::Complex>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        T::prepare(&self.transforms(), self.device, false)?;
        let count = self.rows[0] * self.rows[1];
        let mut products = self.device.scratch::<T>(count, destination).map_err(memory(OPERATOR))?;
        let target = products.slice_mut(..);
        let target = bytes_of_mut(&target).map_err(OPERATOR.slice("y"))?;
        launched!(
            self,
            x,
            &target,
            count,
            destination,
            stft_frames,
            [frames_32, frames_64, frames_pairs_32, frames_pairs_64]
        );
        T::forward(&self.transforms(), products.slice(..), y, destination.reborrow())
    }

    pub(super) fn inverse(
        &self,
        x: Slice<'_, T::Complex>,
        y: &SliceMut<'_, u8>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        T::prepare(&self.transforms(), self.device, true)?;
        let count = self.rows[0] * self.rows[1];
        let mut products = self.device.scratch::<T>(count, destination).map_err(memory(OPERATOR))?;
        T::inverse(&self.transforms(), x, products.slice_mut(..), destination.reborrow())?;
        let source = bytes_of(&products.slice(..)).map_err(OPERATOR.slice("x"))?;
        let samples = self.rows[0] / self.frames.count * self.frames.length;
        launched!(
            self,
            &source,
            y,
            samples,
            destination,
            stft_overlap,
            [overlap_32, overlap_64, overlap_pairs_32, overlap_pairs_64]
        );
        Ok(())
    }
}

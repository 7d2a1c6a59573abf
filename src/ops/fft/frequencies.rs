//! The frequencies of the results of Fourier transforms.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::{Cost, Plan};
use super::element::RealElement;
use super::element::sealed::Complex;
use super::launch::for_elements;
use super::plan::half;
use crate::buffer::SliceMut;
use crate::buffer::cells::whole_cells_mut;
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};

crate::kernels!(mod frequencies_32 = "shaders/ops/fft_frequencies.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod frequencies_64 = "shaders/ops/fft_frequencies.wgsl", root = "shaders", feature doubles = true);

/// Writes the frequencies of the results of a transform of as many samples as `y` has elements, at the distance `spacing`:
/// `0, 1, .., -2, -1`, divided by the length and the spacing, as NumPy's `fftfreq`. See [`Frequencies`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut y = device.buffer::<f32>(5)?;
/// anywarp::ops::fftfreq(0.1, &mut y)?;
/// assert_eq!(*y.read()?, [0.0, 2.0, 4.0, -4.0, -2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Frequencies::run`].
pub fn fftfreq<'y, T: RealElement>(spacing: f64, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
    let y = y.into();
    Frequencies::new(y.len()).spacing(spacing).run(y)
}

/// Writes the frequencies of the results of [`rfft`](super::rfft) of `length` samples, at the distance `spacing`, to `y`
/// with `length / 2 + 1` elements, as NumPy's `rfftfreq`. See [`Frequencies::half`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let mut y = device.buffer::<f32>(3)?;
/// anywarp::ops::rfftfreq(4, 0.125, &mut y)?;
/// assert_eq!(*y.read()?, [0.0, 2.0, 4.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Frequencies::run`].
pub fn rfftfreq<'y, T: RealElement>(
    length: usize,
    spacing: f64,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    Frequencies::new(length).spacing(spacing).half().run(y)
}

/// The frequencies of the results of a Fourier transform: [`fftfreq`] and [`rfftfreq`] on a stream, or into a recording.
///
/// A frequency is the product of a whole number and `1 / (length * spacing)`, which is computed in `f64` and rounded once.
#[must_use = "no frequencies are written until `run` is called"]
pub struct Frequencies<'r> {
    length: usize,
    spacing: f64,
    half: bool,
    destination: Destination<'r>,
}

/// The greatest length: kernels count in 31 bits.
const LONGEST: usize = 1 << 30;

impl<'r> Frequencies<'r> {
    /// The frequencies for a transform of `length` samples at the distance 1: cycles in one sample.
    pub fn new(length: usize) -> Self {
        Self { length, spacing: 1.0, half: false, destination: Destination::Own }
    }

    /// Sets the distance of neighbouring samples, such as `1.0 / 44100.0` seconds for frequencies in hertz.
    pub fn spacing(mut self, spacing: f64) -> Self {
        self.spacing = spacing;
        self
    }

    /// Writes the `length / 2 + 1` frequencies of a transform of real numbers, which are not negative.
    pub fn half(mut self) -> Self {
        self.half = true;
        self
    }

    /// Appends the frequencies to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call with elements of type `T`: a multiplication for each element.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Frequencies::new(1000).half().cost::<f32>()?;
    /// assert_eq!((cost.flops, cost.bytes), (501, 2004));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`] and [`OperationError::Choice`].
    pub fn cost<T: RealElement>(&self) -> Result<Cost, OperationError> {
        Ok(self.plan::<T>()?.cost())
    }

    fn plan<T: RealElement>(&self) -> Result<Plan<()>, OperationError> {
        if self.length > LONGEST {
            return Err(OPERATOR.too_large("y", vec![self.length], LONGEST as u64));
        }
        // The spacing of NaN is refused, too.
        if self.spacing.is_nan() || self.spacing == 0.0 {
            return Err(OPERATOR.choice("a spacing of", "use another number than 0", self.spacing.to_string()));
        }
        let count = self.count() as u64;
        if count == 0 {
            return Ok(Plan::nothing());
        }
        Ok(Plan { passes: vec![()], scratch: 0, flops: count, bytes: count * size_of::<T>() as u64 })
    }

    fn count(&self) -> usize {
        if self.half && self.length > 0 { half(self.length as u64) as usize } else { self.length }
    }

    /// Writes the frequencies to `y`, a buffer or a slice of any start.
    ///
    /// # Errors
    /// [`OperationError`] for an array of another length, a spacing of 0, more than 2^30 samples, a slice out of range, an
    /// existing guard, another device's stream, `f64` on a device without it, or an error of the device. In that case
    /// nothing has run.
    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    pub fn run<'y, T: RealElement>(mut self, y: impl Into<SliceMut<'y, T>>) -> Result<(), OperationError> {
        let y = y.into();
        let plan = self.plan::<T>()?;
        let bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        operands::expect(OPERATOR, "y", (y.len(), &[self.count()]))?;
        operands::check(OPERATOR, &bytes.core.device, &[("y", bytes.as_slice())], 1, &self.destination)?;
        if plan.passes.is_empty() {
            return Ok(());
        }
        let device = &Device::of(&bytes.core.device);
        let step = 1.0 / (self.length as f64 * self.spacing);
        let (count, length) = (self.count() as u32, self.length as u32);
        let first_negative = if self.half { count } else { length.div_ceil(2) };
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (y, first_of_y) = whole_cells_mut::<$real>(&bytes).map_err(OPERATOR.slice("y"))?;
                let sizes = $module::Sizes {
                    step: step as $real,
                    count,
                    length,
                    first_negative,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let args = $module::Args { sizes, y };
                $module::fft_frequencies(device)?.launch(args).to(self.destination.reborrow()).threads(count)?;
            }};
        }
        for_elements!(launch, T::Complex, frequencies_32, frequencies_64);
        Ok(())
    }
}

const OPERATOR: Operator = Operator("frequencies of a Fourier transform");

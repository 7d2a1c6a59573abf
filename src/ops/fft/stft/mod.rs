//! Short-time Fourier transforms.

mod frames;
mod run;
mod signal;
mod window;

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Cost;
use super::call;
use super::element::sealed::Complex;
use super::tables::FftTables;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use frames::Frames;
use run::Call;
pub use signal::SignalElement;
use signal::Transforms;
pub use window::WindowShape;

/// A short-time Fourier transform of real or complex signals, and its inverse: the Fourier transforms of parts of a signal
/// at equal distances, each multiplied by a window.
///
/// The result has the windows and then the frequencies as its last axes: `[.., windows, n / 2 + 1]` for real signals and
/// `[.., windows, n]` for complex ones, with the length `n` of a transform, which is that of the window. The frequencies of
/// complex signals are those of [`fftfreq`](super::fftfreq), the negative ones last: `SciPy`'s `fft_mode="twosided"`.
/// Windows lie within the signal, and a transform begins with the first sample of its window, as in ONNX's `STFT`;
/// [`centred`](Self::centred) has those of `SciPy`'s `ShortTimeFFT`.
///
/// The inverse adds the products of the window and the inverse transforms, divided by the sum of the window's squares at
/// each sample. Where windows hardly overlap, or begin with zeros at the end of a signal, no inverse exists, and the call
/// returns an error.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{Stft, WindowShape};
///
/// let device = anywarp::Device::open("cpu")?;
/// // A tone of four periods in 64 samples, later one of eight.
/// let tone = |at: usize| (at as f32 * if at < 512 { 4.0 } else { 8.0 } * std::f32::consts::TAU / 64.0).sin();
/// let x = device.buffer_from(&(0..1024).map(tone).collect::<Vec<f32>>())?;
/// let window = WindowShape::Hann.periodic(64);
/// let stft = || Stft::<f32>::new([1024], &window, 16).centred();
/// let shape = stft().shape()?;
/// assert_eq!(shape, [67, 33]);
/// let mut y = device.buffer::<[f32; 2]>(67 * 33)?;
/// stft().run(&x, &mut y)?;
/// let size = |window: usize, frequency: usize| {
///     let [real, imaginary] = y.read().unwrap()[window * 33 + frequency];
///     real.hypot(imaginary)
/// };
/// assert!(size(10, 4) > 10.0 && size(10, 8) < 1e-3 && size(60, 8) > 10.0);
/// let mut again = device.buffer::<f32>(1024)?;
/// stft().inverse(&y, &mut again)?;
/// assert!(again.read()?.iter().zip(&*x.read()?).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "nothing is transformed until `run` or `inverse` is called"]
pub struct Stft<'r, T: SignalElement = f32> {
    shape: Vec<usize>,
    window: Vec<f64>,
    hop: usize,
    centred: bool,
    trimmed: bool,
    transform: Option<usize>,
    tables: Option<&'r FftTables<T::Complex>>,
    destination: Destination<'r>,
}

impl<'r, T: SignalElement> Stft<'r, T> {
    /// A transform of arrays of a shape, whose last axis is that of the samples. The window is one of [`WindowShape`],
    /// or any other; neighbouring windows are `hop` samples apart.
    pub fn new(shape: impl AsRef<[usize]>, window: impl AsRef<[f64]>, hop: usize) -> Self {
        Self {
            shape: shape.as_ref().to_vec(),
            window: window.as_ref().to_vec(),
            hop,
            centred: false,
            trimmed: false,
            transform: None,
            tables: None,
            destination: Destination::Own,
        }
    }

    /// Puts the middles of windows at multiples of the hop, with all windows that overlap the signal, and zeros outside the
    /// signal. A transform begins with the middle of its window, `m = window.len() / 2`, and its first half comes last, so
    /// that phases are those at the middle: `SciPy`'s `ShortTimeFFT`.
    ///
    /// The first middle is at sample `-b * hop` with `b = (w - m - 1) / hop` for a window of `w` numbers, and a signal of
    /// `n > 0` samples has `b + (n + m - 1) / hop + 1` windows. `SciPy` leaves some of them out:
    /// [`trimmed`](Self::trimmed) does so, too.
    pub fn centred(mut self) -> Self {
        self.centred = true;
        self
    }

    /// Leaves out centred windows that only their leading zeros join with the end of the signal, as `SciPy`'s `ShortTimeFFT`
    /// does: their transforms are zeros. With `z` zeros at its begin, the last window's middle is at most `n + m - z - 1`,
    /// in place of `n + m - 1`. A periodic [`WindowShape::Hann`] has one zero, so that there is one window less where
    /// `hop` divides `n + m - 1`. Other windows do not change: `SciPy` keeps those before the signal that reach it with zeros
    /// at their end.
    ///
    /// ```
    /// use anywarp::ops::{Stft, WindowShape};
    ///
    /// # fn main() -> anywarp::Result<()> {
    /// let hann = WindowShape::Hann.periodic(16);
    /// let stft = || Stft::<f32>::new([49], &hann, 8).centred();
    /// assert_eq!(stft().shape()?, [8, 9]); // the last window begins at the last sample, with a zero
    /// assert_eq!(stft().trimmed().shape()?, [7, 9]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn trimmed(mut self) -> Self {
        self.trimmed = true;
        self
    }

    /// Sets the length of a transform, in place of that of the window, behind which zeros are added: `SciPy`'s `mfft`.
    pub fn transform_length(mut self, length: usize) -> Self {
        self.transform = Some(length);
        self
    }

    /// Uses tables that several calls share, in place of tables for this call.
    pub fn tables(mut self, tables: &'r FftTables<T::Complex>) -> Self {
        self.tables = Some(tables);
        self
    }

    /// Appends the transform to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The shape of the transform: that of the signals, with the windows and the frequencies in place of the samples.
    ///
    /// # Errors
    /// [`OperationError::Choice`] for a shape without axes, an empty window, a hop of 0, or a transform shorter than the
    /// window.
    pub fn shape(&self) -> Result<Vec<usize>, OperationError> {
        let frames = self.frames()?;
        let mut shape = self.shape.clone();
        shape.pop();
        shape.extend([frames.count, T::frequencies(frames.transform)]);
        Ok(shape)
    }

    /// The cost of a transform or an inverse one, to compare its time with the limits of a device: the operations of the
    /// transforms, and a product for each of their real numbers.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Stft::<f32>::new([100], [1.0; 16], 12).cost(&device)?;
    /// assert_eq!((cost.flops, cost.bytes), (8 * (5 * 16 * 4 / 2 + 16), 4 * 100 + 8 * 8 * 9));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`shape`](Self::shape), and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        let frames = self.frames()?;
        let rows = self.rows(&frames)?;
        let samples = self.shape.iter().product::<usize>() as u64;
        if rows[0] == 0 || samples == 0 {
            return Ok(Cost::default());
        }
        let tables = FftTables::new(device);
        let fft = T::cost(&Transforms { rows, tables: &tables }, device)?;
        let products = (rows[0] * rows[1]) as u64;
        let (size, complex) = (size_of::<T>() as u64, size_of::<T::Complex>() as u64);
        Ok(Cost {
            passes: fft.passes + 1,
            scratch: fft.scratch + products * size,
            flops: fft.flops + products * if T::PAIRS { 2 } else { 1 },
            bytes: samples * size + (rows[0] * T::frequencies(rows[1])) as u64 * complex,
        })
    }

    fn frames(&self) -> Result<Frames, OperationError> {
        let Some(length) = self.shape.last() else {
            return Err(OPERATOR.choice("a shape of", "its last axis is that of the samples", "no axes".to_owned()));
        };
        let (window, transform) = (self.window.len(), self.transform.unwrap_or(self.window.len()));
        if window == 0 {
            return Err(OPERATOR.choice("a window of", "it needs a number or more", "0 numbers".to_owned()));
        }
        if self.hop == 0 {
            return Err(OPERATOR.choice("a hop of", "windows are one sample or more apart", "0".to_owned()));
        }
        if transform < window {
            let expected = format!("it has at least the length of the window, {window}");
            return Err(OPERATOR.choice("a transform of length", expected, transform.to_string()));
        }
        // Kernels count samples, with those before and behind the signal, in 32 bits.
        let largest = [*length, self.hop, transform].into_iter().max().unwrap_or(0);
        if largest > LONGEST {
            return Err(OPERATOR.too_large("x", self.shape.clone(), LONGEST as u64));
        }
        if !self.centred {
            return Ok(Frames::inside(*length, window, self.hop, transform));
        }
        let zeros = if self.trimmed { self.window.iter().take_while(|number| **number == 0.0).count() } else { 0 };
        Ok(Frames::centred(*length, window, self.hop, transform).without_zeros(zeros))
    }

    /// The number of all transforms, and their length.
    fn rows(&self, frames: &Frames) -> Result<[usize; 2], OperationError> {
        operands::counted::<T::Complex>(OPERATOR, "x", &self.shape)?;
        let signals = self.shape[..self.shape.len() - 1].iter().product::<usize>();
        operands::counted::<T::Complex>(OPERATOR, "the windows", &[signals, frames.count, frames.transform])?;
        Ok([signals * frames.count, frames.transform])
    }

    /// Computes the complex numbers `y`, with the shape [`shape`](Self::shape), from the signals `x`. Both are buffers or
    /// slices of any start; `y` is in another buffer than `x` unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for a shape without axes, an empty window, a hop of 0, a transform shorter than the window, arrays
    /// of other lengths, a slice out of range, arrays or tables of two devices, an existing guard, 2^28 samples or more in a
    /// signal, 2^30 products or more, `f64` on a device without it, or an error of the device. In that case `y` is
    /// unchanged.
    pub fn run<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T::Complex>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let (frames, shape) = (self.frames()?, self.shape()?);
        let rows = self.rows(&frames)?;
        let x_bytes = operands::bytes(OPERATOR, "x", &x)?;
        let y_bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        operands::expect(OPERATOR, "x", (x.len(), &self.shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &shape))?;
        let context = &y_bytes.core.device;
        operands::check(OPERATOR, context, &[("x", x_bytes), ("y", y_bytes.as_slice())], 1, &self.destination)?;
        call::own_tables(OPERATOR, context, self.tables)?;
        if y.is_empty() {
            return Ok(());
        }
        let device = Device::of(context);
        let own = FftTables::new(&device);
        let mut destination = std::mem::replace(&mut self.destination, Destination::Own);
        let call = self.call(&device, &own, frames, rows);
        call.forward(&x_bytes, y, &mut destination)
    }

    /// Computes the signals `y` from the complex numbers `x`, with the shape [`shape`](Self::shape): the signals with
    /// these transforms; if there are none, those whose transforms have the least sum of squared differences from `x`.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`OperationError::Choice`], with the first sample, if the squares of the windows on a sample
    /// add up to less than `1e-6` times their greatest sum, or `1e-15` times for `f64`.
    pub fn inverse<'x, 'y>(
        mut self,
        x: impl Into<Slice<'x, T::Complex>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let (frames, shape) = (self.frames()?, self.shape()?);
        let rows = self.rows(&frames)?;
        let x_bytes = operands::bytes(OPERATOR, "x", &x)?;
        let y_bytes = operands::bytes_mut(OPERATOR, "y", &y)?;
        operands::expect(OPERATOR, "x", (x.len(), &shape))?;
        operands::expect(OPERATOR, "y", (y.len(), &self.shape))?;
        let tolerance = if T::Complex::DOUBLES { 1e-15 } else { 1e-6 };
        if let Some((sample, share)) = frames.uncovered(&self.window, tolerance) {
            let expected = format!(
                "the squares of all windows on sample {sample} are {share:e} of their greatest sum, at least \
                 {tolerance:e} is needed; use a smaller hop, `centred`, or a window without zeros"
            );
            return Err(OPERATOR.choice("an inverse with the hop", expected, self.hop.to_string()));
        }
        let context = &y_bytes.core.device;
        operands::check(OPERATOR, context, &[("x", x_bytes), ("y", y_bytes.as_slice())], 1, &self.destination)?;
        call::own_tables(OPERATOR, context, self.tables)?;
        if y.is_empty() {
            return Ok(());
        }
        let device = Device::of(context);
        let own = FftTables::new(&device);
        let mut destination = std::mem::replace(&mut self.destination, Destination::Own);
        let call = self.call(&device, &own, frames, rows);
        call.inverse(x, &y_bytes, &mut destination)
    }

    fn call<'a>(
        &'a self,
        device: &'a Device,
        own: &'a FftTables<T::Complex>,
        frames: Frames,
        rows: [usize; 2],
    ) -> Call<'a, T> {
        Call { device, tables: self.tables.unwrap_or(own), window: &self.window, frames, rows }
    }
}

/// The greatest length of signals, transforms and hops.
const LONGEST: usize = 1 << 28;

const OPERATOR: Operator = Operator("short-time Fourier transform");

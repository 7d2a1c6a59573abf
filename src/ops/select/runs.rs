//! Run-length encoding.

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::types::ElementType;
use super::super::operator::Operator;
use super::super::scan::Scan;
use super::super::scanning::element::{ScanElement, element};
use super::super::scanning::form::ScanForm;
use super::super::scanning::kernel::{Description, kernel_file};
use super::super::scanning::operands::{self, Bindings};
use super::super::scanning::sizes::{Chain, MAX_LENGTH, WIDTH};
use super::kept::{Kept, Output};
use super::run::{Call, Operands};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::kernel::{DeviceCount, bound};
use crate::submit::{Destination, Recording, Stream};

const OPERATOR: Operator = Operator("run lengths");

/// Writes the value and the length of each run of equal neighbours of `x`, and returns the number of runs.
///
/// The number stays on the device; see [`select`](super::select). Outputs that are too short receive the first runs.
/// With [`RunLengths`], the call can use a stream or a recording.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[7u32, 7, 7, 3, 9, 9])?;
/// let (mut values, mut lengths) = (device.buffer::<u32>(6)?, device.buffer::<u32>(6)?);
/// let count = anywarp::ops::run_length_encode(&x, &mut values, &mut lengths)?;
/// assert_eq!(count.read()?, 3);
/// assert_eq!((&values.read()?[..3], &lengths.read()?[..3]), (&[7, 3, 9][..], &[3, 1, 2][..]));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn run_length_encode<'x, 'v, 'l, T: ScanElement>(
    x: impl Into<Slice<'x, T>>,
    values: impl Into<SliceMut<'v, T>>,
    lengths: impl Into<SliceMut<'l, u32>>,
) -> Result<DeviceCount, OperationError> {
    RunLengths::new().encode(x, values, lengths)
}

/// Writes each of `values` to `y` as often as its length in `lengths`, and returns the number of elements. The sum of
/// the lengths must be below 2^32; elements beyond the end of `y` are not written. Lengths of 0 are permitted.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let (values, lengths) = (device.buffer_from(&[0.5f32, 2.5])?, device.buffer_from(&[3u32, 1])?);
/// let mut y = device.buffer::<f32>(4)?;
/// let count = anywarp::ops::run_length_decode(&values, &lengths, &mut y)?;
/// assert_eq!(count.read()?, 4);
/// assert_eq!(*y.read()?, [0.5, 0.5, 0.5, 2.5]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`]; in that case nothing has run.
pub fn run_length_decode<'v, 'l, 'y, T: ScanElement>(
    values: impl Into<Slice<'v, T>>,
    lengths: impl Into<Slice<'l, u32>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<DeviceCount, OperationError> {
    RunLengths::new().decode(values, lengths, y)
}

/// [`run_length_encode`] and [`run_length_decode`] with a stream or a recording.
#[must_use = "nothing is done until `encode` or `decode` is called"]
pub struct RunLengths<'r> {
    form: Option<ScanForm>,
    destination: Destination<'r>,
}

impl Default for RunLengths<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> RunLengths<'r> {
    /// An encoding or decoding on the device's default stream.
    pub fn new() -> Self {
        Self { form: None, destination: Destination::Own }
    }

    /// Sets the form in which elements are processed, to compare the speed of forms; see [`ScanForm`].
    pub fn form(mut self, form: ScanForm) -> Self {
        self.form = Some(form);
        self
    }

    /// Appends the work to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs the work on `stream`, in place of the device's default stream.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Writes the value and the length of each run of `x`; see [`run_length_encode`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn encode<'x, 'v, 'l, T: ScanElement>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        values: impl Into<SliceMut<'v, T>>,
        lengths: impl Into<SliceMut<'l, u32>>,
    ) -> Result<DeviceCount, OperationError> {
        let x = Array::new::<T>(x.into());
        let (values, lengths) = (Array::new::<T>(values.into()), Array::new::<u32>(lengths.into()));
        let destination = &mut self.destination;
        let call = Call {
            operator: OPERATOR,
            kept: &Kept::Changes,
            output: Output::Both,
            element: element::<T>(),
            chain: Chain::USUAL,
        };
        let length = operands::length(OPERATOR, "x", &x)?;
        call.shape(length as u64)?;
        let capacity = operands::length(OPERATOR, "values", &values)?;
        operands::expect(OPERATOR, "lengths", &lengths, &[capacity])?;
        let device = Device::of(&values.bound.core.device);
        let arrays = [("x", &x), ("values", &values), ("lengths", &lengths)];
        operands::check(OPERATOR, &device.context, &arrays, 2, destination)?;
        // One start more than the outputs have elements: the last run that is written ends where the next run begins.
        let starts = capacity.min(length) + 1;
        let mut starts = device
            .scratch::<u32>(starts, destination)
            .map_err(|error| OperationError::Buffer { operator: OPERATOR.name(), error })?;
        let kernel = Description::new(kernel_file!("run_lengths.wgsl"), "run_lengths").kernel(&device)?;
        let sizes = [length, capacity.min(length) + 1, capacity];
        let operands = Operands { x, flags: None, y: values, z: Some(Array::new::<u32>(&mut starts)) };
        let count = call.run(&operands, [length, capacity, sizes[1]], self.form.map(Into::into), destination)?;
        drop(operands);
        if length == 0 || capacity == 0 {
            return Ok(count);
        }
        let (bound_lengths, first) = lengths.placed(None);
        let runs: [u32; 5] = [length as u32, capacity as u32, 0, first as u32, 0];
        let mut launch = kernel.launch().set_bytes("runs", bytemuck::bytes_of(&runs));
        launch.bind_to("starts", bound(&starts));
        launch.bind_to("count", bound(&count));
        launch.bind_to("lengths", bound_lengths);
        launch.to(destination.reborrow()).threads_of(&count)?;
        Ok(count)
    }

    /// Writes each of `values` to `y` as often as its length in `lengths`; see [`run_length_decode`].
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn decode<'v, 'l, 'y, T: ScanElement>(
        mut self,
        values: impl Into<Slice<'v, T>>,
        lengths: impl Into<Slice<'l, u32>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<DeviceCount, OperationError> {
        let (values, y) = (Array::new::<T>(values.into()), Array::new::<T>(y.into()));
        let lengths = lengths.into();
        let destination = &mut self.destination;
        let runs = operands::length(OPERATOR, "values", &values)?;
        let capacity = operands::length(OPERATOR, "y", &y)?;
        for (name, length) in [("values", runs), ("y", capacity)] {
            if length as u64 > MAX_LENGTH {
                return Err(OPERATOR.too_large(name, vec![length], MAX_LENGTH));
            }
        }
        let of_lengths = Array::new::<u32>(lengths);
        operands::expect(OPERATOR, "lengths", &of_lengths, &[runs])?;
        let device = Device::of(&y.bound.core.device);
        let arrays = [("values", &values), ("lengths", &of_lengths), ("y", &y)];
        operands::check(OPERATOR, &device.context, &arrays, 1, destination)?;
        let refused = |error| OperationError::Buffer { operator: OPERATOR.name(), error };
        let mut count = device.count(capacity as u32).map_err(refused)?;
        if runs == 0 {
            return Ok(count);
        }
        let kernel = decoding(element::<T>()).kernel(&device)?;
        let mut ends: UnifiedBuffer<u32> = device.scratch(runs, destination).map_err(refused)?;
        let mut spare = operands::spare(OPERATOR, &device, capacity, destination)?;
        let scan = Scan::sum().to(destination.reborrow());
        let scan = if let Some(form) = self.form { scan.form(form) } else { scan };
        scan.run(lengths, &mut ends)?;
        let mut bindings = Bindings::of(&kernel);
        let first_of_values = bindings.array("values", &values);
        let first_of_y = bindings.array_or("y", &y, spare.as_mut());
        bindings.bound("ends", || bound(&ends));
        bindings.bound("total", || bound(&mut count));
        let numbers: [u32; 5] = [0, capacity as u32, runs as u32, first_of_y, first_of_values];
        let groups = (capacity as u64).div_ceil(WIDTH).max(1);
        bindings.with_bytes("runs", bytemuck::bytes_of(&numbers), destination.reborrow()).groups([groups, 1])?;
        Ok(count)
    }
}

fn decoding(element: ElementType) -> Description<'static> {
    let extension = element.extension().map(|name| format!("enable {name};\n")).unwrap_or_default();
    Description::new(kernel_file!("run_lengths.wgsl"), "expand_runs")
        .replace("shared::scan_keys", format!("{extension}alias K = {element};"))
}

//! One call of an operator: its inputs on the device, the recording of its work, its outputs.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anywarp::ops::{Cost, Solution, SolveError, SparseEntries, SparseMatrix};
use anywarp::tune::Results;
use anywarp::{Device, Element, Recording, UnifiedBuffer};

use super::Operator;
use super::entry::{Number, Real, Types};
use super::parameter::Values;
use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::matrices;
use crate::npy::{self, Array, dimensions};

/// An input of a call.
pub(crate) struct Input {
    /// The name of the port that the input is for.
    pub(crate) port: &'static str,
    /// The file or the number, as written on the command line.
    pub(crate) text: String,
    pub(crate) array: Array,
    /// Whether the input is a number on the command line, whose type may change.
    pub(crate) is_number: bool,
    /// The sparse matrix of the file; the array has its shape and no elements.
    pub(crate) matrix: Option<SparseEntries>,
}

impl Input {
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.array.shape.iter().map(|extent| usize::try_from(*extent).unwrap_or(usize::MAX)).collect()
    }
}

/// The outcome of a solver, which cannot be recorded, as its host decides when it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solved {
    pub(crate) solution: Solution,
    pub(crate) time: Duration,
}

/// A call that is being recorded.
pub(crate) struct Call<'a> {
    pub(crate) device: Device,
    pub(crate) recording: Recording,
    pub(crate) values: &'a Values,
    pub(crate) cost: Option<Cost>,
    /// The outcome of a solver, which has already run.
    pub(crate) solved: Option<Solved>,
    pub(crate) outputs: Vec<Box<dyn Output>>,
    inputs: &'a [Input],
    /// The element type `T` of the operator.
    dtype: Dtype,
}

impl<'a> Call<'a> {
    /// Checks the types of the inputs and records a call of `operator`.
    pub(crate) fn record(
        operator: &Operator,
        device: &Device,
        inputs: &'a [Input],
        values: &'a Values,
    ) -> Result<Self, Failure> {
        let dtype = element_type(operator, inputs, values)?;
        let recording = device.recording();
        let mut call = Self {
            device: device.clone(),
            recording,
            values,
            cost: None,
            solved: None,
            outputs: Vec::new(),
            inputs,
            dtype,
        };
        (operator.run.record)(&mut call, dtype)?;
        Ok(call)
    }

    /// All inputs of a port.
    pub(crate) fn inputs(&self, port: &str) -> impl Iterator<Item = &'a Input> {
        self.inputs.iter().filter(move |input| input.port == port)
    }

    pub(crate) fn input(&self, port: &str) -> Option<&'a Input> {
        self.inputs(port).next()
    }

    /// The element type of an input; `None` if the input is missing.
    pub(crate) fn dtype(&self, port: &str) -> Option<Dtype> {
        self.input(port).map(|input| input.array.dtype)
    }

    /// The shape of an input; empty if the input is missing or a number.
    pub(crate) fn shape(&self, port: &str) -> Vec<usize> {
        self.input(port).map(Input::shape).unwrap_or_default()
    }

    /// A buffer with the elements of an input.
    pub(crate) fn upload<T: Number>(&self, port: &str) -> Result<UnifiedBuffer<T>, Failure> {
        let input = self.input(port).ok_or_else(|| Failure::Usage(format!("{port}: expected a file, found none")))?;
        upload(&self.device, input)
    }

    /// As [`upload`](Self::upload), for an input that may be missing.
    pub(crate) fn upload_given<T: Number>(&self, port: &str) -> Result<Option<UnifiedBuffer<T>>, Failure> {
        self.input(port).map(|input| upload(&self.device, input)).transpose()
    }

    /// As [`upload`](Self::upload), for complex numbers, whose parts are neighbours.
    pub(crate) fn upload_pairs<T: Number>(&self, port: &str) -> Result<UnifiedBuffer<[T; 2]>, Failure>
    where
        [T; 2]: Element,
    {
        let parts = self.host::<T>(port);
        let pairs: Vec<[T; 2]> = parts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        Ok(self.device.buffer_from(&pairs)?)
    }

    /// The sparse matrix of an input, with its values rounded to `T`.
    pub(crate) fn matrix<T: Real>(&self, port: &str) -> Result<SparseMatrix<T>, Failure> {
        let input = self.input(port);
        let Some((input, matrix)) = input.and_then(|input| Some((input, input.matrix.as_ref()?))) else {
            return Err(Failure::Usage(format!("{port}: expected a file of a sparse matrix, found none")));
        };
        SparseMatrix::from_entries(&self.device, matrix).map_err(|error| Failure::of(&*input.text, error))
    }

    /// A new buffer for an output of this shape.
    pub(crate) fn array<T: Number>(&self, shape: &[usize]) -> Result<UnifiedBuffer<T>, Failure> {
        let length = shape.iter().try_fold(1usize, |all, extent| all.checked_mul(*extent)).ok_or_else(|| {
            let shape = dimensions(&shape.iter().map(|extent| *extent as u64).collect::<Vec<_>>());
            Failure::Usage(format!(
                "expected a result of fewer than 2^64 elements, found the shape {shape}: choose smaller sizes"
            ))
        })?;
        self.empty(length)
    }

    /// A new buffer for an output.
    pub(crate) fn empty<T: Number>(&self, length: usize) -> Result<UnifiedBuffer<T>, Failure> {
        Ok(self.device.buffer(length)?)
    }

    /// The elements of an input, on the host.
    pub(crate) fn host<T: Number>(&self, port: &str) -> Vec<T> {
        self.input(port).map(|input| bytemuck::pod_collect_to_vec(&input.array.bytes)).unwrap_or_default()
    }

    /// Appends an output of this shape.
    pub(crate) fn output<T: Number>(&mut self, buffer: UnifiedBuffer<T>, shape: Vec<usize>) {
        // Truth values are bytes in Rust.
        let truths = self.dtype == Dtype::B1 && T::DTYPE == Dtype::U1;
        let dtype = if truths { Dtype::B1 } else { T::DTYPE };
        self.outputs.push(Box::new(Whole { buffer, kept: None, shape, dtype }));
    }

    /// As [`output`](Self::output), with a check of the outcome that precedes the reading.
    pub(crate) fn output_after<T: Number>(
        &mut self,
        buffer: UnifiedBuffer<T>,
        shape: Vec<usize>,
        check: impl Fn() -> Result<(), SolveError> + 'static,
    ) {
        let whole = Whole { buffer, kept: None, shape, dtype: T::DTYPE };
        self.outputs.push(Box::new(Checked { whole, check: Box::new(check) }));
    }

    /// Appends an output of complex numbers; the last axis of the shape is that of their parts.
    pub(crate) fn output_pairs<T: Number>(&mut self, buffer: UnifiedBuffer<[T; 2]>, shape: Vec<usize>)
    where
        [T; 2]: Element,
    {
        self.outputs.push(Box::new(Pairs { buffer, shape, dtype: T::DTYPE }));
    }

    /// Appends an output of one dimension whose length is only known after the run.
    pub(crate) fn counted<T: Number>(&mut self, buffer: UnifiedBuffer<T>, length: Length) {
        self.outputs.push(Box::new(Counted { buffer, length }));
    }

    /// Appends an output of a sparse matrix.
    pub(crate) fn output_matrix<T: Real>(&mut self, matrix: SparseMatrix<T>) {
        self.outputs.push(Box::new(Sparse { matrix }));
    }

    /// Reads all outputs.
    pub(crate) fn read(&self) -> Result<Vec<Array>, Failure> {
        self.outputs.iter().map(|output| output.read()).collect()
    }
}

/// Returns the element type `T` of a call, after a check of the types of all inputs.
fn element_type(operator: &Operator, inputs: &[Input], values: &Values) -> Result<Dtype, Failure> {
    let first = operator.inputs.iter().find(|port| port.types == Types::T);
    let given = first.and_then(|port| inputs.iter().find(|input| input.port == port.name));
    let dtype = match given {
        Some(input) => input.array.dtype,
        None => values.text("dtype").and_then(Dtype::of_elements).unwrap_or(operator.run.types[0]),
    };
    for input in inputs {
        let Some(port) = operator.inputs.iter().find(|port| port.name == input.port) else { continue };
        let types = match port.types {
            Types::Any => continue,
            Types::Of(types) => types,
            Types::T if given.is_some_and(|given| std::ptr::eq(given, input)) => operator.run.types,
            Types::T => std::slice::from_ref(&dtype),
        };
        check_type(operator, input, types)?;
    }
    if given.is_none() && !operator.run.types.contains(&dtype) {
        let known = names(operator.run.types);
        return Err(Failure::Usage(format!(
            "--dtype {}: expected one of {known} for {}, found {dtype}: choose one of these",
            dtype.word(),
            operator.name
        )));
    }
    Ok(dtype)
}

fn check_type(operator: &Operator, input: &Input, types: &[Dtype]) -> Result<(), Failure> {
    let found = input.array.dtype;
    if types.contains(&found) {
        return Ok(());
    }
    let Input { text, port, .. } = input;
    let known = names(types);
    let remedy = types.first().map_or("float32", |dtype| dtype.numpy());
    Err(Failure::File(format!(
        "{text}: expected {known} as '{port}' of {}, found {found}: save array.astype(np.{remedy}), or another of these",
        operator.name
    )))
}

/// The names of types in `numpy`, with commas between.
pub(crate) fn names(types: &[Dtype]) -> String {
    types.iter().map(|dtype| dtype.numpy()).collect::<Vec<_>>().join(", ")
}

/// A buffer with the elements of an input. The elements are moved to the device now, so that the time of no run
/// includes it.
pub(crate) fn upload<T: Number>(device: &Device, input: &Input) -> Result<UnifiedBuffer<T>, Failure> {
    let Array { dtype, bytes, .. } = &input.array;
    let is_truth = *dtype == Dtype::B1 && matches!(T::DTYPE, Dtype::U1 | Dtype::U4);
    if *dtype != T::DTYPE && !is_truth {
        let (Input { text, port, .. }, expected) = (input, T::DTYPE);
        return Err(Failure::File(format!(
            "{text}: expected {expected} as '{port}', as the other files have it, found {dtype}: save \
             array.astype(np.{expected})"
        )));
    }
    let truths: Vec<u8>;
    let bytes = if *dtype == Dtype::B1 && T::DTYPE == Dtype::U4 {
        truths = bytes.iter().flat_map(|truth| u32::from(*truth != 0).to_le_bytes()).collect();
        &truths
    } else {
        bytes
    };
    let mut buffer =
        device.buffer::<T>(bytes.len() / size_of::<T>()).map_err(|error| Failure::of(&*input.text, error))?;
    bytemuck::cast_slice_mut::<T, u8>(&mut buffer.write()?).copy_from_slice(bytes);
    let few = 4_usize.div_ceil(size_of::<T>());
    if !device.caps().unified && buffer.len() >= few {
        // The use of any part uploads the whole buffer.
        device.buffer::<T>(few)?.copy_from(buffer.slice(..few))?;
    }
    Ok(buffer)
}

/// An output, which is read after the run.
pub(crate) trait Output {
    fn read(&self) -> Result<Array, Failure>;

    /// Keeps a copy of the contents, for [`set`](Self::set).
    fn keep(&mut self, _device: &Device) -> Result<(), Failure> {
        Ok(())
    }

    /// Sets the contents to those that were kept, or sets all bits.
    fn set(&mut self, _poisoned: bool) -> Result<(), Failure> {
        Ok(())
    }

    /// The contents of the file of this name for the array that was read.
    fn file(&self, _path: &Path, array: &Array) -> Result<Vec<u8>, Failure> {
        Ok(npy::write(array.dtype, &array.shape, &array.bytes))
    }
}

/// A sparse matrix, whose values are shown.
struct Sparse<T> {
    matrix: SparseMatrix<T>,
}

impl<T: Real> Output for Sparse<T> {
    fn read(&self) -> Result<Array, Failure> {
        let bytes = bytemuck::cast_slice::<T, u8>(&self.matrix.values().read()?).to_vec();
        Ok(Array { dtype: T::DTYPE, shape: vec![self.matrix.entries() as u64], bytes })
    }

    fn file(&self, path: &Path, _: &Array) -> Result<Vec<u8>, Failure> {
        matrices::write(path, &self.matrix).map_err(|message| Failure::File(format!("{}: {message}", path.display())))
    }
}

struct Whole<T> {
    buffer: UnifiedBuffer<T>,
    kept: Option<UnifiedBuffer<T>>,
    shape: Vec<usize>,
    dtype: Dtype,
}

impl<T: Number> Output for Whole<T> {
    fn read(&self) -> Result<Array, Failure> {
        let bytes = bytemuck::cast_slice::<T, u8>(&self.buffer.read()?).to_vec();
        Ok(Array { dtype: self.dtype, shape: self.shape.iter().map(|extent| *extent as u64).collect(), bytes })
    }

    fn keep(&mut self, device: &Device) -> Result<(), Failure> {
        self.kept = Some(self.buffer.copies(device)?);
        Ok(())
    }

    fn set(&mut self, poisoned: bool) -> Result<(), Failure> {
        Ok(Results::set(&mut self.buffer, self.kept.as_ref().filter(|_| !poisoned))?)
    }
}

/// An output that may be missing, as its operator could not compute it.
struct Checked<T> {
    whole: Whole<T>,
    check: Box<dyn Fn() -> Result<(), SolveError>>,
}

impl<T: Number> Output for Checked<T> {
    fn read(&self) -> Result<Array, Failure> {
        (self.check)().map_err(anywarp::Error::from)?;
        self.whole.read()
    }

    fn keep(&mut self, device: &Device) -> Result<(), Failure> {
        self.whole.keep(device)
    }

    fn set(&mut self, poisoned: bool) -> Result<(), Failure> {
        self.whole.set(poisoned)
    }
}

/// An output of complex numbers.
struct Pairs<T> {
    buffer: UnifiedBuffer<[T; 2]>,
    shape: Vec<usize>,
    dtype: Dtype,
}

impl<T: Number> Output for Pairs<T>
where
    [T; 2]: Element,
{
    fn read(&self) -> Result<Array, Failure> {
        let bytes = bytemuck::cast_slice::<[T; 2], u8>(&self.buffer.read()?).to_vec();
        Ok(Array { dtype: self.dtype, shape: self.shape.iter().map(|extent| *extent as u64).collect(), bytes })
    }
}

/// The length of an output, given by a count in device memory.
pub(crate) enum Length {
    Count(Rc<anywarp::DeviceCount>),
    /// The length is this total number of elements minus the count.
    Rest(Rc<anywarp::DeviceCount>, usize),
}

struct Counted<T> {
    buffer: UnifiedBuffer<T>,
    length: Length,
}

impl<T: Number> Output for Counted<T> {
    fn read(&self) -> Result<Array, Failure> {
        let length = match &self.length {
            Length::Count(count) => count.read()? as usize,
            Length::Rest(count, all) => all.saturating_sub(count.read()? as usize),
        };
        let length = length.min(self.buffer.len());
        // Transfers end at whole words, or at the end of the buffer.
        let end = length.next_multiple_of(4_usize.div_ceil(size_of::<T>())).min(self.buffer.len());
        let elements = self.buffer.slice(..end).read()?;
        let bytes = bytemuck::cast_slice::<T, u8>(&elements[..length]).to_vec();
        Ok(Array { dtype: T::DTYPE, shape: vec![length as u64], bytes })
    }
}

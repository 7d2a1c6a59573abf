//! Operators that record commands, each in the three ways of recording; `ready_made` has the others.

use anywarp::ops::{ElementwiseKernel, Matmul, ReductionKernel, Sort};
use anywarp::{Destination, Device, Error, Recording, Stream, UnifiedBuffer};

/// The number of elements of each buffer, which is also used as a matrix of 8 x 8.
pub(crate) const LENGTH: usize = 64;

const TWICE: &str = "
    @group(0) @binding(0) var<storage> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(64)
    fn twice(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = 2.0 * x[id.x]; }";

/// The destination of an operator's commands.
pub(crate) enum Way<'a> {
    Own,
    Stream(&'a Stream),
    Recording(&'a mut Recording),
}

impl Way<'_> {
    /// Borrows the destination for one call, so that it can be used again.
    pub(crate) fn reborrow(&mut self) -> Way<'_> {
        match self {
            Self::Own => Way::Own,
            Self::Stream(stream) => Way::Stream(stream),
            Self::Recording(recording) => Way::Recording(recording),
        }
    }
}

/// Buffers that operators read, and buffers that they write.
pub(crate) struct Data {
    pub(crate) device: Device,
    pub(crate) x: UnifiedBuffer<f32>,
    pub(crate) y: UnifiedBuffer<f32>,
    /// The indices of the elements of `x`, in reverse order.
    pub(crate) reversed: UnifiedBuffer<u32>,
    /// A buffer for results that are integers.
    pub(crate) words: UnifiedBuffer<u32>,
}

impl Data {
    pub(crate) fn new(device: &Device) -> anywarp::Result<Self> {
        let ramp: Vec<f32> = (0..LENGTH).map(|at| at as f32).collect();
        let (x, y) = (device.buffer_from(&ramp)?, device.buffer_from(&[-1.0; LENGTH])?);
        let reversed: Vec<u32> = (0..LENGTH as u32).rev().collect();
        let (reversed, words) = (device.buffer_from(&reversed)?, device.buffer_from(&[77; LENGTH])?);
        Ok(Self { device: device.clone(), x, y, reversed, words })
    }
}

/// An operator that records commands.
pub(crate) struct Operator {
    /// The operator's name in errors.
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Data, Way<'_>) -> Result<(), Error>,
    /// The expected elements of `y`.
    pub(crate) expected: fn(usize) -> f32,
}

pub(crate) const OPERATORS: &[Operator] = &[
    Operator { name: "kernel 'twice.wgsl:twice'", run: launch, expected: |at| 2.0 * at as f32 },
    Operator { name: "kernel 'twice.wgsl:twice'", run: launch_to, expected: |at| 2.0 * at as f32 },
    Operator { name: "copying", run: copy, expected: |at| at as f32 },
    Operator { name: "filling", run: fill, expected: |_| 5.0 },
    Operator { name: "matrix product", run: product, expected: square },
    Operator { name: "elementwise rise", run: elementwise, expected: |at| 1.0 + at as f32 },
    Operator { name: "reduction total", run: reduction, expected: |at| if at == 0 { 2016.0 } else { -1.0 } },
    Operator { name: "sort", run: sort, expected: |at| (LENGTH - 1 - at) as f32 },
];

/// An element of the square of the matrix.
fn square(at: usize) -> f32 {
    let (row, column) = (at / 8, at % 8);
    (0..8).map(|depth| (8 * row + depth) as f32 * (8 * depth + column) as f32).sum()
}

fn launch(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    let kernel = data.device.kernel(anywarp::Wgsl::new(TWICE).file("twice.wgsl"))?;
    let launch = kernel.launch().bind("x", &data.x).bind("y", &mut data.y);
    match way {
        Way::Own => launch.threads(LENGTH)?,
        Way::Stream(stream) => launch.on(stream).threads(LENGTH)?,
        Way::Recording(recording) => launch.record(recording).threads(LENGTH)?,
    };
    Ok(())
}

/// Does the same as `launch`, with a [`Destination`].
fn launch_to(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    let kernel = data.device.kernel(anywarp::Wgsl::new(TWICE).file("twice.wgsl"))?;
    let mut to: Destination<'_> = match way {
        Way::Own => Destination::Own,
        Way::Stream(stream) => stream.into(),
        Way::Recording(recording) => recording.into(),
    };
    for _ in 0..2 {
        kernel.launch().bind("x", &data.x).bind("y", &mut data.y).to(to.reborrow()).threads(LENGTH)?;
    }
    Ok(())
}

fn copy(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    match way {
        Way::Own => data.y.copy_from(&data.x)?,
        Way::Stream(stream) => stream.copy(&data.x, &mut data.y)?.is_done().map(drop)?,
        Way::Recording(recording) => recording.copy(&data.x, &mut data.y)?,
    }
    Ok(())
}

fn fill(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    match way {
        Way::Own => data.y.fill(5.0)?,
        Way::Stream(stream) => stream.fill(&mut data.y, 5.0)?.wait()?,
        Way::Recording(recording) => recording.fill(&mut data.y, 5.0)?,
    }
    Ok(())
}

fn product(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    let product = match way {
        Way::Own => Matmul::new([8; 3]),
        Way::Stream(stream) => Matmul::new([8; 3]).on(stream),
        Way::Recording(recording) => Matmul::new([8; 3]).record(recording),
    };
    Ok(product.run(&data.x, &data.x, &mut data.y)?)
}

fn sort(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    let sort = match way {
        Way::Own => Sort::new(),
        Way::Stream(stream) => Sort::new().on(stream),
        Way::Recording(recording) => Sort::new().record(recording),
    };
    Ok(sort.descending().run(&data.x, &mut data.y)?)
}

fn elementwise(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    let rise = ElementwiseKernel::new("x: f32", "y: f32", "y = x + 1.0")?.name("rise");
    let call = rise.call(&data.device);
    match way {
        Way::Own => call.run(&data.x, &mut data.y)?,
        Way::Stream(stream) => call.on(stream).run(&data.x, &mut data.y)?,
        Way::Recording(recording) => call.record(recording).run(&data.x, &mut data.y)?,
    }
    Ok(())
}

fn reduction(data: &mut Data, way: Way<'_>) -> Result<(), Error> {
    let total = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0.0").name("total");
    let call = total.call(&data.device);
    match way {
        Way::Own => call.run(&data.x, data.y.slice_mut(..1))?,
        Way::Stream(stream) => call.on(stream).run(&data.x, data.y.slice_mut(..1))?,
        Way::Recording(recording) => call.record(recording).run(&data.x, data.y.slice_mut(..1))?,
    }
    Ok(())
}

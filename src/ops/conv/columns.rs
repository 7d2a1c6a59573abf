//! Convolutions as products of matrices: the passes, which are pure, and their commands.

use anywarp_backend::{Caps, Precision, Routine};

use super::super::convert::Cast;
use super::super::epilogue::Activation;
use super::super::error::OperationError;
use super::super::matmul::Matmul;
use super::super::moving::operands::{self, Cells};
use super::super::operator::directed;
use super::super::plan::{Cost, Plan};
use super::super::rows::elements::FloatElement;
use super::geometry::Job;
use super::plan::Shape;
use super::run::{Call, Operands, convolution};
use super::{OPERATOR, plan};
use crate::UnifiedBuffer;
use crate::buffer::cells::{reborrow, whole_cells};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernels = "shaders/ops/conv_columns.wgsl", root = "shaders", feature packed = false);

/// Rows of y, counted over examples, planes and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    first: u64,
    rows: u64,
}

/// One step of a convolution by products of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Orders the weights as matrices.
    Weights,
    /// Gathers the elements that a piece of y reads.
    Gather(Piece),
    /// Multiplies them with the weights, into y if the channels are the last axis and form one group.
    Product(Piece),
    /// Adds the bias and stores the results.
    Finish(Piece),
    /// Multiplies x itself, of which each position of y reads one.
    Whole,
}

/// The elements of y that a position has.
fn channels(shape: &Shape) -> u64 {
    shape.groups * shape.outputs
}

/// The elements of x that a position of y reads.
fn reads(shape: &Shape) -> u64 {
    shape.groups * shape.inputs * shape.taps
}

/// Whether a product stores results, not sums.
fn stores_results(groups: u64, channels_last: bool) -> bool {
    channels_last && groups == 1
}

/// The number of rows of y for one product without tuning; none if the elements that a row reads are too many.
pub(super) fn rows_for(shape: &Shape) -> Option<u64> {
    // Elements and sums should stay in a processor's cache.
    let bytes = 4 * (reads(shape) + channels(shape)).saturating_mul(shape.output[2]);
    (bytes <= MOST_BYTES).then(|| (ROOM / bytes.max(1)).max(1))
}

/// The most bytes of the matrices of a row.
const MOST_BYTES: u64 = 1 << 28;
/// The bytes of the matrices of a piece.
const ROOM: u64 = 1 << 21;

/// The passes and the scratch memory, for products of so many rows of y.
pub(super) fn passes(shape: &Shape, rows: u64, channels_last: bool) -> (Vec<plan::Pass>, u64) {
    if shape.is_whole {
        return (vec![plan::Pass::Columns(Pass::Whole)], 0);
    }
    let [depth, height, width] = shape.output;
    let all = shape.examples * depth * height;
    let rows = rows.clamp(1, all.max(1));
    let straight = stores_results(shape.groups, channels_last);
    let pieces = (0..all.div_ceil(rows)).map(|at| Piece { first: at * rows, rows: rows.min(all - at * rows) });
    let passes = pieces.flat_map(|piece| {
        let finish = (!straight).then_some(Pass::Finish(piece));
        [Pass::Gather(piece), Pass::Product(piece)].into_iter().chain(finish)
    });
    let sums = if straight { 0 } else { rows * width * channels(shape) };
    let scratch = 4 * (shape.groups * shape.outputs * shape.inputs * shape.taps + rows * width * reads(shape) + sums);
    ([Pass::Weights].into_iter().chain(passes).map(plan::Pass::Columns).collect(), scratch)
}

/// Whether the device has a library that multiplies matrices of `f32`. It does not ask which method a product takes, as
/// that is a question of its own for tuners.
pub(super) fn has_library(caps: &Caps) -> bool {
    caps.library.contains(&Routine::MatrixProduct(Precision::F32))
}

/// The matrices between the passes; none has elements that is not used.
struct Matrices {
    weights: UnifiedBuffer<f32>,
    columns: UnifiedBuffer<f32>,
    sums: UnifiedBuffer<f32>,
}

impl Operands<'_> {
    /// Appends the commands of a plan whose passes are all of products.
    pub(super) fn run_columns(
        &self,
        call: Call,
        plan: &Plan<plan::Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { job, channels_last, activation, .. } = call;
        let device = &Device::of(&self.y.1.core.device);
        let overrides = kernels::Overrides {
            has_bias: self.bias.is_some(),
            channels_last,
            activation: Activation::number(activation),
            is_spread: job.is_spread(),
        };
        // So that a refused kernel leaves nothing launched.
        let gather_weights = kernels::gather_weights_with(device, overrides)?;
        let gather_x = kernels::gather_x_with(device, overrides)?;
        let finish = kernels::finish_with(device, overrides)?;
        let Cells { x, first_of_x, mut y, first_of_y } = Cells::<f32>::whole(OPERATOR, &self.x.1, &self.y.1)?;
        let (weights, first_of_weights) = whole_cells(&self.weights).map_err(OPERATOR.slice("weights"))?;
        // A bias that is not given is not read.
        let given = self.bias.as_ref().map(whole_cells).transpose().map_err(OPERATOR.slice("bias"))?;
        let (bias, first_of_bias) = given.unwrap_or((weights, 0));
        let conv = convolution!(kernels, job, [first_of_x, first_of_y, first_of_weights, first_of_bias]);
        let sizes = Sizes::of(&job);
        let epilogue = Epilogue {
            bias: self
                .bias
                .is_some()
                .then(|| bias.slice(first_of_bias as usize..first_of_bias as usize + sizes.groups * sizes.outputs)),
            activation,
        };
        let (first_of_x, first_of_y) = (first_of_x as usize, first_of_y as usize);
        let mut matrices = sizes.matrices(device, plan, channels_last, destination)?;
        let of = |piece: Piece| kernels::Piece { first: piece.first as u32, rows: piece.rows as u32 };
        let groups = u64::from(job.groups);
        let [inputs, outputs] = [job.inputs, job.outputs].map(u64::from);
        // Invocations are neighbours along the last axis of the arrays.
        let grid = |rows: u64, channels: u64| match channels_last {
            true => [channels, rows * sizes.width as u64, groups],
            false => [sizes.width as u64, rows, groups * channels],
        };
        for pass in &plan.passes {
            let plan::Pass::Columns(pass) = *pass else { continue };
            let to = destination.reborrow();
            match pass {
                Pass::Weights => {
                    let args = kernels::GatherWeightsArgs { conv, weights, matrix: matrices.weights.slice_mut(..) };
                    gather_weights.launch(args).to(to).threads([inputs, outputs, groups])?;
                }
                Pass::Gather(piece) => {
                    let matrix = matrices.columns.slice_mut(..);
                    let args = kernels::GatherXArgs { conv, piece: of(piece), x, matrix };
                    gather_x.launch(args).to(to).threads(grid(piece.rows, inputs))?;
                }
                Pass::Product(piece) => {
                    let positions = piece.rows as usize * sizes.width;
                    let columns = matrices.columns.slice(..positions * sizes.groups * sizes.depth);
                    let weights = matrices.weights.slice(..);
                    if stores_results(groups, channels_last) {
                        let first = first_of_y + piece.first as usize * sizes.width * sizes.outputs;
                        let y = y.slice_mut(first..first + positions * sizes.outputs);
                        let product = Matmul::new([positions, sizes.depth, sizes.outputs]).transpose_b();
                        directed!(epilogue.added(product), to).run(columns, weights, y)?;
                    } else {
                        let sums = matrices.sums.slice_mut(..positions * sizes.groups * sizes.outputs);
                        sizes.multiply(positions, channels_last, (columns, weights, sums), to)?;
                    }
                }
                Pass::Finish(piece) => {
                    let (rows, piece, sums) = (piece.rows, of(piece), matrices.sums.slice(..));
                    let args = kernels::FinishArgs { conv, y: reborrow(&y), bias, piece, sums };
                    finish.launch(args).to(to).threads(grid(rows, outputs))?;
                }
                Pass::Whole => {
                    let positions = sizes.lines * sizes.width;
                    let x = x.slice(first_of_x..first_of_x + positions * sizes.depth);
                    let first = first_of_weights as usize;
                    let weights = weights.slice(first..first + sizes.depth * sizes.outputs);
                    let y = y.slice_mut(first_of_y..first_of_y + positions * sizes.outputs);
                    let product = Matmul::new([positions, sizes.depth, sizes.outputs]).transpose_b();
                    directed!(epilogue.added(product), to).run(x, weights, y)?;
                }
            }
        }
        Ok(())
    }
}

/// The addition to a product.
struct Epilogue<'b> {
    bias: Option<Slice<'b, f32>>,
    activation: Option<Activation>,
}

impl<'b> Epilogue<'b> {
    fn added(&self, mut product: Matmul<'b, f32>) -> Matmul<'b, f32> {
        if let Some(bias) = self.bias {
            product = product.bias(bias);
        }
        match self.activation {
            Some(activation) => product.activation(activation),
            None => product,
        }
    }
}

/// The sizes of a job's matrices.
struct Sizes {
    groups: usize,
    /// The products of a sum.
    depth: usize,
    outputs: usize,
    /// The rows of y, and the positions of a row.
    lines: usize,
    width: usize,
}

impl Sizes {
    fn of(job: &Job) -> Self {
        let [depth, height, width, _] = job.output.map(|size| size as usize);
        let [kernel @ .., _] = job.kernel.map(|size| size as usize);
        Self {
            groups: job.groups as usize,
            depth: kernel.iter().product::<usize>() * job.inputs as usize,
            outputs: job.outputs as usize,
            lines: job.examples as usize * depth * height,
            width,
        }
    }

    /// The memory of a plan.
    fn matrices(
        &self,
        device: &Device,
        plan: &Plan<plan::Pass>,
        channels_last: bool,
        destination: &Destination<'_>,
    ) -> Result<Matrices, OperationError> {
        // The first piece is the largest.
        let rows = plan.passes.iter().find_map(|pass| match pass {
            plan::Pass::Columns(Pass::Gather(piece)) => Some(piece.rows as usize),
            _ => None,
        });
        let positions = rows.map(|rows| rows * self.width);
        let room = |length: Option<usize>| {
            let length = length.unwrap_or(0) * self.groups;
            device.scratch::<f32>(length, destination).map_err(operands::memory(OPERATOR))
        };
        let is_straight = stores_results(self.groups as u64, channels_last);
        Ok(Matrices {
            weights: room(positions.map(|_| self.outputs * self.depth))?,
            columns: room(positions.map(|positions| positions * self.depth))?,
            sums: room(positions.filter(|_| !is_straight).map(|positions| positions * self.outputs))?,
        })
    }

    fn multiply(
        &self,
        positions: usize,
        channels_last: bool,
        (columns, weights, sums): (Slice<'_, f32>, Slice<'_, f32>, SliceMut<'_, f32>),
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        if channels_last {
            let product = Matmul::new([positions, self.depth, self.outputs]).transpose_b().batches(self.groups);
            directed!(product, destination).run(columns, weights, sums)
        } else {
            let product = Matmul::new([self.outputs, self.depth, positions]).batches(self.groups);
            directed!(product, destination).run(weights, columns, sums)
        }
    }
}

/// The arrays of a call with elements of 16 bits, in `f32`.
pub(super) struct Wide {
    x: UnifiedBuffer<f32>,
    weights: UnifiedBuffer<f32>,
    bias: Option<UnifiedBuffer<f32>>,
    y: UnifiedBuffer<f32>,
}

impl Wide {
    /// Converts the arrays that a call reads; the result has `length` elements.
    pub(super) fn new<T: FloatElement>(
        (x, weights, bias): (Slice<'_, T>, Slice<'_, T>, Option<Slice<'_, T>>),
        length: usize,
        device: &Device,
        destination: &mut Destination<'_>,
    ) -> Result<Self, OperationError> {
        let room = |length: usize, destination: &Destination<'_>| {
            device.scratch::<f32>(length, destination).map_err(operands::memory(OPERATOR))
        };
        let mut wide = |array: Slice<'_, T>| {
            let mut numbers = room(array.len(), destination)?;
            directed!(Cast::new(), destination.reborrow()).run(array, numbers.slice_mut(..array.len()))?;
            Ok::<_, OperationError>(numbers)
        };
        let (x, weights, bias) = (wide(x)?, wide(weights)?, bias.map(wide).transpose()?);
        Ok(Self { x, weights, bias, y: room(length, destination)? })
    }

    /// The arrays as operands, by the names of the source and the result.
    pub(super) fn operands(&mut self, [source, result]: [&'static str; 2]) -> Result<Operands<'_>, OperationError> {
        Ok(Operands {
            x: (source, operands::bytes(OPERATOR, source, &self.x.slice(..))?),
            weights: operands::bytes(OPERATOR, "weights", &self.weights.slice(..))?,
            bias: self.bias.as_ref().map(|bias| operands::bytes(OPERATOR, "bias", &bias.slice(..))).transpose()?,
            y: (result, operands::bytes_mut(OPERATOR, result, &self.y.slice_mut(..))?),
        })
    }

    /// Rounds the result.
    pub(super) fn store<T: FloatElement>(
        &self,
        y: SliceMut<'_, T>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let length = y.len();
        directed!(Cast::new(), destination).run(self.y.slice(..length), y)
    }

    /// The cost of a plan with the conversions of arrays of `elements` elements.
    pub(super) fn cost(plan: &Plan<plan::Pass>, has_bias: bool, elements: u64) -> Cost {
        let conversions = if has_bias { 4 } else { 3 };
        let cost = plan.cost();
        Cost { passes: cost.passes + conversions, scratch: cost.scratch + 4 * elements, bytes: 2 * elements, ..cost }
    }
}

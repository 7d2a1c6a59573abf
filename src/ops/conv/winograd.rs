//! Convolutions by Winograd's minimal filtering: the plan of their passes, which is pure, and the commands.

use super::super::epilogue::Activation;
use super::super::error::OperationError;
use super::super::matmul::Matmul;
use super::super::moving::operands::{self, Cells};
use super::super::operator::directed;
use super::super::plan::Plan;
use super::super::rows::plan::Target;
use super::OPERATOR;
use super::geometry::Geometry;
use super::run::{Call, Operands, convolution};
use crate::UnifiedBuffer;
use crate::buffer::cells::{reborrow, whole_cells};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernels = "shaders/ops/conv_winograd.wgsl", root = "shaders", feature packed = false);

/// The numbers of a kernel, and of a tile.
const NUMBERS: u64 = 16;
/// The positions of a tile along an axis.
const SIDE: u64 = 2;
/// The most tiles of a product: more do not make it faster, and a grid has no more in one dimension.
const MOST_TILES: u64 = 1 << 15;

/// The tiles of one product of matrices, by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    first: u64,
    count: u64,
}

/// One step of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Turns all kernels into matrices.
    Weights,
    /// Turns tiles of x into matrices.
    Tiles(Piece),
    /// Multiplies these matrices with those of the kernels.
    Products(Piece),
    /// Turns the products into tiles of y.
    Results(Piece),
}

/// The sizes of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    examples: u64,
    groups: u64,
    inputs: u64,
    outputs: u64,
    /// The tiles of an example: rows of them, and tiles in a row.
    tiles: [u64; 2],
}

impl Shape {
    pub(super) fn of(geometry: &Geometry) -> Self {
        let [_, height, width] = geometry.output.map(|size| size as u64);
        Self {
            examples: geometry.examples as u64,
            groups: geometry.groups as u64,
            inputs: geometry.inputs as u64,
            outputs: geometry.outputs as u64,
            tiles: [height.div_ceil(SIDE), width.div_ceil(SIDE)],
        }
    }

    /// The numbers of the matrices of kernels, of `tiles` tiles of x, and of as many tiles of y.
    fn lengths(&self, tiles: u64) -> [u64; 3] {
        let channels = [self.inputs * self.outputs, self.inputs * tiles, self.outputs * tiles];
        channels.map(|of_group| NUMBERS * self.groups * of_group)
    }
}

/// The number of tiles of a product without tuning.
fn tiles_for(shape: &Shape, target: Target) -> u64 {
    // The matrices of tiles should stay in a cache: the second one of a processor's core, or that of a card.
    let room: u64 = if target.software { 1 << 20 } else { 1 << 25 };
    let [_, x, y] = shape.lengths(1);
    let least = if target.software { 16 } else { 1 << 12 };
    (room / (4 * (x + y))).clamp(least, MOST_TILES)
}

/// The plan of a convolution in products of so many tiles; its costs are those of the plain one.
pub(super) fn plan(shape: &Shape, tiles: u64) -> Plan<Pass> {
    let all = shape.examples * shape.tiles.iter().product::<u64>();
    if all == 0 {
        return Plan::nothing();
    }
    let tiles = tiles.clamp(1, all.min(MOST_TILES));
    let pieces = (0..all.div_ceil(tiles)).map(|at| Piece { first: at * tiles, count: tiles.min(all - at * tiles) });
    let passes = pieces.flat_map(|piece| [Pass::Tiles(piece), Pass::Products(piece), Pass::Results(piece)]);
    let scratch = 4 * shape.lengths(tiles).iter().sum::<u64>();
    Plan { passes: [Pass::Weights].into_iter().chain(passes).collect(), scratch, flops: 0, bytes: 0 }
}

/// The plan of a convolution without tuning.
pub(super) fn planned(geometry: &Geometry, target: Target) -> Plan<Pass> {
    let shape = Shape::of(geometry);
    plan(&shape, tiles_for(&shape, target))
}

/// Checks that the filtering F(2 x 2, 3 x 3) can compute a convolution.
///
/// # Errors
/// [`OperationError::Choice`] for other kernels, strides, dilation or elements.
pub(super) fn check<T>(geometry: &Geometry) -> Result<(), OperationError> {
    let refused = |argument, got| {
        let expected = "`winograd` takes convolutions of f32 on two axes with kernels of 3 x 3, and strides and dilation \
                        of 1; leave it out to compute others";
        Err(OPERATOR.choice(argument, expected, got))
    };
    if size_of::<T>() != 4 {
        return refused("elements of", format!("{} bytes", size_of::<T>()));
    }
    if geometry.transposed {
        return refused("a convolution that is", "transposed".to_owned());
    }
    let axes = geometry.y.len() - 2;
    let windows = &geometry.windows[3 - axes..];
    let of = |value: fn(&super::super::windows::window::Window) -> usize| windows.iter().map(value).collect::<Vec<_>>();
    let [kernel, strides, dilation] = [of(|of| of.kernel), of(|of| of.stride), of(|of| of.dilation)];
    for (argument, got, wanted) in
        [("a kernel of", kernel, 3), ("a stride of", strides, 1), ("a dilation of", dilation, 1)]
    {
        if got != [wanted; 2] {
            return refused(argument, format!("{got:?}"));
        }
    }
    Ok(())
}

/// The matrices between the passes.
struct Matrices {
    weights: UnifiedBuffer<f32>,
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
}

impl Operands<'_> {
    /// Appends the commands of a plan.
    pub(super) fn run_winograd(
        &self,
        call: Call,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some(Pass::Tiles(Piece { count: tiles, .. })) = plan.passes.get(1) else { return Ok(()) };
        let Call { job, channels_last, activation, .. } = call;
        let device = &Device::of(&self.y.1.core.device);
        let [height, width] = [job.output[1], job.output[2]].map(|size| u64::from(size).div_ceil(SIDE));
        let [examples, groups, inputs, outputs] = [job.examples, job.groups, job.inputs, job.outputs].map(u64::from);
        let shape = Shape { examples, groups, inputs, outputs, tiles: [height, width] };
        let room = |length: u64, destination: &Destination<'_>| {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            device.scratch::<f32>(length, destination).map_err(operands::memory(OPERATOR))
        };
        let [of_weights, of_x, of_y] = shape.lengths(*tiles);
        let mut matrices = Matrices {
            weights: room(of_weights, destination)?,
            x: room(of_x, destination)?,
            y: room(of_y, destination)?,
        };
        let overrides = kernels::Overrides {
            has_bias: self.bias.is_some(),
            channels_last,
            activation: Activation::number(activation),
            is_spread: false,
        };
        // So that a refused kernel leaves nothing launched.
        let turn_weights = kernels::turn_weights_with(device, overrides)?;
        let turn_x = kernels::turn_x_with(device, overrides)?;
        let turn_sums = kernels::turn_sums_with(device, overrides)?;
        let Cells { x, first_of_x, y, first_of_y } = Cells::<f32>::whole(OPERATOR, &self.x.1, &self.y.1)?;
        let (weights, first_of_weights) = whole_cells(&self.weights).map_err(OPERATOR.slice("weights"))?;
        // A bias that is not given is not read.
        let bias = self.bias.as_ref().map(whole_cells).transpose().map_err(OPERATOR.slice("bias"))?;
        let (bias, first_of_bias) = bias.unwrap_or((weights, 0));
        let conv = convolution!(kernels, job, [first_of_x, first_of_y, first_of_weights, first_of_bias]);
        let [tiles_in_example, tiles_in_row] = [shape.tiles.iter().product::<u64>(), shape.tiles[1]];
        let tiles_of = |piece: Piece| kernels::Tiles {
            first: piece.first as u32,
            count: piece.count as u32,
            in_row: tiles_in_row as u32,
            in_example: tiles_in_example as u32,
        };
        // Channels that are the last axis of an array are so in its matrices.
        let grid = |channels, tiles| if channels_last { [channels, tiles, groups] } else { [tiles, channels, groups] };
        for pass in &plan.passes {
            let to = destination.reborrow();
            match *pass {
                Pass::Weights => {
                    let args = kernels::TurnWeightsArgs { conv, weights, numbers: matrices.weights.slice_mut(..) };
                    turn_weights.launch(args).to(to).threads([inputs, outputs, groups])?;
                }
                Pass::Tiles(piece) => {
                    let (tiles, numbers) = (tiles_of(piece), matrices.x.slice_mut(..));
                    let args = kernels::TurnXArgs { conv, tiles, x, numbers };
                    turn_x.launch(args).to(to).threads(grid(inputs, piece.count))?;
                }
                Pass::Products(piece) => matrices.multiply(&shape, piece.count, channels_last, to)?,
                Pass::Results(piece) => {
                    let (tiles, sums) = (tiles_of(piece), matrices.y.slice(..));
                    let args = kernels::TurnSumsArgs { conv, tiles, y: reborrow(&y), bias, sums };
                    turn_sums.launch(args).to(to).threads(grid(outputs, piece.count))?;
                }
            }
        }
        Ok(())
    }
}

impl Matrices {
    /// Multiplies the matrices of kernels with those of `tiles` tiles of x.
    fn multiply(
        &mut self,
        shape: &Shape,
        tiles: u64,
        channels_last: bool,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let [_, of_x, of_y] = shape.lengths(tiles).map(|length| length as usize);
        let [inputs, outputs, tiles] = [shape.inputs, shape.outputs, tiles].map(|size| size as usize);
        let sizes = if channels_last { [tiles, inputs, outputs] } else { [outputs, inputs, tiles] };
        let product = directed!(Matmul::new(sizes).batches((NUMBERS * shape.groups) as usize), destination);
        let (x, y) = (self.x.slice(..of_x), self.y.slice_mut(..of_y));
        if channels_last { product.transpose_b().run(x, &self.weights, y) } else { product.run(&self.weights, x, y) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const PROCESSOR: Target = Target { software: true, strips: true };

    fn shape(examples: u64, channels: u64, tiles: [u64; 2]) -> Shape {
        Shape { examples, groups: 2, inputs: channels, outputs: 3, tiles }
    }

    #[test]
    fn pieces_cover_all_tiles() {
        let small = shape(2, 5, [3, 4]);
        let piece = |first, count| {
            let piece = Piece { first, count };
            [Pass::Tiles(piece), Pass::Products(piece), Pass::Results(piece)]
        };
        let pieces = |pieces: &[[Pass; 3]]| [&[Pass::Weights][..], &pieces.concat()].concat();
        let whole = plan(&small, 24);
        assert_eq!(whole.passes, pieces(&[piece(0, 24)]));
        assert_eq!(whole.scratch, 4 * 16 * 2 * (5 * 3 + 24 * (5 + 3)));
        assert_eq!(plan(&small, 1000), whole);
        assert_eq!(plan(&small, 10).passes, pieces(&[piece(0, 10), piece(10, 10), piece(20, 4)]));
        assert_eq!(plan(&small, 0).passes.len(), 1 + 3 * 24);
        assert_eq!(plan(&shape(0, 5, [3, 4]), 10), Plan::nothing());
    }

    #[test]
    fn products_have_enough_tiles() {
        let tiles = |channels, target| tiles_for(&shape(1, channels, [1, 1]), target);
        assert_eq!([1, 61, 1 << 20].map(|channels| tiles(channels, GPU)), [MOST_TILES, 4096, 4096]);
        assert_eq!([1, 61, 1 << 20].map(|channels| tiles(channels, PROCESSOR)), [2048, 128, 16]);
    }
}

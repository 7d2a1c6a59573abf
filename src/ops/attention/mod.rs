//! Scaled dot-product attention.

mod backward;
mod offer;
mod plan;
#[cfg(test)]
mod reference;
mod run;
mod shapes;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps};

use super::cooperative;
use super::error::OperationError;
use super::moving::operands;
use super::operator::Operator;
use super::plan::Cost;
use super::rows::elements::FloatElement;
use super::rows::launch::target;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use plan::{Choice, Matrices, Planned, Shape, plan};
use run::{Call, Operands};
use shapes::{Given, Sizes, distances};

/// Computes `y = softmax(q * transposed(k) / sqrt(head size)) * v` for each batch and head. `q` has the shape
/// `[batches, heads, queries, head size]`, `k` and `v` have `[batches, heads of keys, keys, head size]`, and `y` has that of
/// `q`. See [`Attention`].
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let q = device.buffer_from(&[1.0f32, 0.0])?; // one query
/// let k = device.buffer_from(&[0.0f32, 5.0, 0.0, -5.0])?; // two keys, at right angles to it
/// let v = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut y = device.buffer::<f32>(2)?;
/// anywarp::ops::attention(&q, &k, &v, &mut y, [1, 1, 1, 2], [1, 1, 2, 2])?;
/// assert_eq!(*y.read()?, [2.0, 3.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// As [`Attention::run`].
pub fn attention<'q, 'k, 'v, 'y, T: FloatElement>(
    q: impl Into<Slice<'q, T>>,
    k: impl Into<Slice<'k, T>>,
    v: impl Into<Slice<'v, T>>,
    y: impl Into<SliceMut<'y, T>>,
    shape_of_q: [usize; 4],
    shape_of_k: [usize; 4],
) -> Result<(), OperationError> {
    Attention::new(shape_of_q, shape_of_k).run(q, k, v, y)
}

/// [`attention()`] with shared heads, masks, a scale and a cap of scores, on a stream, or into a recording.
///
/// The score of a query and a key is `scale * sum(q * k)`, capped if there is a cap, plus the bias; the result of a query is
/// the mean of the values, weighted by the exponentials of its scores. A key does not count where the mask is 0, where a
/// causal attention excludes it, and where its score is negative infinity; the result of a query without any key that
/// counts is 0. A score that is NaN or positive infinity makes the query's results NaN. Keys that do not count may also add
/// NaN, if their values are infinite or NaN.
///
/// Where there are fewer heads of keys than of queries, neighbouring heads of queries share one (Ainslie et al., 'GQA',
/// 2023), as in ONNX's `Attention` and `PyTorch`'s `scaled_dot_product_attention` with `enable_gqa`.
///
/// The matrix of all scores is never stored: scores are combined as they are computed (Milakov and Gimelshein, 'Online
/// normalizer calculation for softmax', 2018; Dao, '`FlashAttention`-2', 2023). Sums are `f32` for all element types. On
/// tensor cores, which take `f16` and head sizes of 32, 64, 96 and 128, the weights that values are multiplied with are
/// rounded to `f16`, relative to the greatest ones of the query.
/// Repeated calls on a device return the same bits.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Attention;
///
/// let device = anywarp::Device::open("cpu")?;
/// let (q, k) = (device.buffer_from(&[0.0f32; 3])?, device.buffer_from(&[1.0f32; 3])?);
/// let v = device.buffer_from(&[2.0f32, 4.0, 6.0])?;
/// let mask = device.buffer_from(&[0u32, 1, 1])?; // one flag for each key
/// let mut y = device.buffer::<f32>(3)?;
/// let mut recording = device.recording();
/// let attention = Attention::new([1, 1, 3, 1], [1, 1, 3, 1]).causal(0).mask(&mask, [3]);
/// attention.record(&mut recording).run(&q, &k, &v, &mut y)?;
/// recording.submit()?;
/// assert_eq!(*y.read()?, [0.0, 4.0, 5.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "an attention does nothing until `run` is called"]
pub struct Attention<'r, T> {
    given: Given,
    mask: Option<(Slice<'r, u32>, Vec<usize>)>,
    bias: Option<(Slice<'r, T>, Vec<usize>)>,
    destination: Destination<'r>,
}

impl<'r, T: FloatElement> Attention<'r, T> {
    /// An attention of queries of shape `[batches, heads, queries, head size]` to keys of shape
    /// `[batches, heads of keys, keys, head size]`. Values have the shape of the keys, and results that of the queries.
    pub fn new(q: [usize; 4], k: [usize; 4]) -> Self {
        let given = Given { q, k, size_of_value: None, scale: None, cap: None, causal: None };
        Self { given, mask: None, bias: None, destination: Destination::Own }
    }

    /// Sets the number of elements of a value and of a result, in place of the head size.
    pub fn value_size(mut self, size: usize) -> Self {
        self.given.size_of_value = Some(size);
        self
    }

    /// Sets the factor of products; `1 / sqrt(head size)` by default.
    pub fn scale(mut self, scale: f32) -> Self {
        self.given.scale = Some(scale);
        self
    }

    /// Keeps scores between `-cap` and `cap` by `cap * tanh(score / cap)`, before the bias is added: ONNX's `softcap`.
    pub fn cap(mut self, cap: f32) -> Self {
        self.given.cap = Some(cap);
        self
    }

    /// Gives query `i` the keys from 0 to `i + offset` only.
    ///
    /// With an offset of 0, the first query has the first key: the upper left alignment of `PyTorch`'s `is_causal` and of
    /// ONNX's `Attention`. If queries follow earlier keys, the offset is the number of these, as ONNX has it with
    /// `past_key`; `keys - queries` is the lower right alignment, where the last query has all keys.
    pub fn causal(mut self, offset: isize) -> Self {
        self.given.causal = Some(offset);
        self
    }

    /// Leaves out keys whose flag is 0. The shape is broadcast to `[batches, heads, queries, keys]`: counted from the last
    /// dimension, sizes are equal or 1.
    pub fn mask(mut self, flags: impl Into<Slice<'r, u32>>, shape: impl Into<Vec<usize>>) -> Self {
        self.mask = Some((flags.into(), shape.into()));
        self
    }

    /// Adds numbers to scores; negative infinity leaves out a key. The shape is broadcast as that of a
    /// [`mask`](Self::mask).
    pub fn bias(mut self, bias: impl Into<Slice<'r, T>>, shape: impl Into<Vec<usize>>) -> Self {
        self.bias = Some((bias.into(), shape.into()));
        self
    }

    /// Appends the attention to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Runs on `stream`, in place of the device's default one.
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// The cost of a call on a device, to compare its time with the limits of the device. Keys that do not count are
    /// counted, too; exponentials are not.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Attention::<f32>::new([2, 8, 10, 64], [2, 4, 30, 64]).cost(&device)?;
    /// assert_eq!(cost.flops, 2 * 8 * 10 * 30 * 4 * 64);
    /// assert_eq!(cost.bytes, 4 * 64 * (2 * 8 * 10 * 2 + 2 * 4 * 30 * 2));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::Choice`], [`OperationError::Broadcast`] and [`OperationError::TooLarge`].
    pub fn cost(&self, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.planned(self.call()?.sizes, true, device).plan.cost())
    }

    /// The checked parameters, for arrays whose elements can be counted.
    fn call(&self) -> Result<Call, OperationError> {
        let given = &self.given;
        let sizes = given.checked()?;
        let shapes = [("q", given.q), ("k", given.k), ("v", given.shape_of_v()), ("y", given.shape_of_y())];
        for (name, shape) in shapes {
            operands::counted::<T>(OPERATOR, name, &shape)?;
        }
        let scores = given.shape_of_scores();
        let of_mask = |(_, shape): &(Slice<'_, u32>, Vec<usize>)| {
            operands::counted::<u32>(OPERATOR, "mask", shape)?;
            distances("mask", shape, scores)
        };
        let of_bias = |(_, shape): &(Slice<'_, T>, Vec<usize>)| {
            operands::counted::<T>(OPERATOR, "bias", shape)?;
            distances("bias", shape, scores)
        };
        Ok(Call {
            sizes,
            in_mask: self.mask.as_ref().map(of_mask).transpose()?.unwrap_or_default(),
            in_bias: self.bias.as_ref().map(of_bias).transpose()?.unwrap_or_default(),
            scale: given.scale(),
            cap: given.cap,
            offset: given.offset(),
            halves: size_of::<T>() == 2,
            bf16: T::BF16,
        })
    }

    /// The plan of a call; `aligned` says whether the arrays of numbers begin at multiples of four elements.
    fn planned(&self, sizes: Sizes, aligned: bool, device: &Device) -> Planned {
        let shape = self.shape(sizes, aligned);
        let target = target(device);
        let default = Choice::default_for(&shape, target, matrices(device.caps()));
        let choice = Choice::question(&shape, size_of::<T>() == 2).decide(
            device,
            default,
            || Choice::all(&shape, target),
            |choice| choice.is_possible(&shape, target),
        );
        plan(&shape, choice)
    }

    fn shape(&self, sizes: Sizes, aligned: bool) -> Shape {
        let given = &self.given;
        let count = |shape: &[usize], size: usize| shape.iter().map(|size| *size as u64).product::<u64>() * size as u64;
        let floats = [given.q, given.k, given.shape_of_v(), given.shape_of_y()];
        let floats = floats.iter().map(|shape| count(shape, size_of::<T>())).sum::<u64>();
        let mask = self.mask.as_ref().map_or(0, |(_, shape)| count(shape, 4));
        let bias = self.bias.as_ref().map_or(0, |(_, shape)| count(shape, size_of::<T>()));
        let Sizes { batches, heads, queries, keys, size, size_of_value, .. } = sizes;
        let [batches, heads, queries, keys, size, size_of_value] =
            [batches, heads, queries, keys, size, size_of_value].map(|size| size as u64);
        let (planes, bytes) = (batches.saturating_mul(heads), floats + mask + bias);
        let fours = aligned && size_of::<T>() == 2 && !T::BF16;
        Shape { planes, queries, keys, size, size_of_value, fours, bytes }
    }

    /// Computes `y` from `q`, `k` and `v`, which have the shapes of the attention. They are buffers or slices of any start;
    /// `y` is in another buffer than the others unless the device has
    /// [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings).
    ///
    /// # Errors
    /// [`OperationError`] for shapes that do not fit each other, a head size or a value size of 0 or above 256, a scale that
    /// is not finite, a cap that is not positive and finite, arrays of other lengths, a slice out of range, arrays of two
    /// devices, an existing guard, 2^31 - 2^16 elements or more, or an error of the device. In that case nothing has run.
    pub fn run<'q, 'k, 'v, 'y>(
        mut self,
        q: impl Into<Slice<'q, T>>,
        k: impl Into<Slice<'k, T>>,
        v: impl Into<Slice<'v, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (q, k, v, y) = (q.into(), k.into(), v.into(), y.into());
        let call = self.call()?;
        let mask = self.mask.as_ref().map(|(mask, _)| operands::bytes(OPERATOR, "mask", mask)).transpose()?;
        let bias = self.bias.as_ref().map(|(bias, _)| operands::bytes(OPERATOR, "bias", bias)).transpose()?;
        let operands = Operands {
            q: operands::bytes(OPERATOR, "q", &q)?,
            k: operands::bytes(OPERATOR, "k", &k)?,
            v: operands::bytes(OPERATOR, "v", &v)?,
            mask,
            bias,
            y: operands::bytes_mut(OPERATOR, "y", &y)?,
        };
        operands::expect(OPERATOR, "q", (q.len(), &self.given.q))?;
        operands::expect(OPERATOR, "k", (k.len(), &self.given.k))?;
        operands::expect(OPERATOR, "v", (v.len(), &self.given.shape_of_v()))?;
        if let Some((mask, shape)) = &self.mask {
            operands::expect(OPERATOR, "mask", (mask.len(), shape))?;
        }
        if let Some((bias, shape)) = &self.bias {
            operands::expect(OPERATOR, "bias", (bias.len(), shape))?;
        }
        operands::expect(OPERATOR, "y", (y.len(), &self.given.shape_of_y()))?;
        operands.check(&self.destination)?;
        let planned = self.planned(call.sizes, operands.are_aligned(), &Device::of(&y.core.device));
        self.offer([&q, &k, &v], &y);
        operands.run(call, &planned, &mut self.destination)
    }
}

/// The subgroups of a device that multiply cooperative matrices.
fn matrices(caps: &Caps) -> Option<Matrices> {
    let lanes = cooperative::lanes(caps)?;
    let has_room = |warps| caps.limits.workgroup_storage >= Matrices::memory(warps);
    let has_subgroups = caps.shader.contains(Capabilities::SUBGROUP | Capabilities::SUBGROUP_BARRIER);
    let warps = caps.backend == BackendKind::Cuda && has_room(true);
    (has_subgroups && has_room(warps)).then_some(Matrices { lanes, warps })
}

const OPERATOR: Operator = Operator("attention");

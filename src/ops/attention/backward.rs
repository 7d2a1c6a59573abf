//! The derivatives of an attention by queries, keys and values.

use super::super::error::OperationError;
use super::super::moving::operands::{self, memory};
use super::super::plan::{Cost, Plan};
use super::super::rows::elements::FloatElement;
use super::super::rows::launch::{INFINITY, halves, target};
use super::super::rows::plan::Target;
use super::run::{Call, halves_mut};
use super::shapes::Sizes;
use super::{Attention, OPERATOR};
use crate::buffer::cells::{in_words, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod words = "shaders/ops/attention_backward.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod packed = "shaders/ops/attention_backward.wgsl", root = "shaders", feature packed = true);

/// One command, with a workgroup for each row of queries, or for each key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Statistics { groups: u64 },
    Queries { groups: u64 },
    Keys { groups: u64 },
    Values { groups: u64 },
}

/// The passes for these sizes.
fn plan(sizes: Sizes, bytes: u64) -> Plan<Pass> {
    let Sizes { batches, heads, group, queries, keys, size, size_of_value } = sizes;
    let count = |sizes: [usize; 3]| sizes.iter().fold(1u64, |count, size| count.saturating_mul(*size as u64));
    let rows = count([batches, heads, queries]);
    let places = count([batches, heads / group.max(1), keys]);
    let mut passes = Vec::new();
    if rows > 0 {
        passes.extend([Pass::Statistics { groups: rows }, Pass::Queries { groups: rows }]);
    }
    if places > 0 {
        passes.extend([Pass::Keys { groups: places }, Pass::Values { groups: places }]);
    }
    let operations = 2 * (3 * size as u64 + 2 * size_of_value as u64);
    let flops = rows.saturating_mul(keys as u64).saturating_mul(operations);
    Plan { passes, scratch: rows.saturating_mul(16), flops, bytes }
}

/// Refuses sizes for which a device would end loops too early.
fn loops(sizes: Sizes, target: Target) -> Result<(), OperationError> {
    let limit = target.max_iterations();
    let Sizes { group, queries, keys, size, size_of_value, .. } = sizes;
    let of_step = (size + size_of_value + 64 * size.max(size_of_value).div_ceil(64) + 8) as u64;
    let steps = |count: usize| (count as u64).div_ceil(64);
    let most = steps(keys).max(steps(queries).saturating_mul(group as u64)).saturating_mul(of_step);
    if most <= limit {
        return Ok(());
    }
    let expected = format!("this software device ends loops after {limit}; use the device `cpu`, or fewer keys");
    Err(OPERATOR.choice("loops for derivatives of", expected, format!("{most} iterations")))
}

/// The arrays of a call, as bytes.
struct Operands<'a> {
    q: Slice<'a, u8>,
    k: Slice<'a, u8>,
    v: Slice<'a, u8>,
    dy: Slice<'a, u8>,
    mask: Option<Slice<'a, u8>>,
    bias: Option<Slice<'a, u8>>,
    /// The derivatives by queries, keys and values.
    results: [SliceMut<'a, u8>; 3],
}

impl<T: FloatElement> Attention<'_, T> {
    /// Computes the derivatives `dq`, `dk` and `dv` by queries, keys and values, from these and the derivatives `dy` by
    /// the results. `dq`, `dk` and `dv` have the shapes of `q`, `k` and `v`; those of a head of keys are sums over the
    /// heads of queries that share it. Mask and bias are constants.
    ///
    /// With `p` for the weights of values, `dv = transposed(p) * dy`, and the derivatives by scores are
    /// `ds = p * (dy * transposed(v) - rowsum(p * dy * transposed(v)))`. As in [`run`](Self::run), the matrix of all
    /// scores is not stored: it is computed again for each of the results, in `f32` for all element types. Repeated
    /// calls on a device return the same bits.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Attention;
    ///
    /// // One query, and two keys at right angles to it, so that both have the weight 1/2.
    /// let (q, k) = (device.buffer_from(&[1.0f32, 0.0])?, device.buffer_from(&[0.0f32, 2.0, 0.0, -2.0])?);
    /// let (v, dy) = (device.buffer_from(&[1.0f32, 3.0, 3.0, 3.0])?, device.buffer_from(&[1.0f32, 0.0])?);
    /// let (mut dq, mut dk, mut dv) = (device.buffer::<f32>(2)?, device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
    /// let attention = Attention::new([1, 1, 1, 2], [1, 1, 2, 2]).scale(1.0);
    /// attention.backward(&q, &k, &v, &dy, [&mut dq, &mut dk, &mut dv])?;
    /// assert_eq!(*dq.read()?, [0.0, -2.0]);
    /// assert_eq!(*dk.read()?, [-0.5, 0.0, 0.5, 0.0]);
    /// assert_eq!(*dv.read()?, [0.5, 0.0, 0.5, 0.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`OperationError::Choice`] for sizes whose loops llvmpipe would end too early.
    pub fn backward<'q, 'k, 'v, 'd, 'o>(
        mut self,
        q: impl Into<Slice<'q, T>>,
        k: impl Into<Slice<'k, T>>,
        v: impl Into<Slice<'v, T>>,
        dy: impl Into<Slice<'d, T>>,
        results: [impl Into<SliceMut<'o, T>>; 3],
    ) -> Result<(), OperationError> {
        let (q, k, v, dy) = (q.into(), k.into(), v.into(), dy.into());
        let [dq, dk, dv] = results.map(Into::into);
        let call = self.call()?;
        let mask = self.mask.as_ref().map(|(mask, _)| operands::bytes(OPERATOR, "mask", mask)).transpose()?;
        let bias = self.bias.as_ref().map(|(bias, _)| operands::bytes(OPERATOR, "bias", bias)).transpose()?;
        let operands = Operands {
            q: operands::bytes(OPERATOR, "q", &q)?,
            k: operands::bytes(OPERATOR, "k", &k)?,
            v: operands::bytes(OPERATOR, "v", &v)?,
            dy: operands::bytes(OPERATOR, "dy", &dy)?,
            mask,
            bias,
            results: [
                operands::bytes_mut(OPERATOR, "dq", &dq)?,
                operands::bytes_mut(OPERATOR, "dk", &dk)?,
                operands::bytes_mut(OPERATOR, "dv", &dv)?,
            ],
        };
        let (of_v, of_y) = (self.given.shape_of_v(), self.given.shape_of_y());
        for (name, length, shape) in [
            ("q", q.len(), self.given.q),
            ("k", k.len(), self.given.k),
            ("v", v.len(), of_v),
            ("dy", dy.len(), of_y),
            ("dq", dq.len(), self.given.q),
            ("dk", dk.len(), self.given.k),
            ("dv", dv.len(), of_v),
        ] {
            operands::expect(OPERATOR, name, (length, &shape))?;
        }
        if let Some((mask, shape)) = &self.mask {
            operands::expect(OPERATOR, "mask", (mask.len(), shape))?;
        }
        if let Some((bias, shape)) = &self.bias {
            operands::expect(OPERATOR, "bias", (bias.len(), shape))?;
        }
        loops(call.sizes, target(&Device::of(&dq.core.device)))?;
        operands.check(&self.destination)?;
        operands.run(call, &plan(call.sizes, 0), &mut self.destination)
    }

    /// The cost of [`backward`](Self::backward), as [`cost`](Self::cost): five products of matrices. Those that are
    /// computed again are not counted.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// let cost = anywarp::ops::Attention::<f32>::new([2, 8, 10, 64], [2, 4, 30, 64]).cost_of_backward()?;
    /// assert_eq!(cost.flops, 2 * 8 * 10 * 30 * 10 * 64);
    /// assert_eq!(cost.bytes, 4 * 64 * (2 * 8 * 10 * 3 + 2 * 4 * 30 * 4));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_backward(&self) -> Result<Cost, OperationError> {
        let sizes = self.call()?.sizes;
        // Queries, keys and values are read and have derivatives; results have derivatives that are read.
        let count = |shape: [usize; 4]| shape.iter().map(|size| *size as u64).product::<u64>() * size_of::<T>() as u64;
        let derivatives = count(self.given.q) + count(self.given.k) + count(self.given.shape_of_v());
        Ok(plan(sizes, self.shape(sizes, false).bytes + derivatives).cost())
    }
}

impl Operands<'_> {
    /// Checks devices and guards.
    fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let mut arrays = vec![("q", self.q), ("k", self.k), ("v", self.v), ("dy", self.dy)];
        arrays.extend(self.mask.map(|mask| ("mask", mask)));
        arrays.extend(self.bias.map(|bias| ("bias", bias)));
        arrays.extend(["dq", "dk", "dv"].into_iter().zip(self.results.iter().map(SliceMut::as_slice)));
        operands::check(OPERATOR, &self.results[0].core.device, &arrays, 3, destination)
    }

    /// Appends the commands of a plan.
    fn run(&self, call: Call, plan: &Plan<Pass>, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        if plan.passes.is_empty() {
            return Ok(());
        }
        let device = &Device::of(&self.results[0].core.device);
        let Call { sizes, in_mask, in_bias, scale, cap, offset, bf16, .. } = call;
        let [has_mask, has_bias] = [self.mask, self.bias].map(|slice| u32::from(slice.is_some()));
        let length = usize::try_from(plan.scratch / 16).unwrap_or(usize::MAX).max(1);
        let mut rows = device.scratch::<[f32; 4]>(length, destination).map_err(memory(OPERATOR))?;
        // Kernels need an element in each array, also without keys or queries.
        let spare = device.scratch::<u8>(16, destination).map_err(memory(OPERATOR))?;
        let given = [self.q, self.k, self.v, self.dy];
        let [q, k, v, dy] = given.map(|slice| if slice.is_empty() { spare.slice(..) } else { slice });
        // Arrays that are not given are not read.
        let [mask, bias] = [self.mask, self.bias].map(|slice| slice.filter(|slice| !slice.is_empty()).unwrap_or(q));
        let (mask, bytes_before_mask) = in_words(&mask).map_err(OPERATOR.slice("mask"))?;
        macro_rules! run {
            ($module:ident, $cells:expr, $cells_mut:expr,
             $statistics:ident, $by_queries:ident, $by_keys:ident, $by_values:ident $(, $bf16:ident)?) => {{
                let (q, first_of_q) = $cells(&q).map_err(OPERATOR.slice("q"))?;
                let (k, first_of_k) = $cells(&k).map_err(OPERATOR.slice("k"))?;
                let (v, first_of_v) = $cells(&v).map_err(OPERATOR.slice("v"))?;
                let (dy, first_of_y) = $cells(&dy).map_err(OPERATOR.slice("dy"))?;
                let (bias, first_of_bias) = $cells(&bias).map_err(OPERATOR.slice("bias"))?;
                // The limits of operators keep all of these within 32 bits.
                let attention = $module::Attention {
                    in_mask,
                    in_bias,
                    batches: sizes.batches as u32,
                    heads: sizes.heads as u32,
                    queries: sizes.queries as u32,
                    keys: sizes.keys as u32,
                    group: sizes.group as u32,
                    size: sizes.size as u32,
                    size_of_value: sizes.size_of_value as u32,
                    offset,
                    scale,
                    cap: cap.unwrap_or(0.0),
                    has_mask,
                    has_bias,
                    first_of_q,
                    first_of_k,
                    first_of_v,
                    first_of_mask: bytes_before_mask / 4,
                    first_of_bias,
                    first_of_y,
                    parts: 1,
                    chunk: 0,
                    infinity: INFINITY,
                    ..bytemuck::Zeroable::zeroed()
                };
                // All kernels are compiled first, so that a refused one leaves nothing launched.
                let statistics = $module::$statistics(device $(, $module::Overrides { $bf16 })?)?;
                let by_queries = $module::$by_queries(device $(, $module::Overrides { $bf16 })?)?;
                let by_keys = $module::$by_keys(device $(, $module::Overrides { $bf16 })?)?;
                let by_values = $module::$by_values(device $(, $module::Overrides { $bf16 })?)?;
                let [dq, dk, dv] = &self.results;
                for pass in &plan.passes {
                    match *pass {
                        Pass::Statistics { groups } => {
                            let args = $module::StatisticsArgs { attention, q, k, v, mask, bias, dy, rows: &mut rows };
                            statistics.launch(args).to(destination.reborrow()).groups(groups)?;
                        }
                        Pass::Queries { groups } => {
                            let (results, first) = $cells_mut(dq).map_err(OPERATOR.slice("dq"))?;
                            let backward = $module::Backward { first };
                            let args =
                                $module::ByQueriesArgs { attention, q, k, v, mask, bias, dy, rows: &rows, results, backward };
                            by_queries.launch(args).to(destination.reborrow()).groups(groups)?;
                        }
                        Pass::Keys { groups } => {
                            let (results, first) = $cells_mut(dk).map_err(OPERATOR.slice("dk"))?;
                            let backward = $module::Backward { first };
                            let args =
                                $module::ByKeysArgs { attention, q, k, v, mask, bias, dy, rows: &rows, results, backward };
                            by_keys.launch(args).to(destination.reborrow()).groups(groups)?;
                        }
                        Pass::Values { groups } => {
                            let (results, first) = $cells_mut(dv).map_err(OPERATOR.slice("dv"))?;
                            let backward = $module::Backward { first };
                            let args = $module::ByValuesArgs { attention, q, k, mask, bias, dy, rows: &rows, results, backward };
                            by_values.launch(args).to(destination.reborrow()).groups(groups)?;
                        }
                    }
                }
            }};
        }
        if call.halves {
            run!(packed, halves, halves_mut, statistics_with, by_queries_with, by_keys_with, by_values_with, bf16);
        } else {
            run!(words, whole_cells::<f32>, whole_cells_mut::<f32>, statistics, by_queries, by_keys, by_values);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { batches: 2, heads: 6, group: 3, queries: 5, keys: 7, size: 4, size_of_value: 8 };

    #[test]
    fn a_workgroup_for_each_row_and_each_key() {
        let passes = plan(SIZES, 9).passes;
        let rows = [Pass::Statistics { groups: 60 }, Pass::Queries { groups: 60 }];
        let keys = [Pass::Keys { groups: 28 }, Pass::Values { groups: 28 }];
        assert_eq!(passes, [&rows[..], &keys].concat());
        assert_eq!(plan(Sizes { queries: 0, ..SIZES }, 9).passes, keys);
        assert_eq!(plan(Sizes { keys: 0, ..SIZES }, 9).passes, rows);
        assert_eq!(plan(Sizes { batches: 0, ..SIZES }, 9).passes, []);
        assert_eq!((plan(SIZES, 9).flops, plan(SIZES, 9).scratch), (60 * 7 * 2 * 28, 960));
    }

    #[test]
    fn long_loops_are_refused_on_llvmpipe_only() {
        let long = Sizes { keys: 100_000, size: 128, size_of_value: 128, ..SIZES };
        let of = |sizes, software, strips| loops(sizes, Target { software, strips }).is_ok();
        assert!(of(SIZES, true, false) && of(long, true, true) && of(long, false, false));
        assert!(!of(long, true, false));
    }
}

//! The checks and launches of a histogram.

use std::sync::Arc;

use anywarp_backend::BackendKind;

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::binding::{Binding, WINDOW};
use super::super::operation::shape::shaped;
use super::super::plan::Plan;
use super::super::reduce;
use super::bins::{Bins, Even};
use super::plan::{Counting, Operation, Part, Pass, Shape, Sum};
use super::{HistogramElement, OPERATOR};
use crate::buffer::cells::{cells, cells_mut, reborrow, words};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal, Resource};

crate::kernels!(
    mod plain = "shaders/ops/histogram.wgsl",
    root = "shaders",
    feature rows = false,
    feature vectors = false,
    feature weighted = false
);
crate::kernels!(
    mod vectors = "shaders/ops/histogram.wgsl",
    root = "shaders",
    feature rows = false,
    feature vectors = true,
    feature weighted = false
);
crate::kernels!(
    mod weighted = "shaders/ops/histogram.wgsl",
    root = "shaders",
    feature rows = false,
    feature vectors = false,
    feature weighted = true
);
crate::kernels!(
    mod rows = "shaders/ops/histogram.wgsl",
    root = "shaders",
    feature rows = true,
    feature vectors = false,
    feature weighted = false
);
crate::kernels!(
    mod weighted_rows = "shaders/ops/histogram.wgsl",
    root = "shaders",
    feature rows = true,
    feature vectors = false,
    feature weighted = true
);
crate::kernels!(mod floats = "shaders/ops/histogram_sums.wgsl", root = "shaders");

/// The arrays of a histogram.
pub(super) struct Operands<'x, 'y, T> {
    pub(super) x: Slice<'x, T>,
    /// The weights, of one word each; `None` if elements are counted.
    pub(super) weights: Option<Slice<'x, u32>>,
    /// The counts, or the sums of weights, of one word each.
    pub(super) counts: SliceMut<'y, u32>,
    /// The name of the argument `counts` in errors.
    pub(super) result: &'static str,
    pub(super) channels: usize,
    pub(super) sum: Sum,
    /// The number of elements of all launches.
    pub(super) all: usize,
}

impl<T: HistogramElement> Operands<'_, '_, T> {
    /// Whether the device is the CPU backend. Software drivers of other backends do not count: their barriers are
    /// faster, and they may abort long loops.
    pub(super) fn is_cpu(&self) -> bool {
        self.counts.core.device.caps().backend == BackendKind::Cpu
    }

    /// The sizes of the call, for `bins` bins in each channel.
    pub(super) fn shape(&self, bins: usize) -> Shape {
        let start = self.x.range.get().map_or(1, |range| range.start);
        let aligned = (start * size_of::<T>()).is_multiple_of(16);
        let counters = (bins as u64).saturating_mul(self.channels as u64);
        Shape { count: self.x.len() as u64, counters, sum: self.sum, aligned, window: self.window() }
    }

    /// The greatest number of elements of a launch, if an array is larger than a binding can be: a multiple of the
    /// number of channels.
    fn window(&self) -> Option<u64> {
        let binding = Binding::of(&self.counts.core.device.caps().limits);
        let fits = Array::new::<T>(self.x).place().fits(binding, 4)
            && self.weights.is_none_or(|weights| Array::new::<u32>(weights).place().fits(binding, 4));
        let whole = WINDOW.saturating_mul(self.channels as u64);
        let window = binding.window(4) / whole.max(1) * whole;
        (!fits && window > 0).then_some(window)
    }

    /// The operands with only the elements of `part`.
    fn part(&self, part: Part) -> Operands<'_, '_, T> {
        let range = part.begin as usize..(part.begin + part.count) as usize;
        Operands {
            x: self.x.slice(range.clone()),
            weights: self.weights.map(|weights| weights.slice(range)),
            counts: reborrow(&self.counts),
            result: self.result,
            channels: self.channels,
            sum: self.sum,
            all: self.all,
        }
    }

    /// Checks the lengths, the devices and the guards of all arrays.
    pub(super) fn check(&self, bins: usize, destination: &Destination<'_>) -> Result<(), OperationError> {
        let length = self.x.range.get().map_err(OPERATOR.slice("x"))?.len();
        if !length.is_multiple_of(self.channels) {
            let expected = format!("use a multiple of {}, the number of channels", self.channels);
            return Err(OPERATOR.choice("a number of elements of", expected, length.to_string()));
        }
        let got = self.counts.range.get().map_err(OPERATOR.slice(self.result))?.len();
        let expected = |argument: &str, shape: Vec<usize>, expected, got| {
            let (operator, argument) = (OPERATOR.name(), argument.to_owned());
            Err(OperationError::Length { operator, argument, shape, expected, got })
        };
        if got != bins * self.channels {
            let shape = if self.channels == 1 { vec![bins] } else { vec![self.channels, bins] };
            return expected(self.result, shape, bins * self.channels, got);
        }
        let mut arrays = vec![("x", self.x.core), (self.result, self.counts.core)];
        if let Some(weights) = &self.weights {
            let got = weights.range.get().map_err(OPERATOR.slice("weights"))?.len();
            if got != length {
                return expected("weights", vec![length], length, got);
            }
            arrays.push(("weights", weights.core));
        }
        let ours = &self.counts.core.device;
        for (argument, core) in &arrays {
            if !Arc::ptr_eq(&core.device, ours) {
                return Err(OPERATOR.other_device(ours, format!("'{argument}'"), core.device.selector.clone()));
            }
        }
        destination.check(ours).map_err(|refusal| OPERATOR.refused(ours, &["x", self.result], refusal))?;
        if !matches!(destination, Destination::Recording(_)) {
            for (argument, core) in arrays {
                core.guarded().map_or(Ok(()), |guard| Err(OPERATOR.in_use(argument, guard)))?;
            }
        }
        Ok(())
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &mut self,
        bins: &Bins,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.counts.core.device);
        let memory = |error| OperationError::Buffer { operator: OPERATOR.name(), error };
        if bins.keys.is_empty() {
            return self.clear(&self.counts, destination.reborrow());
        }
        let edges = device.buffer_from(&bins.keys).map_err(memory)?;
        let words = usize::try_from(plan.scratch / 4).unwrap_or(usize::MAX);
        let mut scratch = device.scratch::<u32>(words, destination).map_err(memory)?;
        self.prepare(&edges, destination.reborrow())?;
        for pass in &plan.passes {
            let destination = destination.reborrow();
            match *pass {
                Pass::Clear => self.clear(&self.counts, destination)?,
                Pass::ClearScratch => self.clear(&scratch.slice_mut(..), destination)?,
                Pass::Count(counting) if self.sum == Sum::Floats => {
                    let part = self.part(counting.part);
                    part.count(bins, &edges, counting, &scratch.slice_mut(..), destination)?;
                }
                Pass::Count(counting) => {
                    let part = self.part(counting.part);
                    part.count(bins, &edges, counting, &reborrow(&self.counts), destination)?;
                }
                Pass::Rows { part, groups, chunk } => {
                    self.part(part).count_rows(bins, &edges, &mut scratch, [groups, chunk], destination)?;
                }
                Pass::SumRows { rows } => self.sum_rows(&scratch, rows as usize, destination)?,
                Pass::Floats => self.write_floats(&scratch, destination)?,
            }
        }
        Ok(())
    }

    /// Uploads the host's writes to the buffers before the result is cleared, so that an upload that runs out of memory
    /// leaves the result unchanged.
    fn prepare(&self, edges: &UnifiedBuffer<u32>, destination: Destination<'_>) -> Result<(), OperationError> {
        let device = &self.counts.core.device;
        let mut cores = vec![self.x.core, self.counts.core, &edges.core];
        cores.extend(self.weights.as_ref().map(|weights| weights.core));
        let prepared = destination.encoder(device).and_then(|mut encoder| encoder.prepare(&cores));
        prepared.map_err(|refusal| OPERATOR.refused(device, &["x", self.result, "the edges", "weights"], refusal))
    }

    fn clear(&self, target: &SliceMut<'_, u32>, destination: Destination<'_>) -> Result<(), OperationError> {
        match transfer::fill(destination, target, 0) {
            Err(BufferError::InUse { guard }) => Err(OPERATOR.in_use(self.result, guard)),
            Err(BufferError::Device { error, .. }) => {
                Err(OPERATOR.refused(&self.counts.core.device, &[self.result], Refusal::Device(error)))
            }
            outcome => outcome.map(drop).map_err(OPERATOR.slice(self.result)),
        }
    }
}

/// The position of the greatest weight's highest bit in a sum of 64 bits, so that no sum of `count` weights exceeds 63
/// bits.
fn top(count: usize) -> u32 {
    62 - count.max(1).next_power_of_two().ilog2()
}

/// The overrides of a module's kernel.
macro_rules! overrides {
    ($module:ident, $this:ident, $bins:ident, $runs:expr, $direct:expr, $operation:expr) => {
        $module::Overrides {
            kind: T::KIND,
            plain: $bins.plain,
            even: $bins.even.is_some(),
            channels: $this.channels as u32,
            runs: $runs,
            direct: $direct,
            operation: $operation as u32,
        }
    };
}

/// The uniform `Sizes` of a module. `$firsts` has the positions of the first element, bin, weight and tail element in
/// their bindings.
macro_rules! sizes {
    ($module:ident, $this:ident, $bins:ident, $firsts:expr, $chunk:expr, $copies:expr) => {{
        let [first, first_bin, first_weight, first_of_tail] = $firsts;
        let Bins { least, greatest, .. } = *$bins;
        let Even { low, scale, margin } = $bins.even.unwrap_or_default();
        // The operator's limits keep all counts within 32 bits.
        let [count, bins, stride] = [$this.x.len(), $bins.keys.len(), $bins.all].map(|count| count as u32);
        $module::Sizes {
            count,
            first,
            bins,
            first_bin,
            chunk: $chunk as u32,
            copies: $copies as u32,
            least,
            greatest,
            low,
            scale,
            margin,
            stride,
            counters: stride * $this.channels as u32,
            first_weight,
            first_of_tail,
            top: top($this.all),
        }
    }};
}

impl<T: HistogramElement> Operands<'_, '_, T> {
    fn count(
        &self,
        bins: &Bins,
        edges: &UnifiedBuffer<u32>,
        counting: Counting,
        target: &SliceMut<'_, u32>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Counting { operation, groups, chunk, copies, vectors: by_vectors, runs, .. } = counting;
        let device = Device::of(&self.counts.core.device);
        let (x, first) = cells::<T, u32>(&self.x).map_err(OPERATOR.slice("x"))?;
        let (counters, first_bin) = cells_mut::<u32, u32>(target).map_err(OPERATOR.slice(self.result))?;
        let direct = copies == 0;
        if by_vectors {
            let whole = 0..self.x.len() as u64 / 4 * 4;
            let (fours, first_vector) = words::<T, [u32; 4]>(&self.x, whole).map_err(OPERATOR.slice("x"))?;
            let sizes = sizes!(vectors, self, bins, [first_vector, first_bin, 0, first], chunk, copies.max(1));
            let overrides = overrides!(vectors, self, bins, runs, direct, operation);
            let args = vectors::Args { sizes, x: fours, edges, bins: counters, tail: x };
            vectors::by_workgroups_with(&device, overrides)?.launch(args).to(destination).groups([groups, 1])?;
        } else if let Some(weights) = &self.weights {
            let (weights, first_weight) = cells::<u32, u32>(weights).map_err(OPERATOR.slice("weights"))?;
            let sizes = sizes!(weighted, self, bins, [first, first_bin, first_weight, 0], chunk, copies.max(1));
            let overrides = overrides!(weighted, self, bins, runs, direct, operation);
            let args = weighted::Args { sizes, x, edges, bins: counters, weights };
            weighted::by_workgroups_with(&device, overrides)?.launch(args).to(destination).groups([groups, 1])?;
        } else {
            let sizes = sizes!(plain, self, bins, [first, first_bin, 0, 0], chunk, copies.max(1));
            let overrides = overrides!(plain, self, bins, runs, direct, operation);
            let args = plain::Args { sizes, x, edges, bins: counters };
            plain::by_workgroups_with(&device, overrides)?.launch(args).to(destination).groups([groups, 1])?;
        }
        Ok(())
    }

    fn count_rows(
        &self,
        bins: &Bins,
        edges: &UnifiedBuffer<u32>,
        scratch: &mut UnifiedBuffer<u32>,
        [groups, chunk]: [u64; 2],
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.counts.core.device);
        let (x, first) = cells::<T, u32>(&self.x).map_err(OPERATOR.slice("x"))?;
        if let Some(weights) = &self.weights {
            let (weights, first_weight) = cells::<u32, u32>(weights).map_err(OPERATOR.slice("weights"))?;
            let sizes = sizes!(weighted_rows, self, bins, [first, 0, first_weight, 0], chunk, 1);
            let overrides = overrides!(weighted_rows, self, bins, false, false, Operation::Add);
            let args = weighted_rows::Args { sizes, x, edges, bins: scratch, weights };
            weighted_rows::by_rows_with(&device, overrides)?.launch(args).to(destination).groups([groups, 1])?;
        } else {
            let sizes = sizes!(rows, self, bins, [first, 0, 0, 0], chunk, 1);
            let overrides = overrides!(rows, self, bins, false, false, Operation::Add);
            let args = rows::Args { sizes, x, edges, bins: scratch };
            rows::by_rows_with(&device, overrides)?.launch(args).to(destination).groups([groups, 1])?;
        }
        Ok(())
    }

    fn sum_rows(
        &mut self,
        scratch: &UnifiedBuffer<u32>,
        rows: usize,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.counts.core.device);
        let call = reduce::sum().call(&device).axis(0);
        let call = match destination {
            Destination::Own => call,
            Destination::Stream(stream) => call.on(&stream),
            Destination::Recording(recording) => call.record(recording),
        };
        let counters = self.counts.len();
        call.run(shaped(scratch.slice(..rows * counters), [rows, counters]), reborrow(&self.counts))
    }

    fn write_floats(&self, fixed: &UnifiedBuffer<u32>, destination: Destination<'_>) -> Result<(), OperationError> {
        let (y, first) = cells_mut::<u32, u32>(&self.counts).map_err(OPERATOR.slice(self.result))?;
        let counters = self.counts.len() as u32;
        let sums = floats::Sums { counters, top: top(self.all), first };
        let kernel = floats::histogram_sums(&Device::of(&self.counts.core.device))?;
        kernel.launch(floats::Args { sums, fixed, y }).to(destination).threads(counters)?;
        Ok(())
    }
}

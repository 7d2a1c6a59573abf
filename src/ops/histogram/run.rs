//! From a histogram to its commands.

use std::sync::Arc;

use anywarp_backend::BackendKind;

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::super::reduce;
use super::super::shaped;
use super::elements::sealed::Key;
use super::plan::Pass;
use super::{Edges, HistogramElement, OPERATOR};
use crate::buffer::cells::{cells, cells_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer, transfer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal, Resource};

crate::kernels!(mod shared = "shaders/ops/histogram.wgsl", root = "shaders", feature rows = false);
crate::kernels!(mod rows = "shaders/ops/histogram.wgsl", root = "shaders", feature rows = true);

/// The bins as the kernel takes them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bins {
    /// The key of the lower edge of each bin that can have elements.
    keys: Vec<u32>,
    /// The keys of the least and the greatest element that is counted.
    least: u32,
    greatest: u32,
    /// The bits of the lower end, and the bins per unit, where bins are found by a product.
    even: Option<(u32, f32)>,
    plain: bool,
}

impl Bins {
    pub(super) fn of<T: Key>(edges: &Edges<'_>) -> Result<Self, OperationError> {
        let bins = match edges {
            Edges::Numbers(bins) | Edges::Even(bins, _) => *bins,
            Edges::Explicit(edges) => edges.len().saturating_sub(1),
        };
        if bins == 0 {
            return Err(OPERATOR.choice("a number of bins of", "use at least one bin", bins.to_string()));
        }
        let all: Vec<f64> = match edges {
            Edges::Numbers(_) => {
                if T::KIND != u32::KIND {
                    let got = std::any::type_name::<T>().to_owned();
                    return Err(OPERATOR.choice("bins of one number each", "use `u32` elements", got));
                }
                return Ok(Self { keys: vec![0; bins], least: 0, greatest: u32::MAX, even: None, plain: true });
            }
            Edges::Even(_, range) => {
                let width = range.end - range.start;
                if !(width > 0.0 && width.is_finite()) {
                    let expected = "use finite numbers with `start < end`";
                    return Err(OPERATOR.choice("a range of", expected, format!("{range:?}")));
                }
                let edge = |number: usize| range.start + width * (number as f64 / bins as f64);
                (0..bins).map(edge).chain([range.end]).collect()
            }
            Edges::Explicit(edges) => edges.to_vec(),
        };
        let wrong = |pair: &&[f64]| !(pair[0] <= pair[1] && pair[0].is_finite() && pair[1].is_finite());
        if let Some(pair) = all.windows(2).find(wrong) {
            let expected = "use finite edges that do not fall";
            return Err(OPERATOR.choice("a pair of edges", expected, format!("{pair:?}")));
        }
        let keys: Vec<u32> = all[..bins].iter().map_while(|edge| T::keys(*edge).from).collect();
        // Without an element that can be counted, no element is between the two.
        let (least, greatest) = match (keys.first(), T::keys(all[bins]).to) {
            (Some(least), Some(greatest)) => (*least, greatest),
            _ => (1, 0),
        };
        let even = match edges {
            Edges::Even(_, range) => {
                let scale = (bins as f64 / (range.end - range.start)) as f32;
                let product = scale.is_normal() && ((range.end - range.start) as f32).is_normal();
                T::low(range.start).filter(|_| product && scale < 1e30).map(|low| (low, scale))
            }
            _ => None,
        };
        Ok(Self { keys, least, greatest, even, plain: false })
    }
}

/// The arrays of a histogram.
pub(super) struct Operands<'x, 'y, T> {
    pub(super) x: Slice<'x, T>,
    pub(super) counts: SliceMut<'y, u32>,
}

impl<T: HistogramElement> Operands<'_, '_, T> {
    /// Whether the device is the CPU backend. A software driver runs barriers faster, and may end long loops.
    pub(super) fn is_cpu(&self) -> bool {
        self.counts.core.device.caps().backend == BackendKind::Cpu
    }

    /// Checks lengths, devices and guards.
    pub(super) fn check(&self, bins: usize, destination: &Destination<'_>) -> Result<(), OperationError> {
        self.x.range.get().map_err(OPERATOR.slice("x"))?;
        let got = self.counts.range.get().map_err(OPERATOR.slice("counts"))?.len();
        if got != bins {
            let (operator, argument, shape) = (OPERATOR.name(), "counts".to_owned(), vec![bins]);
            return Err(OperationError::Length { operator, argument, shape, expected: bins, got });
        }
        let ours = &self.counts.core.device;
        if !Arc::ptr_eq(&self.x.core.device, ours) {
            return Err(OPERATOR.other_device(ours, "'x'".to_owned(), self.x.core.device.selector.clone()));
        }
        destination.check(ours).map_err(|refusal| OPERATOR.refused(ours, &["x", "counts"], refusal))?;
        if !matches!(destination, Destination::Recording(_)) {
            for (argument, core) in [("x", self.x.core), ("counts", self.counts.core)] {
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
        let live = bins.keys.len();
        if live == 0 {
            return self.clear(&self.counts, destination.again());
        }
        let edges = device.buffer_from(&bins.keys).map_err(memory)?;
        let words = usize::try_from(plan.scratch / 4).unwrap_or(usize::MAX);
        let mut scratch = device.scratch::<u32>(words, destination).map_err(memory)?;
        for pass in &plan.passes {
            let destination = destination.again();
            match *pass {
                Pass::Clear => self.clear(&self.counts, destination)?,
                Pass::Workgroups { groups, chunk, copies } => {
                    self.count_shared(bins, &edges, [groups, chunk, copies], destination)?;
                }
                Pass::Elements => self.count_elements(bins, &edges, destination)?,
                Pass::ClearRows => self.clear(&scratch.slice_mut(..), destination)?,
                Pass::Rows { groups, chunk } => {
                    self.count_rows(bins, &edges, &mut scratch, [groups, chunk], destination)?;
                }
                Pass::SumRows { rows } => self.sum_rows(&scratch, [rows as usize, live], destination)?,
            }
        }
        Ok(())
    }

    fn clear(&self, target: &SliceMut<'_, u32>, destination: Destination<'_>) -> Result<(), OperationError> {
        match transfer::fill(destination, target, 0) {
            Err(BufferError::InUse { guard }) => Err(OPERATOR.in_use("counts", guard)),
            Err(BufferError::Device { error, .. }) => {
                Err(OPERATOR.refused(&self.counts.core.device, &["counts"], Refusal::Device(error)))
            }
            outcome => outcome.map(drop).map_err(OPERATOR.slice("counts")),
        }
    }
}

/// The launch of one entry point: `(counters, the first of them, elements of a workgroup, copies)`.
macro_rules! launch {
    ($this:ident, $module:ident::$kernel:ident($args:ident), $bins:ident, $edges:ident, $counters:expr) => {{
        let (x, first) = cells::<T, u32>(&$this.x).map_err(OPERATOR.slice("x"))?;
        let (counters, first_bin, chunk, copies) = $counters;
        let (low, scale) = $bins.even.unwrap_or_default();
        let overrides = $module::Overrides { kind: T::KIND, plain: $bins.plain, even: $bins.even.is_some() };
        let Bins { least, greatest, .. } = *$bins;
        // The operator's limits keep all counts within 32 bits.
        let [count, bins] = [$this.x.len(), $bins.keys.len()].map(|count| count as u32);
        let sizes = $module::Sizes { count, first, bins, first_bin, chunk, copies, least, greatest, low, scale };
        let kernel = $module::$kernel(&Device::of(&$this.counts.core.device), overrides)?;
        kernel.launch($module::$args { sizes, x, edges: $edges, bins: counters })
    }};
}

impl<T: HistogramElement> Operands<'_, '_, T> {
    fn count_shared(
        &self,
        bins: &Bins,
        edges: &UnifiedBuffer<u32>,
        [groups, chunk, copies]: [u64; 3],
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (counts, first) = cells_mut::<u32, u32>(&self.counts).map_err(OPERATOR.slice("counts"))?;
        let counters = (counts, first, chunk as u32, copies as u32);
        let launch = launch!(self, shared::by_workgroups_with(ByWorkgroupsArgs), bins, edges, counters);
        launch.to(destination).groups([groups, 1])?;
        Ok(())
    }

    fn count_elements(
        &self,
        bins: &Bins,
        edges: &UnifiedBuffer<u32>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (counts, first) = cells_mut::<u32, u32>(&self.counts).map_err(OPERATOR.slice("counts"))?;
        let launch = launch!(self, shared::by_elements_with(ByElementsArgs), bins, edges, (counts, first, 0, 1));
        launch.to(destination).threads(self.x.len())?;
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
        let counters = (scratch, 0, chunk as u32, 1);
        launch!(self, rows::by_rows_with(Args), bins, edges, counters).to(destination).groups([groups, 1])?;
        Ok(())
    }

    fn sum_rows(
        &mut self,
        scratch: &UnifiedBuffer<u32>,
        [rows, bins]: [usize; 2],
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.counts.core.device);
        let call = reduce::sum().call(&device).axis(0);
        let call = match destination {
            Destination::Own => call,
            Destination::Stream(stream) => call.on(&stream),
            Destination::Recording(recording) => call.record(recording),
        };
        call.run(shaped(scratch.slice(..rows * bins), [rows, bins]), self.counts.slice_mut(..bins))
    }
}

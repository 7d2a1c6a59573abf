//! The launches of a cross-entropy and of its derivatives.

use std::sync::LazyLock;

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells, memory};
use super::super::operation::shape::shaped;
use super::super::reduce;
use super::super::reduction::{ReductionCall, ReductionKernel};
use super::super::rows::launch::{INFINITY, Numbers, compile, halves, launch, modules, parts, rows, run_for_form};
use super::super::rows::plan::{Pass, Planned, Shape};
use super::{Losses, OPERATOR};
use crate::buffer::cells::{reborrow, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::submit::Destination;

modules!("shaders/ops/cross_entropy.wgsl": words, vectors, packed, packed_vectors);
modules!(
    "shaders/ops/cross_entropy_backward.wgsl": backward_words, backward_vectors, backward_packed,
    backward_packed_vectors
);

/// The uniform `Targets` of a module, from a `TargetNumbers` and the index of the first loss in the binding of the
/// losses.
macro_rules! numbers_of {
    ($module:ident, $numbers:expr, $first:expr) => {{
        let TargetNumbers { classes, first, words, signs, ignored_low, ignored_high, ignores, first_of_weights } =
            $numbers;
        let first_of_numbers = $first;
        $module::Targets {
            classes,
            first,
            words,
            signs,
            ignored_low,
            ignored_high,
            ignores,
            first_of_weights,
            first_of_numbers,
        }
    }};
}

/// The arrays that both losses and derivatives are computed from, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) targets: Slice<'a, u8>,
    pub(super) weights: Option<Slice<'a, u8>>,
}

/// The sizes and options of a call, without its arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) shape: Shape,
    /// Whether elements are logarithms of probabilities.
    pub(super) normalised: bool,
    pub(super) ignored: Option<i64>,
    pub(super) losses: Losses,
    /// The size of a target in bytes, and whether targets are signed integers.
    pub(super) target: (usize, bool),
    /// Whether elements of 16 bits are `bf16`.
    pub(super) bf16: bool,
}

/// The mean of losses: the sum of all losses divided by the sum of the weights of all rows' classes.
static MEAN: LazyLock<ReductionKernel> = LazyLock::new(|| {
    let kernel = ReductionKernel::new("x: f32, weight: f32", "y: f32");
    let kernel = kernel.expect("the parameters of the mean are valid").name("mean of losses");
    // Devices may compute any value for 0 / 0, so NaN is written as bits.
    let kernel = kernel.preamble(
        "fn quotient(a: vec2<f32>, n: u32) -> f32 {
             return select(a.x / a.y, bitcast<f32>(0x7fc00000u | (n & 1u)), a.y == 0.0);
         }",
    );
    let kernel = kernel.accumulator("vec2<f32>").map("vec2(x, weight)").combine("a + b");
    kernel.finish("quotient(a, n)").identity("vec2(0.0)")
});

impl Operands<'_> {
    /// Checks that these arrays and `others` belong to the device, are not in use by guards and do not overlap.
    pub(super) fn check(
        &self,
        others: &[(&'static str, Slice<'_, u8>)],
        destination: &Destination<'_>,
    ) -> Result<(), OperationError> {
        let mut arrays = vec![("x", self.x), ("targets", self.targets)];
        arrays.extend(self.weights.map(|weights| ("weights", weights)));
        arrays.extend(others);
        operands::check(OPERATOR, &self.x.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan, which write the losses.
    pub(super) fn run(
        &self,
        call: Call,
        planned: &Planned,
        loss: &SliceMut<'_, u8>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&self.x.core.device);
        let rows = call.shape.rows as usize;
        let each =
            |destination: &Destination<'_>| device.scratch::<f32>(rows.max(1), destination).map_err(memory(OPERATOR));
        if call.losses == Losses::Each {
            return self.losses(call, planned, loss, destination);
        }
        let mut losses = each(destination)?;
        if rows > 0 {
            let losses = losses.slice_mut(..rows);
            let bytes = operands::bytes_mut(OPERATOR, "loss", &losses)?;
            self.losses(call, planned, &bytes, destination)?;
        }
        let (losses, loss) = (losses.slice(..rows), whole_cells_mut::<f32>(loss).map_err(OPERATOR.slice("loss"))?);
        let (mut cells, first) = loss;
        let loss = cells.slice_mut(first as usize..first as usize + 1);
        if call.losses == Losses::Sum {
            return reduced(reduce::sum(), device, destination).run(shaped(losses, [rows]), loss);
        }
        let factors = self.factors(call, destination)?;
        let factors = factors.slice(..rows);
        reduced(&MEAN, device, destination).run((shaped(losses, [rows]), shaped(factors, [rows])), loss)
    }

    /// Writes the loss of each row.
    fn losses(
        &self,
        call: Call,
        planned: &Planned,
        losses: &SliceMut<'_, u8>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if planned.plan.passes.is_empty() {
            return Ok(());
        }
        let device = &Device::of(&self.x.core.device);
        let sizes = Numbers::of(call.shape, planned);
        let Numbers { inner, group, width, .. } = sizes;
        let (normalised, bf16, has_weights) = (call.normalised, call.bf16, self.weights.is_some());
        let (numbers, first_of_numbers) = whole_cells_mut::<f32>(losses).map_err(OPERATOR.slice("loss"))?;
        macro_rules! run {
            ($module:ident, $both:expr, $one:expr $(, $bf16:ident)?) => {{
                let strided = inner > 1;
                let overrides = $module::Overrides { group, width, strided, normalised, has_weights $(, $bf16)? };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                let (targets, weights, numbers_of) = self.targets(call)?;
                let how = numbers_of!($module, numbers_of, first_of_numbers);
                let (x, first_of_x) = $one(&self.x).map_err(OPERATOR.slice("x"))?;
                let rows = rows!($module, sizes, first_of_x, 0);
                for pass in &planned.plan.passes {
                    let numbers = reborrow(&numbers);
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, x], results: [rows, how, x, targets, weights, numbers]);
                }
            }};
        }
        run_for_form!(run, call.shape.halves, planned, bf16: words, vectors, packed, packed_vectors);
        Ok(())
    }

    /// Computes the factor of each row: the weight of its class, or 0 for an ignored row.
    fn factors(&self, call: Call, destination: &mut Destination<'_>) -> Result<UnifiedBuffer<f32>, OperationError> {
        let device = &Device::of(&self.x.core.device);
        let count = call.shape.rows;
        let mut factors = device.scratch::<f32>((count as usize).max(1), destination).map_err(memory(OPERATOR))?;
        if count > 0 {
            let (targets, weights, numbers_of) = self.targets(call)?;
            let how = numbers_of!(words, numbers_of, 0);
            let rows = words::Rows { count: count as u32, infinity: INFINITY, ..bytemuck::Zeroable::zeroed() };
            let has_weights = self.weights.is_some();
            let overrides = words::Overrides { has_weights, ..words::Overrides::default() };
            let args = words::FactorsArgs { rows, how, targets, weights, numbers: &mut factors };
            words::factors_with(device, overrides)?.launch(args).to(destination.reborrow()).threads(count)?;
        }
        Ok(factors)
    }

    /// Appends the commands of a plan, which write the derivatives by the elements.
    pub(super) fn backward(
        &self,
        call: Call,
        planned: &Planned,
        by_loss: &Slice<'_, u8>,
        dx: &SliceMut<'_, u8>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if planned.plan.passes.is_empty() {
            return Ok(());
        }
        let device = &Device::of(&self.x.core.device);
        let sizes = Numbers::of(call.shape, planned);
        let Numbers { inner, group, width, .. } = sizes;
        let (normalised, bf16, has_weights) = (call.normalised, call.bf16, self.weights.is_some());
        let (single, mean) = (call.losses != Losses::Each, call.losses == Losses::Mean);
        let (by_loss, first_of_numbers) = whole_cells::<f32>(by_loss).map_err(OPERATOR.slice("dloss"))?;
        let mut sum = device.scratch::<f32>(1, destination).map_err(memory(OPERATOR))?;
        if mean {
            let factors = self.factors(call, destination)?;
            let rows = call.shape.rows as usize;
            reduced(reduce::sum(), device, destination).run(shaped(factors.slice(..rows), [rows]), &mut sum)?;
        }
        let (x, y) = (&self.x, dx);
        macro_rules! run {
            ($module:ident, $both:expr, $one:expr $(, $bf16:ident)?) => {{
                let strided = inner > 1;
                let overrides = $module::Overrides {
                    group,
                    width,
                    strided,
                    normalised,
                    has_weights,
                    single,
                    mean
                    $(, $bf16)?
                };
                compile!($module, planned, device, overrides);
                let mut parts = parts(OPERATOR, device, planned, destination)?;
                let (targets, weights, numbers_of) = self.targets(call)?;
                let how = numbers_of!($module, numbers_of, first_of_numbers);
                let sum_of_factors = &sum;
                for pass in &planned.plan.passes {
                    let Cells { x, first_of_x, y, first_of_y } = $both(OPERATOR, x, y)?;
                    let rows = rows!($module, sizes, first_of_x, first_of_y);
                    launch!($module, *pass, device, overrides, destination.reborrow(), parts,
                        sums: [rows, x], results: [rows, how, x, y, targets, weights, by_loss, sum_of_factors]);
                }
            }};
        }
        run_for_form!(run, call.shape.halves, planned, bf16:
            backward_words, backward_vectors, backward_packed, backward_packed_vectors);
        Ok(())
    }

    /// Returns targets and weights as the kernels bind them, and the fields of the uniform that describe both.
    fn targets(&self, call: Call) -> Result<(Slice<'_, u32>, Slice<'_, f32>, TargetNumbers), OperationError> {
        let (targets, first) = whole_cells::<u32>(&self.targets).map_err(OPERATOR.slice("targets"))?;
        // Kernels need a binding for weights even if there are none; they do not read this binding.
        let weights = self.weights.as_ref().unwrap_or(&self.targets);
        let (weights, first_of_weights) = whole_cells::<f32>(weights).map_err(OPERATOR.slice("weights"))?;
        let ignored = call.ignored.unwrap_or(0);
        let numbers = TargetNumbers {
            // The operator's limit on elements keeps the number of classes within 32 bits.
            classes: call.shape.length as u32,
            first,
            words: (call.target.0 / 4) as u32,
            signs: call.target.1.into(),
            ignored_low: ignored as u32,
            ignored_high: (ignored >> 32) as u32,
            ignores: call.ignored.is_some().into(),
            first_of_weights,
        };
        Ok((targets, weights, numbers))
    }
}

/// The fields of the uniform `Targets`, without `first_of_numbers`.
#[derive(Clone, Copy, Debug)]
struct TargetNumbers {
    classes: u32,
    first: u32,
    words: u32,
    signs: u32,
    ignored_low: u32,
    ignored_high: u32,
    ignores: u32,
    first_of_weights: u32,
}

/// A call of `kernel` along axis 0, whose commands go to `destination`.
fn reduced<'k>(
    kernel: &'k ReductionKernel,
    device: &Device,
    destination: &'k mut Destination<'_>,
) -> ReductionCall<'k> {
    let call = kernel.call(device).axis(0);
    match destination.reborrow() {
        Destination::Own => call,
        Destination::Stream(stream) => call.on(&stream),
        Destination::Recording(recording) => call.record(recording),
    }
}

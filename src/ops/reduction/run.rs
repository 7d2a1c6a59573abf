//! The launches of a reduction.

use anywarp_backend::Shape as LayoutShape;
use smallvec::{SmallVec, smallvec};

use super::super::choices::Question;
use super::super::error::OperationError;
use super::super::operation::arguments::Given;
use super::super::operation::assigned::{self, Output, Statements};
use super::super::operation::binding::Binding;
use super::super::operation::call::Letter;
use super::super::operation::kept;
use super::super::operation::places::{Dimensions, Field};
use super::super::operation::preface::Access;
use super::super::operation::text::Text;
use super::super::plan::{Cost, Plan};
use super::choice::{Choice, Spread};
use super::fit::Fitted;
use super::form::{self, Count, Source};
use super::plan::{self, Pass, Shape};
use super::wgsl;
use crate::buffer::UnifiedBuffer;
use crate::kernel::{Kernel, bound};
use crate::submit::Destination;

/// The name of the WGSL function that contains the statements of `finish`, and their name in errors.
const STATEMENTS: Statements = Statements { function: "finished", said: "the finish" };

impl Fitted<'_> {
    fn shape(&self) -> Shape<'_> {
        let Self { slots, places, walks, results, reduced, accumulator, .. } = self;
        let binding = Binding::of(&self.device.caps().limits);
        Shape { slots, places, walks, results: *results, reduced: *reduced, accumulator: *accumulator, binding }
    }

    /// Returns the passes of the choice for this device: see [`Question::decide`].
    pub(super) fn plan(&self) -> Plan<Pass> {
        let (shape, software) = (self.shape(), self.software);
        let work = shape.work(software);
        let question = Question::new("reduce", &[work.results, work.reduced])
            .form(self.size_name())
            .form(if work.contiguous { "rows" } else { "columns" })
            .form_if(work.aligned, "aligned");
        let spread = question.decide(&self.device, Spread::default_for(software), || Spread::all(software), |_| true);
        plan::plan(&shape, Choice::of(work, spread))
    }

    /// The name of the size of a partial result in questions.
    pub(super) fn size_name(&self) -> &'static str {
        match self.accumulator {
            Some(0..=4) => "words",
            Some(_) => "vectors",
            None => "structs",
        }
    }

    /// Returns the cost. If partial results are a struct of the caller, the first kernel is compiled to find their
    /// size.
    pub(super) fn cost(&self) -> Result<Cost, OperationError> {
        let plan = self.plan();
        let mut cost = plan.cost();
        if let ([first, .., _], None) = (plan.passes.as_slice(), self.accumulator) {
            cost.scratch = partials_size(&self.kernel(first)?, self.results * first.splits);
        }
        Ok(cost)
    }

    /// The WGSL of each pass.
    pub(super) fn texts(&self) -> Vec<String> {
        let text = |pass: &Pass| wgsl::text(self.own, &self.letters, &self.slots, pass.form).as_str().to_owned();
        self.plan().passes.iter().map(text).collect()
    }

    /// Launches the passes of a plan.
    pub(super) fn run(&self, plan: &Plan<Pass>, mut destination: Destination<'_>) -> Result<(), OperationError> {
        let passes = plan.passes.as_slice();
        // All kernels are compiled before the first launch: if one of them is refused, nothing has run.
        let kernels: SmallVec<[Kernel; 2]> = passes.iter().map(|pass| self.kernel(pass)).collect::<Result<_, _>>()?;
        let mut partials = None;
        if let ([first, .., _], Some(kernel)) = (passes, kernels.first()) {
            partials = Some(self.partials(kernel, self.results * first.splits, &destination)?);
        }
        for (pass, kernel) in passes.iter().zip(&kernels) {
            self.launch(pass, kernel, partials.as_mut(), destination.reborrow())?;
        }
        Ok(())
    }

    fn kernel(&self, pass: &Pass) -> Result<Kernel, OperationError> {
        self.kernel_of(&pass.form.numbers(), pass.form.last, |letters| {
            wgsl::text(self.own, letters, &self.slots, pass.form)
        })
    }

    /// Returns the kernel with this text, from the cache if possible. The text must depend only on `form` and the
    /// operands.
    pub(super) fn kernel_of(
        &self,
        form: &[usize],
        last: bool,
        text: impl FnOnce(&[Letter]) -> Text,
    ) -> Result<Kernel, OperationError> {
        let key = kept::key(self.own.text, &self.letters, &self.slots, form);
        Kernel::known(&self.device.context, &key, || {
            let text = text(&self.letters);
            let kernel = text.kernel(&self.device, &self.own.signature.kernel)?;
            if last {
                assigned::check(&text, &self.own.signature.kernel, STATEMENTS, &self.outputs())?;
            }
            Ok(kernel)
        })
    }

    pub(super) fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The outputs that statements of `finish` must assign.
    fn outputs(&self) -> Vec<Output> {
        let written = self.slots.iter().filter(|slot| slot.written);
        written.map(|slot| Output::result(&slot.name, slot.element.lanes)).collect()
    }

    /// Allocates scratch memory for `count` partial results.
    pub(super) fn partials(
        &self,
        kernel: &Kernel,
        count: u64,
        destination: &Destination<'_>,
    ) -> Result<UnifiedBuffer<u8>, OperationError> {
        let bytes = partials_size(kernel, count);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.device
            .scratch::<u8>(bytes, destination)
            .map_err(|error| OperationError::Buffer { operator: self.own.signature.kernel.clone(), error })
    }

    fn launch(
        &self,
        pass: &Pass,
        kernel: &Kernel,
        partials: Option<&mut UnifiedBuffer<u8>>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let form = pass.form;
        let used = |name: &str| kernel.bindings().iter().any(|binding| binding.name == name);
        let mut launch = kernel.launch();
        // The index of each slot's first element in the binding of the slot, and in the binding of its tail.
        let mut firsts: SmallVec<[[u32; 2]; 8]> = smallvec![[0; 2]; self.slots.len()];
        let arrays = || {
            let all = self.slots.iter().zip(&self.operands).enumerate();
            all.filter_map(|(at, (slot, operand))| Some((at, slot, operand.array()?)))
        };
        for (at, slot, array) in arrays().filter(|(_, slot, _)| slot.written && form.last) {
            let (bound, first) = array.placed(None);
            firsts[at][0] = first as u32;
            launch.bind_to(&slot.variable(), bound);
        }
        if form.source == Source::Elements {
            for operand in &self.operands {
                if let (Given::Value { bytes, .. }, true) = (&operand.given, used("arguments")) {
                    launch = launch.set_bytes(&format!("arguments.{}", operand.name), bytes);
                }
            }
            for (at, slot, array) in arrays().filter(|(_, slot, _)| !slot.written) {
                let whole = array.placed(None);
                let (bound, first) = match (slot.access, pass.window) {
                    (Access::Raw, _) => (array.whole(), 0),
                    (_, Some([begin, end])) => {
                        let cell = if form.vectors { 4 } else { 1 };
                        let (bound, first) = array.placed_from(begin, Some(end));
                        // Kernels count cells from the beginning of the array, not of the window, so this difference
                        // wraps around modulo 2^32.
                        (bound, (first / cell).wrapping_sub(begin / cell))
                    }
                    _ if form.vectors => {
                        let length = self.places[at].map_or(0, |place| place.length) / 4 * 4;
                        let (bound, first) = array.placed(Some(length));
                        (bound, first / 4)
                    }
                    _ => array.placed(None),
                };
                firsts[at] = [first as u32, whole.1 as u32];
                if used(&slot.variable()) {
                    launch.bind_to(&slot.variable(), bound);
                }
                if form.tail && slot.is_walked() {
                    launch.bind_to(&format!("tail_of_{}", slot.name), whole.0);
                }
            }
        }
        if used("places") {
            let places = self.places(pass, &firsts);
            launch = launch.set_bytes("places", bytemuck::cast_slice(&places));
        }
        match partials {
            Some(partials) if form.last => launch.bind_to("partials", bound(&*partials)),
            Some(partials) => launch.bind_to("partials", bound(partials)),
            None => {}
        }
        let launched = launch.to(destination).groups(pass.groups);
        launched.map(drop).map_err(|error| self.own.signature.refused(error))
    }

    /// Returns the values of the fields of `places`, in their order.
    fn places(&self, pass: &Pass, firsts: &[[u32; 2]]) -> SmallVec<[u32; 16]> {
        let walk = |of| &self.walks[usize::from(of == Dimensions::Reduced)];
        let value = |field: Field<Count>| match field {
            Field::Count(Count::Elements) => self.reduced as u32,
            Field::Count(Count::Results) => self.results as u32,
            Field::Count(Count::Cells) => pass.cells as u32,
            Field::Count(Count::Splits) => pass.splits as u32,
            Field::Count(Count::Chunk) => pass.chunk as u32,
            Field::Count(Count::Infinity) => f32::INFINITY.to_bits(),
            Field::Count(Count::FirstPart) => pass.first_part as u32,
            Field::Count(Count::FirstOfTail(slot)) => firsts[slot][1],
            Field::First(slot) => firsts[slot][0],
            Field::Size(of, axis) => walk(of).sizes[axis] as u32,
            Field::Step(of, slot, axis) => {
                // With vectors, strides between rows are counted in vectors.
                let cell = if pass.form.vectors && of == Dimensions::Results { 4 } else { 1 };
                (walk(of).strides[slot][axis] / cell) as u32
            }
        };
        form::fields(&self.slots, pass.form).into_iter().map(value).collect()
    }
}

/// The size of `count` partial results, in bytes.
pub(super) fn partials_size(kernel: &Kernel, count: u64) -> u64 {
    let binding = kernel.bindings().iter().find(|binding| binding.name == "partials");
    let stride = binding.map_or(0, |binding| match binding.layout.shape {
        LayoutShape::Array { stride, .. } => stride,
        _ => 0,
    });
    // A binding ends at a multiple of 4 bytes.
    (count * u64::from(stride)).next_multiple_of(4)
}

#[cfg(all(test, feature = "cpu"))]
mod tests;

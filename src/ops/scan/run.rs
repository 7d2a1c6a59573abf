//! The commands of a scan.

use anywarp_backend::ScalarKind;

use super::super::choices::{Question, scalar_name};
use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::binding::Binding;
use super::super::operation::types::ElementType;
use super::super::scanning::monoid::{Monoid, combined};
use super::super::scanning::operands::{self, Bindings};
use super::super::scanning::sizes::{Chain, Sizes, state_words};
use super::OPERATOR;
use super::plan::{Pass, Planned, Shape};
use crate::buffer::cells::{cells, cells_mut};
use crate::buffer::{Slice, UnifiedBuffer};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::submit::Destination;

crate::kernels!(mod marks = "shaders/ops/scan_marks.wgsl", root = "shaders");

/// The arguments that determine at which elements segments begin.
#[derive(Default)]
pub(super) struct Heads<'a> {
    pub(super) flags: Option<Array<'a>>,
    pub(super) offsets: Option<Slice<'a, u32>>,
    pub(super) keys: Option<(Array<'a>, ElementType)>,
}

impl Heads<'_> {
    pub(super) fn are_given(&self) -> bool {
        self.flags.is_some() || self.offsets.is_some() || self.keys.is_some()
    }

    /// Returns the number of bytes of flags, keys and offsets that a scan of `elements` elements reads.
    fn bytes(&self, elements: u64) -> u64 {
        let keys = self.keys.as_ref().map_or(0, |(_, key)| key.size());
        let flags = if self.flags.is_some() { 4 } else { 0 };
        let offsets = self.offsets.map_or(0, |offsets| 4 * offsets.len() as u64);
        elements.saturating_mul(keys + flags).saturating_add(offsets)
    }
}

/// The parameters of a scan, without the arrays of its elements and results.
pub(super) struct Call<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) element: ElementType,
    pub(super) heads: &'a Heads<'a>,
    /// The number of lines, the number of elements of each line, and the distance between these elements.
    pub(super) lines: [usize; 3],
    pub(super) exclusive: bool,
    pub(super) reverse: bool,
    pub(super) in_place: bool,
    /// The size of the largest subgroup, if subgroups have 4 to 128 invocations and the arrays consist of whole,
    /// aligned vectors of four words.
    pub(super) vectors: Option<u32>,
    /// If an array is too large for one binding: the greatest number of elements of a window, and the alignment of a
    /// binding's offset in bytes.
    pub(super) window: Option<[u64; 2]>,
    pub(super) chain: Chain,
}

impl Call<'_> {
    /// The properties on which the choice between kernels depends.
    pub(super) fn question(&self) -> Question {
        let shape = self.shape();
        let scalar = self.element.scalar;
        // Sums of floats depend on their order, and perhaps an operation of the caller.
        let exact = match self.monoid {
            Monoid::Sum | Monoid::Product => scalar.kind != ScalarKind::Float,
            Monoid::Min | Monoid::Max => true,
            Monoid::Own { .. } => false,
        };
        Question::new("scan", &[shape.lines, shape.length, shape.inner])
            .form(scalar_name(scalar))
            .form_if(self.element.lanes > 1, "vectors")
            .form_if(shape.vectors, "aligned")
            .form_if(shape.in_place, "in_place")
            .form_if(self.heads.are_given(), "segments")
            .exact(exact)
    }

    pub(super) fn shape(&self) -> Shape {
        let [lines, length, inner] = self.lines.map(|count| count as u64);
        Shape {
            lines,
            length,
            inner,
            element: self.element.size(),
            value: combined(self.element).size(),
            heads: self.heads.bytes(lines.saturating_mul(length)),
            offsets: self.heads.offsets.map(|offsets| offsets.len() as u64),
            in_place: self.in_place,
            vectors: self.vectors.is_some()
                && lines == 1
                && inner == 1
                && self.element.lanes == 1
                && !self.heads.are_given(),
            window: self.window,
        }
    }
}

/// The arrays of a scan.
pub(super) struct Operands<'a> {
    /// The elements; `None` if the scan is in place.
    pub(super) x: Option<Array<'a>>,
    pub(super) y: Array<'a>,
}

impl<'a> Operands<'a> {
    /// Returns the size of the largest subgroup, if subgroups have 4 to 128 invocations and all arrays consist of
    /// whole, aligned vectors of four words.
    pub(super) fn vectors(&self) -> Option<u32> {
        let (least, greatest) = self.y.bound.core.device.caps().subgroup_size?;
        let are_vectors = self.x.iter().chain([&self.y]).all(|array| array.vectors().is_some());
        (least >= 4 && greatest <= 128 && are_vectors).then_some(greatest)
    }

    /// Returns, if an array is too large for one binding, the greatest number of elements of a window, and the
    /// alignment of a binding's offset in bytes.
    pub(super) fn window(&self) -> Option<[u64; 2]> {
        let binding = Binding::of(&self.y.bound.core.device.caps().limits);
        let fits = |array: &Array<'_>| array.place().fits(binding, array.size);
        let is_long = !self.x.iter().chain([&self.y]).all(fits);
        is_long.then(|| [binding.window(self.y.size), binding.alignment])
    }

    /// Checks the lengths, the devices and the guards of all arrays.
    pub(super) fn check(
        &self,
        call: &Call<'_>,
        shape: &[usize],
        destination: &Destination<'_>,
    ) -> Result<(), OperationError> {
        let mut arrays = Vec::new();
        let offsets = call.heads.offsets.as_ref().map(Array::new::<u32>);
        let keys = call.heads.keys.as_ref().map(|(keys, _)| keys);
        for (name, array) in [("x", self.x.as_ref()), ("heads", call.heads.flags.as_ref()), ("keys", keys)] {
            if let Some(array) = array {
                operands::expect(OPERATOR, name, array, shape)?;
                arrays.push((name, array));
            }
        }
        if let Some(offsets) = &offsets {
            operands::length(OPERATOR, "offsets", offsets)?;
            arrays.push(("offsets", offsets));
        }
        let name = if call.in_place { "x" } else { "y" };
        operands::expect(OPERATOR, name, &self.y, shape)?;
        arrays.push((name, &self.y));
        // Windows of one long line fit where the arrays do not.
        let check = if call.shape().is_one_line() { operands::check_places } else { operands::check };
        check(OPERATOR, &self.y.bound.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &self,
        call: &Call<'_>,
        planned: &Planned,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&self.y.bound.core.device);
        let shape = call.shape();
        let Planned { plan, tiles, chunk } = planned;
        // All kernels are compiled and all memory is allocated before the first launch: if either fails, nothing has
        // run.
        let mut kernels = Vec::new();
        for pass in &plan.passes {
            let (pass, _) = pass.of_window();
            kernels.push(call.description(shape, pass).map(|kernel| kernel.kernel(device)).transpose()?);
        }
        let has = |wanted: fn(&Pass) -> bool| plan.passes.iter().any(wanted);
        let memory = |needed: bool, bytes: u64, destination: &Destination<'_>| {
            needed.then(|| operands::scratch(OPERATOR, device, bytes, destination)).transpose()
        };
        let sums = planned.sums(shape.lines);
        let states = 4 * state_words(*tiles);
        let mut memory = Memory {
            marks: memory(shape.offsets.is_some(), 4 * shape.mark_words(), destination)?,
            states: memory(has(|pass| *pass == Pass::ClearStates), states, destination)?,
            sums: memory(sums > 0, sums * shape.value, destination)?,
            cuts: memory(sums > 0, sums * 4, destination)?,
        };
        for (pass, kernel) in plan.passes.iter().zip(&kernels) {
            let numbers = [*tiles, *chunk];
            self.pass(call, *pass, kernel.as_ref(), numbers, &mut memory, destination.reborrow())?;
        }
        Ok(())
    }

    fn pass(
        &self,
        call: &Call<'_>,
        pass: Pass,
        kernel: Option<&Kernel>,
        [tiles, chunk]: [u64; 2],
        memory: &mut Memory,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Memory { marks, states, sums, cuts } = memory;
        let (pass, first) = pass.of_window();
        let cleared = match pass {
            Pass::ClearMarks => marks.as_mut(),
            Pass::ClearStates => states.as_mut(),
            _ => None,
        };
        if let Some(cleared) = cleared {
            return operands::clear(OPERATOR, cleared, destination);
        }
        if let (Pass::Marks { groups }, Some(marks), Some(offsets)) = (pass, marks.as_mut(), call.heads.offsets) {
            return set_marks(&offsets, marks, call.shape().elements(), groups, destination);
        }
        let Some(kernel) = kernel else { return Ok(()) };
        let shape = call.shape();
        let by_lines = matches!(
            pass,
            Pass::Lines { .. }
                | Pass::SumParts { .. }
                | Pass::ScanPartSums { .. }
                | Pass::ScanParts { .. }
                | Pass::Rows { .. }
                | Pass::SumWalks { .. }
                | Pass::ScanWalkSums { .. }
                | Pass::ScanWalks { .. }
        );
        // All sizes are within 32 bits, as the number of all elements is.
        let mut sizes = Sizes {
            length: if by_lines { shape.length } else { shape.elements() } as u32,
            row: shape.length as u32,
            tiles: tiles as u32,
            chunk: chunk as u32,
            lines: shape.lines as u32,
            inner: shape.inner as u32,
            ..Sizes::new()
        };
        let in_vectors = pass.in_vectors();
        // The range of a window's elements in memory; the tiles of a window are counted in the order of the scan.
        let window = first.map(|first| {
            let tile = pass.tile_length(shape.value);
            let (begin, end) = (first * tile, ((first + pass.groups()[0]) * tile).min(shape.length));
            if call.reverse { shape.length - end..shape.length - begin } else { begin..end }
        });
        if let Some(window) = &window {
            sizes.length = (window.end - window.start) as u32;
            sizes.row = sizes.length;
            sizes.tiles = pass.groups()[0] as u32;
        }
        let part = |array: &Array<'a>| match &window {
            Some(window) => array.part(window.clone()),
            None => array.part(0..array.place().length),
        };
        let mut bindings = Bindings::of(kernel);
        if let Some(x) = &self.x {
            sizes.first_of_x = bindings.elements("x", &part(x), in_vectors);
        }
        sizes.first_of_y = bindings.elements("y", &part(&self.y), in_vectors);
        let keys = call.heads.keys.as_ref().map(|(keys, _)| keys);
        if let Some(heads) = call.heads.flags.as_ref().or(keys) {
            sizes.first_of_heads = bindings.array("heads", heads);
        }
        bindings.read_memory("marks", marks.as_ref());
        bindings.memory("states", states.as_mut());
        let names = if by_lines { ["part_sums", "part_cuts"] } else { ["tile_sums", "tile_cuts"] };
        let from = |size: u64| first.map_or(0, |first| first * size);
        bindings.memory_from(names[0], sums.as_mut(), from(shape.value));
        bindings.memory_from(names[1], cuts.as_mut(), from(4));
        bindings.with(&sizes, destination).groups(pass.groups())?;
        Ok(())
    }
}

/// The scratch memory in which passes store results for later passes.
struct Memory {
    marks: Option<UnifiedBuffer<u8>>,
    states: Option<UnifiedBuffer<u8>>,
    sums: Option<UnifiedBuffer<u8>>,
    cuts: Option<UnifiedBuffer<u8>>,
}

fn set_marks(
    offsets: &Slice<'_, u32>,
    marks: &mut UnifiedBuffer<u8>,
    elements: u64,
    groups: u64,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    let device = Device::of(&offsets.core.device);
    let (cells, first) = cells::<u32, u32>(offsets).map_err(OPERATOR.slice("offsets"))?;
    let sizes = marks::Offsets { count: offsets.len() as u32, first, length: elements as u32 };
    let marks = marks.slice_mut(..);
    let (words, _) = cells_mut::<u8, u32>(&marks).map_err(OPERATOR.slice("offsets"))?;
    marks::scan_marks(&device)?
        .launch(marks::Args { sizes, offsets: cells, marks: words })
        .to(destination)
        .groups([groups, 1])?;
    Ok(())
}

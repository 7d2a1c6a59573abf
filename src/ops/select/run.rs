//! The commands of a selection.

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::types::ElementType;
use super::super::operator::Operator;
use super::super::scanning::kernel::{Description, kernel_file, shared_file};
use super::super::scanning::operands::{self, Bindings};
use super::super::scanning::sizes::{Chain, MAX_LENGTH, Sizes, state_words};
use super::kept::{Kept, Output, text};
use super::plan::{Choice, Pass, Planned, Shape, plan};
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::kernel::{DeviceCount, Kernel, bound};
use crate::submit::Destination;

/// The parameters of a selection, without its arrays.
pub(super) struct Call<'a> {
    pub(super) operator: Operator,
    pub(super) kept: &'a Kept,
    pub(super) output: Output,
    pub(super) element: ElementType,
    pub(super) chain: Chain,
}

/// The arrays of a selection.
pub(super) struct Operands<'a> {
    pub(super) x: Array<'a>,
    pub(super) flags: Option<Array<'a>>,
    pub(super) y: Array<'a>,
    pub(super) z: Option<Array<'a>>,
}

impl Call<'_> {
    pub(super) fn shape(&self, length: u64) -> Result<Shape, OperationError> {
        if length > MAX_LENGTH {
            return Err(self.operator.too_large("x", vec![length as usize], MAX_LENGTH));
        }
        let flags = if *self.kept == Kept::Flags { 4 } else { 0 };
        // The indices of flagged elements are found without a read of the elements. Only a partition writes a known
        // number of bytes.
        let read = flags + if flags > 0 && self.output == Output::Places { 0 } else { self.element.size() };
        let written = if self.output == Output::Partition { self.element.size() } else { 0 };
        Ok(Shape { length, read, written, changes: *self.kept == Kept::Changes })
    }

    fn description(&self, pass: Pass) -> Option<Description<'static>> {
        let scan_tiles = kernel_file!("scan_tiles.wgsl");
        let scan_lines = kernel_file!("scan_lines.wgsl");
        let (tiles, lines) = (kernel_file!("select_tiles.wgsl"), kernel_file!("select_lines.wgsl"));
        let walks = kernel_file!("select_walks.wgsl");
        let (file, entry) = match pass {
            Pass::ClearStates => return None,
            Pass::Chained { .. } => (kernel_file!("select_chained.wgsl"), "select_chained"),
            Pass::Tile => (tiles, "select_tile"),
            Pass::CountTiles { .. } => (scan_tiles, "sum_tiles"),
            Pass::ScanTileCounts => (scan_tiles, "scan_sums"),
            Pass::Tiles { .. } => (tiles, "select_tiles"),
            Pass::Line => (lines, "select_line"),
            Pass::CountParts { .. } => (scan_lines, "sum_parts"),
            Pass::ScanPartCounts => (scan_lines, "scan_sums"),
            Pass::Parts { .. } => (lines, "select_parts"),
            Pass::Row => (walks, "select_row"),
            Pass::CountWalks { .. } => (walks, "count_walks"),
            Pass::ScanWalkCounts => (kernel_file!("scan_walks.wgsl"), "scan_walk_sums"),
            Pass::Walks { .. } => (walks, "select_walks"),
        };
        let kernel = Description::new(file, entry);
        let kept = text(self.kept, self.output, self.element);
        Some(match pass {
            // The kernels of these passes do not access the elements.
            Pass::ScanTileCounts | Pass::ScanPartCounts | Pass::ScanWalkCounts => kernel,
            Pass::Line | Pass::Parts { .. } | Pass::Row | Pass::CountWalks { .. } | Pass::Walks { .. } => {
                kernel.replace("shared::select_kept", kept)
            }
            Pass::CountParts { .. } => {
                kernel.replace("shared::select_kept", kept).replace("shared::scan_input", shared_file!("select_input"))
            }
            _ => {
                let kernel = kernel
                    .replace("shared::select_kept", kept)
                    .replace("shared::scan_source", shared_file!("select_source"));
                if matches!(pass, Pass::Chained { .. }) {
                    kernel.chained(self.chain, shared_file!("scan_other_tile"))
                } else {
                    kernel
                }
            }
        })
    }

    /// Appends the commands of a selection whose operands were checked.
    pub(super) fn run(
        &self,
        operands: &Operands<'_>,
        lengths: [usize; 3],
        choice: Option<Choice>,
        destination: &mut Destination<'_>,
    ) -> Result<DeviceCount, OperationError> {
        let device = &Device::of(&operands.y.bound.core.device);
        let [length, capacity, capacity_of_z] = lengths;
        let shape = self.shape(length as u64)?;
        let choice = choice.map_or_else(|| Choice::of(shape, device), |choice| shape.question().asked(choice));
        let Planned { plan, tiles, chunk } = plan(shape, choice);
        // All kernels are compiled and all memory is allocated before the first launch: if either fails, nothing has
        // run.
        let mut kernels = Vec::new();
        for pass in &plan.passes {
            kernels.push(self.description(*pass).map(|kernel| kernel.kernel(device)).transpose()?);
        }
        let max = length.min(capacity) as u32;
        let count = device.count(max);
        let mut count = count.map_err(|error| OperationError::Buffer { operator: self.operator.name(), error })?;
        let words = match plan.passes.first() {
            Some(Pass::ClearStates) => [state_words(tiles), 0],
            Some(Pass::CountTiles { .. } | Pass::CountParts { .. } | Pass::CountWalks { .. }) => [tiles, tiles],
            _ => [0, 0],
        };
        let mut memory = Vec::new();
        for words in words.into_iter().filter(|words| *words > 0) {
            memory.push(operands::scratch(self.operator, device, 4 * words, destination)?);
        }
        let mut spares = [
            operands::spare(self.operator, device, capacity, destination)?,
            operands::spare(self.operator, device, capacity_of_z, destination)?,
        ];
        let sizes = Sizes {
            length: length as u32,
            tiles: tiles as u32,
            chunk: chunk as u32,
            lines: 1,
            inner: 1,
            capacity: capacity as u32,
            capacity_of_z: capacity_of_z as u32,
            ..Sizes::new()
        };
        for (pass, kernel) in plan.passes.iter().zip(&kernels) {
            match (kernel, memory.first_mut()) {
                (Some(kernel), _) => {
                    let memory = (memory.as_mut_slice(), &mut spares);
                    launch(*pass, kernel, operands, &mut count, memory, sizes, destination.reborrow())?;
                }
                (None, Some(states)) => operands::clear(self.operator, states, destination.reborrow())?,
                (None, None) => {}
            }
        }
        Ok(count)
    }
}

fn launch(
    pass: Pass,
    kernel: &Kernel,
    operands: &Operands<'_>,
    count: &mut DeviceCount,
    (memory, [spare_y, spare_z]): (&mut [UnifiedBuffer<u8>], &mut [Option<UnifiedBuffer<u8>>; 2]),
    mut sizes: Sizes,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    let mut bindings = Bindings::of(kernel);
    sizes.first_of_x = bindings.array("x", &operands.x);
    if let Some(flags) = &operands.flags {
        sizes.first_of_heads = bindings.array("heads", flags);
    }
    sizes.first_of_y = bindings.array_or("y", &operands.y, spare_y.as_mut());
    if let Some(z) = &operands.z {
        sizes.first_of_z = bindings.array_or("z", z, spare_z.as_mut());
    }
    bindings.bound("count", || bound(count));
    let mut memory = memory.iter_mut();
    let first = memory.next();
    let groups = match pass {
        Pass::ClearStates => 0,
        Pass::Tile | Pass::Line | Pass::Row => 1,
        Pass::ScanTileCounts | Pass::ScanPartCounts | Pass::ScanWalkCounts => 1,
        Pass::Chained { groups }
        | Pass::CountTiles { groups }
        | Pass::Tiles { groups }
        | Pass::CountParts { groups }
        | Pass::Parts { groups } => groups,
        Pass::CountWalks { parts } | Pass::Walks { parts } => parts,
    };
    match pass {
        Pass::Chained { .. } => bindings.memory("states", first),
        // The last pass only reads the counts.
        Pass::Tiles { .. } => bindings.read_memory("tile_sums", first.as_deref()),
        Pass::Parts { .. } => bindings.read_memory("part_sums", first.as_deref()),
        Pass::CountTiles { .. } | Pass::ScanTileCounts => {
            bindings.memory("tile_sums", first);
            bindings.memory("tile_cuts", memory.next());
        }
        Pass::CountWalks { .. } | Pass::Walks { .. } => {
            bindings.memory("part_sums", first);
            bindings.memory("part_counts", memory.next());
        }
        Pass::CountParts { .. } | Pass::ScanPartCounts | Pass::ScanWalkCounts => {
            bindings.memory("part_sums", first);
            bindings.memory("part_cuts", memory.next());
        }
        _ => {}
    }
    bindings.with(&sizes, destination).groups([groups, 1])?;
    Ok(())
}

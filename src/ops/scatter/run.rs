//! The commands of a scatter.

use half::{bf16, f16};

use super::super::convert::Cast;
use super::super::error::OperationError;
use super::super::moving::indices::{Along, Outside};
use super::super::moving::launch::modules;
use super::super::moving::operands::{self, Cells};
use super::super::plan::Plan;
use super::super::scanning::element::ScanElement;
use super::super::sort::Sort;
use super::OPERATOR;
use super::elements::sealed::Number;
use super::elements::{Kind, Operation};
use super::plan::Pass;
use crate::buffer::cells::{elements_of, elements_of_mut, whole_cells, whole_cells_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer, transfer};
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal};

modules!("shaders/ops/scatter.wgsl": words, wide, vectors, packed);
crate::kernels!(mod combined = "shaders/ops/scatter_combined.wgsl", root = "shaders");
crate::kernels!(mod doubles = "shaders/ops/scatter_doubles.wgsl", root = "shaders");

/// The arrays of a call, as bytes.
pub(super) struct Operands<'x, 'i, 'y> {
    pub(super) x: Slice<'x, u8>,
    pub(super) indices: Slice<'i, u8>,
    pub(super) y: SliceMut<'y, u8>,
}

/// The parameters of a call, without its arrays.
pub(super) struct Call {
    pub(super) along: Along,
    /// The size of an index in bytes, and whether it is signed.
    pub(super) index: (u64, bool),
    pub(super) outside: Outside,
    /// Whether the caller states that all positions differ.
    pub(super) unique: bool,
    /// The size of an element in bytes.
    pub(super) element: u64,
    /// The operation and the type of the elements; `None` if elements of y are replaced.
    pub(super) operation: Option<(Operation, Kind)>,
}

/// The scratch memory in which passes store results for later passes.
struct Memory {
    /// The claims of positions, or the positions of the elements.
    places: UnifiedBuffer<u32>,
    /// The bytes of the elements in the order of their positions.
    sorted: UnifiedBuffer<u8>,
    /// The bytes of the combined elements of each position.
    sums: UnifiedBuffer<u8>,
}

impl Operands<'_, '_, '_> {
    /// Checks the devices and the guards of all arrays.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("indices", self.indices), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        call: &Call,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.y.core.device);
        let is_double = |(operation, kind): &(Operation, Kind)| operation.is_double(*kind);
        if let Some((operation, _)) = call.operation.filter(is_double).filter(|_| !plan.passes.is_empty()) {
            // If the device lacks `f64`, this kernel is refused before any pass runs.
            doubles::add_doubles_with(&device, doubles_of(operation))?;
        }
        // With a sort, the memory is for positions, elements and sums; otherwise only for claims.
        let words = |bytes: u64| usize::try_from(bytes / 4).unwrap_or(usize::MAX).max(1);
        let elements = match plan.passes.contains(&Pass::Sort) {
            true => usize::try_from(call.along.selected() * call.element.max(4)).unwrap_or(usize::MAX),
            false => 4,
        };
        let places = match plan.passes.contains(&Pass::Sort) {
            true => words(4 * call.along.selected()),
            false => words(plan.scratch),
        };
        let mut memory = Memory {
            places: device.scratch(places, destination).map_err(operands::memory(OPERATOR))?,
            sorted: device.scratch(elements, destination).map_err(operands::memory(OPERATOR))?,
            sums: device.scratch(elements, destination).map_err(operands::memory(OPERATOR))?,
        };
        plan.passes.iter().try_for_each(|pass| self.pass(call, *pass, &mut memory, destination))
    }

    fn pass(
        &self,
        call: &Call,
        pass: Pass,
        Memory { places, sorted, sums }: &mut Memory,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        match pass {
            Pass::Clear { .. } => self.done(transfer::fill(destination.reborrow(), &places.slice_mut(..), 0)),
            Pass::Claim { cell } => self.by_cells(call, cell, true, places, destination.reborrow()),
            Pass::Set { cell } => self.by_cells(call, cell, false, places, destination.reborrow()),
            Pass::Combine | Pass::Find => self.combine(call, pass, (places, sums), destination.reborrow()),
            Pass::Sort => match call.kind().bits {
                64 => self.sort::<u64>(call, places, sorted, destination),
                _ => self.sort::<f32>(call, places, sorted, destination),
            },
            Pass::Scan => match call.operation {
                Some((operation, kind)) if operation.is_double(kind) => {
                    scan::<f64>(call, places, sorted, sums, destination)
                }
                _ if call.kind().bits == 64 => scan::<[u32; 2]>(call, places, sorted, sums, destination),
                _ => scan::<f32>(call, places, sorted, sums, destination),
            },
            Pass::AddSums => match call.operation {
                Some((operation, kind)) if operation.is_double(kind) => {
                    self.add_doubles(call, operation, places, sums, destination.reborrow())
                }
                _ => self.combine(call, pass, (places, sums), destination.reborrow()),
            },
        }
    }

    /// Sorts the elements by their positions, as numbers `V` of 32 or 64 bits.
    fn sort<V: Element>(
        &self,
        call: &Call,
        places: &mut UnifiedBuffer<u32>,
        sorted: &mut UnifiedBuffer<u8>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let bytes = sorted.slice_mut(..);
        if call.element < 4 {
            let target = elements_of_mut::<f32>(&bytes).map_err(operands::memory(OPERATOR))?;
            let cast = match destination.reborrow() {
                Destination::Own => Cast::new(),
                Destination::Stream(stream) => Cast::new().on(&stream),
                Destination::Recording(recording) => Cast::new().record(recording),
            };
            let x = &self.x;
            match call.kind().bf16 {
                true => cast.run(elements_of::<bf16>(x).map_err(OPERATOR.slice("x"))?, target),
                false => cast.run(elements_of::<f16>(x).map_err(OPERATOR.slice("x"))?, target),
            }
            .map_err(of_step)?;
        } else {
            self.done(transfer::copy(destination.reborrow(), &self.x, &bytes))?;
        }
        match destination.reborrow() {
            Destination::Own => Sort::new(),
            Destination::Stream(stream) => Sort::new().on(&stream),
            Destination::Recording(recording) => Sort::new().record(recording),
        }
        .pairs_in_place(places, elements_of_mut::<V>(&bytes).map_err(operands::memory(OPERATOR))?)
        .map_err(of_step)
    }

    /// Combines sums of `f64` with the elements of y.
    fn add_doubles(
        &self,
        call: &Call,
        operation: Operation,
        places: &UnifiedBuffer<u32>,
        sums: &UnifiedBuffer<u8>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = Device::of(&self.y.core.device);
        let (y, first_of_y) = whole_cells_mut::<f64>(&self.y).map_err(OPERATOR.slice("y"))?;
        let count = call.along.selected();
        let sizes = doubles::Sizes { count: count as u32, first_of_y };
        let sums = elements_of::<f64>(&sums.slice(..)).map_err(operands::memory(OPERATOR))?;
        let kernel = doubles::add_doubles_with(&device, doubles_of(operation))?;
        kernel.launch(doubles::Args { sizes, places, sums, y }).to(destination).threads(count)?;
        Ok(())
    }

    /// Converts the outcome of a copy or a fill.
    fn done<S>(&self, outcome: Result<S, BufferError>) -> Result<(), OperationError> {
        match outcome {
            Err(BufferError::Device { error, .. }) => {
                Err(OPERATOR.refused(&self.y.core.device, &["x"], Refusal::Device(error)))
            }
            Err(BufferError::InUse { guard }) => Err(OPERATOR.in_use("x", guard)),
            outcome => outcome.map(drop).map_err(OPERATOR.slice("x")),
        }
    }

    /// Launches the pass that claims positions or the pass that sets elements, in cells of `cell` bytes.
    fn by_cells(
        &self,
        call: &Call,
        cell: u64,
        claims_places: bool,
        claims: &mut UnifiedBuffer<u32>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { along, index: (index, signed), unique, element, .. } = *call;
        let (device, x, y) = (Device::of(&self.y.core.device), &self.x, &self.y);
        let (indices, first) = whole_cells::<u32>(&self.indices).map_err(OPERATOR.slice("indices"))?;
        let shared_indices = along.shared;
        let numbers = if shared_indices { along.lines } else { along.selected() };
        let [count, inner] = [along.selected(), along.inner].map(|elements| elements * element / cell);
        macro_rules! launch {
            ($module:ident, $cells:expr $(, $bits:ident: $value:expr)?) => {{
                let Cells { x, first_of_x, y, first_of_y } = $cells;
                // The limit of the operator keeps all of these numbers within 31 bits.
                let sizes = $module::Sizes {
                    count: count as u32,
                    numbers: numbers as u32,
                    first_of_x,
                    first_of_y,
                    inner: inner as u32,
                    each_index: (element / cell).max(1) as u32,
                    lines: along.lines as u32,
                    indices: $module::Indices {
                        size: along.size as u32,
                        first,
                        words: (index / 4) as u32,
                        signs: u32::from(signed),
                        mode: call.outside as u32,
                    },
                    ..bytemuck::Zeroable::zeroed()
                };
                let overrides = $module::Overrides { shared_indices, unique $(, $bits: $value)? };
                if claims_places {
                    let launch = $module::claim_with(&device, overrides)?;
                    launch.launch($module::ClaimArgs { sizes, indices, claims }).to(destination).threads(numbers)?;
                } else {
                    let launch = $module::scatter_with(&device, overrides)?;
                    let args = $module::ScatterArgs { sizes, indices, claims: &*claims, x, y };
                    launch.launch(args).to(destination).threads(count)?;
                }
            }};
        }
        match cell {
            16 => launch!(vectors, Cells::<[u32; 4]>::whole(OPERATOR, x, y)?),
            8 => launch!(wide, Cells::<[u32; 2]>::whole(OPERATOR, x, y)?),
            4 => launch!(words, Cells::<u32>::whole(OPERATOR, x, y)?),
            size => launch!(packed, Cells::packed(OPERATOR, x, y, size)?, bits: 8 * size as u32),
        }
        Ok(())
    }

    /// Launches the pass that combines elements with elements of y, finds the positions of elements, or adds sums.
    fn combine(
        &self,
        call: &Call,
        pass: Pass,
        (places, sums): (&mut UnifiedBuffer<u32>, &UnifiedBuffer<u8>),
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Call { along, index: (index, signed), .. } = *call;
        let device = Device::of(&self.y.core.device);
        let (indices, first) = whole_cells::<u32>(&self.indices).map_err(OPERATOR.slice("indices"))?;
        let Cells { x, first_of_x, y, first_of_y } = match call.element {
            size @ 1..4 => Cells::packed(OPERATOR, &self.x, &self.y, size)?,
            _ => Cells::<u32>::whole(OPERATOR, &self.x, &self.y)?,
        };
        let count = along.selected();
        // The limit of the operator keeps all of these numbers within 31 bits.
        let sizes = combined::Sizes {
            count: count as u32,
            first_of_x,
            first_of_y,
            inner: along.inner as u32,
            lines: along.lines as u32,
            indices: combined::Indices {
                size: along.size as u32,
                first,
                words: (index / 4) as u32,
                signs: u32::from(signed),
                mode: call.outside as u32,
            },
            ..bytemuck::Zeroable::zeroed()
        };
        let (kind, operation) = (call.kind(), call.operation.map_or(Operation::Add, |(operation, _)| operation));
        let overrides = combined::Overrides {
            shared_indices: along.shared,
            atomic_kind: operation.atomic(kind),
            kind: kind.number,
            bits: kind.bits,
            bf16: kind.bf16,
            operation: operation.number(),
        };
        match pass {
            Pass::Find => {
                let args = combined::FindArgs { sizes, indices, places };
                combined::find_with(&device, overrides)?.launch(args).to(destination).threads(count)?;
            }
            Pass::AddSums => {
                let sums = elements_of::<u32>(&sums.slice(..)).map_err(operands::memory(OPERATOR))?;
                let args = combined::AddSumsArgs { sizes, y, sorted: &*places, sums };
                combined::add_sums_with(&device, overrides)?.launch(args).to(destination).threads(count)?;
            }
            _ => {
                let args = combined::ScatterArgs { sizes, indices, x, y };
                combined::scatter_with(&device, overrides)?.launch(args).to(destination).threads(count)?;
            }
        }
        Ok(())
    }
}

impl Call {
    /// Returns the type of the elements that are combined.
    fn kind(&self) -> Kind {
        self.operation.map_or(<u32 as Number>::KIND, |(_, kind)| kind)
    }
}

fn doubles_of(operation: Operation) -> doubles::Overrides {
    doubles::Overrides { multiplies: operation == Operation::Multiply }
}

/// Combines the elements of each position, as numbers `T`, by a scan whose segments are equal positions.
fn scan<T: ScanElement>(
    call: &Call,
    places: &UnifiedBuffer<u32>,
    sorted: &UnifiedBuffer<u8>,
    sums: &mut UnifiedBuffer<u8>,
    destination: &mut Destination<'_>,
) -> Result<(), OperationError> {
    let operation = call.operation.map_or(Operation::Add, |(operation, _)| operation);
    let x = elements_of::<T>(&sorted.slice(..)).map_err(operands::memory(OPERATOR))?;
    let bytes = sums.slice_mut(..);
    let y = elements_of_mut::<T>(&bytes).map_err(operands::memory(OPERATOR))?;
    operation.scan(call.kind()).keys(places.slice(..)).to(destination.reborrow()).run(x, y).map_err(of_step)
}

/// Converts the error of a step that is another operator, so that a failed allocation names the scatter.
fn of_step(error: OperationError) -> OperationError {
    match error {
        OperationError::Buffer { error, .. } => operands::memory(OPERATOR)(error),
        error => error,
    }
}

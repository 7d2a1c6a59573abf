//! The commands of a selection.

use super::super::error::OperationError;
use super::super::ordering::arrays::{self, Checked, scratch, words, words_mut};
use super::super::ordering::gather::{Gather, Places};
use super::super::ordering::keys::KeyOrder;
use super::super::ordering::rows::{OrderRows, Rows};
use super::super::plan::Plan;
use super::super::sort::Sort;
use super::OPERATOR;
use super::plan::{Blocks, Pass, RADIX, Shape, blocks};
use crate::buffer::cells::{in_words_mut, reborrow};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/top_k.wgsl", root = "shaders");

/// The arrays of a call.
pub(super) struct Operands<'x, 'v, 'i, K> {
    pub(super) x: Slice<'x, K>,
    pub(super) values: SliceMut<'v, K>,
    pub(super) indices: SliceMut<'i, u32>,
}

impl<K: Element> Operands<'_, '_, '_, K> {
    /// Checks slices, lengths, devices, shared buffers and guards.
    pub(super) fn check(&self, selected: usize, destination: &Destination<'_>) -> Result<(), OperationError> {
        let checked = [
            Checked::read(OPERATOR, "x", &self.x)?,
            Checked::written(OPERATOR, "values", &self.values)?,
            Checked::written(OPERATOR, "indices", &self.indices)?,
        ];
        checked[1..].iter().try_for_each(|array| array.expect(OPERATOR, selected))?;
        arrays::check(OPERATOR, &self.x.core.device, &checked, destination)
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &self,
        order: KeyOrder,
        shape: Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        if plan.passes.is_empty() {
            return Ok(());
        }
        let device = &Device::of(&self.x.core.device);
        // All kernels are compiled and all memory is allocated before the first launch: if either fails, nothing has
        // run.
        let kernels = Kernels::of(device, order, &plan.passes)?;
        let mut memory = Memory::of(device, shape, &plan.passes, destination)?;
        // Spare memory is bound in place of arrays without elements.
        let mut spare = scratch(OPERATOR, device, 2, destination)?;
        let spare = spare.slice_mut(..);
        for pass in &plan.passes {
            let call = Call { operands: self, kernels: &kernels, order, shape };
            call.launch(*pass, &spare, &mut memory, destination)?;
        }
        Ok(())
    }
}

/// The kernels of all passes of a plan.
struct Kernels {
    rows: Option<OrderRows>,
    gather: Gather,
    select: Option<Select>,
    sort: Option<(kernel::RankAll, kernel::Take)>,
}

struct Select {
    count_digit: kernel::CountDigit,
    narrow: kernel::Narrow,
    count_kept: kernel::CountKept,
    place_kept: kernel::PlaceKept,
    collect: kernel::Collect,
}

impl Kernels {
    fn of(device: &Device, order: KeyOrder, passes: &[Pass]) -> Result<Self, OperationError> {
        let overrides =
            kernel::Overrides { key_bits: order.word_bits(), floats: order.is_float(), wide: order.is_wide() };
        let select = || {
            Ok::<_, OperationError>(Select {
                count_digit: kernel::count_digit_with(device, overrides)?,
                narrow: kernel::narrow_with(device, overrides)?,
                count_kept: kernel::count_kept_with(device, overrides)?,
                place_kept: kernel::place_kept_with(device, overrides)?,
                collect: kernel::collect_with(device, overrides)?,
            })
        };
        let sort = || {
            Ok::<_, OperationError>((kernel::rank_all_with(device, overrides)?, kernel::take_with(device, overrides)?))
        };
        let collected = passes.contains(&Pass::OrderCollected);
        let orders = collected || passes.contains(&Pass::OrderRows);
        Ok(Self {
            rows: orders.then(|| OrderRows::of(device, order, collected)).transpose()?,
            gather: Gather::of(device, order.bytes())?,
            select: collected.then(select).transpose()?,
            sort: passes.contains(&Pass::Sort).then(sort).transpose()?,
        })
    }
}

/// The scratch memory of a selection.
struct Memory {
    counts: UnifiedBuffer<u32>,
    states: UnifiedBuffer<[u32; 4]>,
    kept: UnifiedBuffer<[u32; 4]>,
    /// The positions of the selected keys, in the order of the rows.
    collected: UnifiedBuffer<u32>,
    /// All keys as integers of one word.
    ranks: UnifiedBuffer<u32>,
    /// All keys as integers of two words.
    wide_ranks: UnifiedBuffer<u64>,
    /// The positions of all keys of each row, in sorted order.
    sorted: UnifiedBuffer<u32>,
}

impl Memory {
    fn of(
        device: &Device,
        shape: Shape,
        passes: &[Pass],
        destination: &Destination<'_>,
    ) -> Result<Self, OperationError> {
        let (selects, sorts) = (passes.contains(&Pass::OrderCollected), passes.contains(&Pass::Sort));
        let of = |wanted: bool, words: u64| scratch(OPERATOR, device, if wanted { words } else { 0 }, destination);
        let rows_of_four = |wanted: bool, rows: u64| {
            let rows = usize::try_from(if wanted { rows } else { 1 }).unwrap_or(usize::MAX);
            let memory = device.scratch::<[u32; 4]>(rows, destination);
            memory.map_err(|error| OperationError::Buffer { operator: OPERATOR.name(), error })
        };
        let wide = |keys: u64| {
            let memory = device.scratch::<u64>(usize::try_from(keys).unwrap_or(usize::MAX), destination);
            memory.map_err(|error| OperationError::Buffer { operator: OPERATOR.name(), error })
        };
        let keys = shape.rows * shape.length;
        Ok(Self {
            counts: of(selects, shape.rows * RADIX)?,
            states: rows_of_four(selects, shape.rows)?,
            kept: rows_of_four(selects, shape.rows * blocks(shape).count)?,
            collected: of(selects, shape.rows * shape.k)?,
            ranks: of(sorts && shape.key_bits < 64, keys)?,
            wide_ranks: wide(if sorts && shape.key_bits == 64 { keys } else { 1 })?,
            sorted: of(sorts, keys)?,
        })
    }
}

/// A call whose operands were checked.
struct Call<'c, 'x, 'v, 'i, K> {
    operands: &'c Operands<'x, 'v, 'i, K>,
    kernels: &'c Kernels,
    order: KeyOrder,
    shape: Shape,
}

impl<K: Element> Call<'_, '_, '_, '_, K> {
    fn launch(
        &self,
        pass: Pass,
        spare: &SliceMut<'_, u32>,
        memory: &mut Memory,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        // The lengths are within 32 bits, as they were checked.
        let [rows, length, k] = [self.shape.rows, self.shape.length, self.shape.k].map(|count| count as u32);
        let x = words(OPERATOR, "x", &self.operands.x, spare)?;
        let (places, first) = words_mut(OPERATOR, "indices", &self.operands.indices, spare)?;
        let to = destination.reborrow();
        match pass {
            Pass::OrderRows | Pass::OrderCollected => {
                let Some(kernel) = &self.kernels.rows else { return Ok(()) };
                let rows = match pass {
                    Pass::OrderRows => Rows::Equal { rows, row: length, kept: k },
                    _ => Rows::Listed { rows, row: k, stride: length, list: memory.collected.slice(..) },
                };
                kernel.launch(x, rows, (&places, first), to)
            }
            Pass::ClearCounts => arrays::fill(OPERATOR, "x", &memory.counts.slice_mut(..), 0, to),
            Pass::Sort => self.sort(memory, destination),
            Pass::RankAll | Pass::Take => self.around_sort(pass, x, (&places, first), memory, to),
            Pass::Gather => {
                let (values, first_of_values) = words_mut(OPERATOR, "values", &self.operands.values, spare)?;
                let length = self.operands.indices.len();
                let places =
                    Places { places: places.as_slice(), first, length, rows: Some((k, self.shape.length as u32)) };
                self.kernels.gather.launch(x, places, (&values, first_of_values), to)
            }
            pass => self.select(pass, x, memory, to),
        }
    }

    fn sizes(&self, (word, shift, above): (u32, u32, [u32; 2])) -> kernel::Sizes {
        let Blocks { span, count } = blocks(self.shape);
        // The lengths are within 32 bits, as they were checked.
        let [rows, length, selected] = [self.shape.rows, self.shape.length, self.shape.k].map(|count| count as u32);
        kernel::Sizes {
            rows,
            length,
            selected,
            first_of_keys: 0,
            first_of_places: 0,
            blocks: count as u32,
            span: span as u32,
            word,
            shift,
            above: above[0],
            above_low: above[1],
        }
    }

    fn select(
        &self,
        pass: Pass,
        (keys, first_of_keys): (Slice<'_, u32>, u32),
        memory: &mut Memory,
        to: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some(kernels) = &self.kernels.select else { return Ok(()) };
        let rows = self.shape.rows;
        let blocks = [rows * blocks(self.shape).count, 1];
        let order = self.order.uniform();
        let digit = match pass {
            Pass::CountDigit { digit } | Pass::Narrow { digit } => (digit.word, digit.shift, digit.above),
            Pass::CountKept { known } | Pass::Collect { known } => (0, 0, known),
            _ => (0, 0, [0; 2]),
        };
        let sizes = kernel::Sizes { first_of_keys, ..self.sizes(digit) };
        let Memory { counts, states, kept, collected, .. } = memory;
        match pass {
            Pass::CountDigit { .. } => {
                let args = kernel::CountDigitArgs { order, sizes, keys, counts, known_states: &*states };
                kernels.count_digit.launch(args).to(to).groups(blocks)?;
            }
            Pass::Narrow { .. } => {
                kernels.narrow.launch(kernel::NarrowArgs { sizes, counts, states }).to(to).groups([rows, 1])?;
            }
            Pass::CountKept { .. } => {
                let args = kernel::CountKeptArgs { order, sizes, keys, known_states: &*states, kept };
                kernels.count_kept.launch(args).to(to).groups(blocks)?;
            }
            Pass::PlaceKept => {
                kernels.place_kept.launch(kernel::PlaceKeptArgs { sizes, kept }).to(to).groups([rows, 1])?;
            }
            Pass::Collect { .. } => {
                let (known_states, known_kept) = (&*states, &*kept);
                let args = kernel::CollectArgs { order, sizes, keys, known_states, known_kept, places: collected };
                kernels.collect.launch(args).to(to).groups(blocks)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Launches `RankAll`, the pass before the sort of all keys, or `Take`, the pass after it.
    fn around_sort(
        &self,
        pass: Pass,
        (keys, first_of_keys): (Slice<'_, u32>, u32),
        (places, first_of_places): (&SliceMut<'_, u32>, u32),
        memory: &mut Memory,
        to: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Some((rank_all, take)) = &self.kernels.sort else { return Ok(()) };
        let Shape { rows, length, k, .. } = self.shape;
        let sizes = kernel::Sizes { first_of_keys, first_of_places, ..self.sizes((0, 0, [0; 2])) };
        let Memory { ranks, wide_ranks, sorted, .. } = memory;
        if pass == Pass::RankAll {
            let (ranks, wide_ranks) = (ranks.slice_mut(..), wide_ranks.slice_mut(..));
            let (wide_ranks, _) = in_words_mut(&wide_ranks).map_err(OPERATOR.slice("x"))?;
            let ranks = if self.order.is_wide() { wide_ranks } else { ranks };
            let args = kernel::RankAllArgs { order: self.order.uniform(), sizes, keys, ranks };
            rank_all.launch(args).to(to).threads(rows * length)?;
        } else {
            let args = kernel::TakeArgs { sizes, places: reborrow(places), sorted: &*sorted };
            take.launch(args).to(to).threads(rows * k)?;
        }
        Ok(())
    }

    /// Sorts the keys of each row as integers of one word or of two.
    fn sort(&self, memory: &mut Memory, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        let Shape { rows, length, .. } = self.shape;
        let bounds: Vec<u32> = (1..rows).map(|row| (row * length) as u32).collect();
        let mut sort = Sort::new().to(destination.reborrow());
        if rows > 1 {
            sort = sort.segments(&bounds);
        }
        let Memory { ranks, wide_ranks, sorted, .. } = memory;
        if self.order.is_wide() { sort.argsort(&*wide_ranks, sorted) } else { sort.argsort(&*ranks, sorted) }
    }
}

//! The race detector: records which invocations accessed which element since the last barrier, and finds results that
//! depend on the order.

use rustc_hash::FxHashMap;

use super::Stop;
use crate::random_kernels::ast::Atomic;

/// The kind of an access to memory that other invocations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// An atomic operation whose result is not used.
    Accumulate(Atomic),
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    epoch: u64,
    reader: Option<usize>,
    many_readers: bool,
    writer: Option<usize>,
    accumulated: Option<Atomic>,
    accumulator: Option<usize>,
    many_accumulators: bool,
}

/// The accesses to shared memory since the last barrier, by variable and element.
#[derive(Default)]
pub(crate) struct Races {
    cells: FxHashMap<(usize, usize), Cell>,
}

impl Races {
    /// Records an access. A barrier begins a new `epoch`.
    pub(crate) fn touch(&mut self, cell: (usize, usize), epoch: u64, by: usize, touch: Touch) -> Result<(), Stop> {
        let cell = self.cells.entry(cell).or_default();
        if cell.epoch != epoch {
            *cell = Cell { epoch, ..Cell::default() };
        }
        let other = |who: Option<usize>| who.is_some_and(|who| who != by);
        let touch = match touch {
            // Different atomic operations may not commute, so an operation other than the first one counts as a write
            // by one invocation.
            Touch::Accumulate(op) if cell.accumulated.is_some_and(|done| done != op) => Touch::Write,
            touch => touch,
        };
        let accumulated = cell.many_accumulators || other(cell.accumulator);
        let read = cell.many_readers || other(cell.reader);
        let race = other(cell.writer)
            || match touch {
                Touch::Read => accumulated,
                Touch::Write => accumulated || read,
                Touch::Accumulate(_) => read,
            };
        if race {
            return Err(Stop("two invocations race"));
        }
        match touch {
            Touch::Read if cell.reader.is_none() => cell.reader = Some(by),
            Touch::Read => cell.many_readers |= other(cell.reader),
            Touch::Write => cell.writer = Some(by),
            Touch::Accumulate(op) => {
                cell.accumulated = Some(op);
                cell.many_accumulators |= other(cell.accumulator);
                cell.accumulator = Some(by);
            }
        }
        Ok(())
    }
}

//! Which invocation touched what since the last barrier: whether the outcome depends on an order.

use rustc_hash::FxHashMap;

use super::Stop;
use crate::differential::ast::Atomic;

/// What an invocation does to memory that others see too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// An atomic operation whose result nobody looks at.
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

/// The memory that invocations share, by global and element.
#[derive(Default)]
pub(crate) struct Races {
    cells: FxHashMap<(usize, usize), Cell>,
}

impl Races {
    /// Notes an access. An `epoch` ends where all invocations have met.
    pub(crate) fn touch(&mut self, cell: (usize, usize), epoch: u64, by: usize, touch: Touch) -> Result<(), Stop> {
        let cell = self.cells.entry(cell).or_default();
        if cell.epoch != epoch {
            *cell = Cell { epoch, ..Cell::default() };
        }
        let other = |who: Option<usize>| who.is_some_and(|who| who != by);
        let touch = match touch {
            // Two kinds of operations do not commute: like a write, they belong to one invocation.
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

//! Unrolls small counted loops.

use rustc_hash::FxHashMap;

use super::count::{Counted, count};
use super::rewrite::{End, Rewriter};
use super::{MAX_LOOP_STEPS, MAX_NESTED_LOOPS, MAX_TRIPS};
use crate::ir::{Function, Inst, List, SiteId, Stmt, Var};

impl Rewriter<'_> {
    /// Rewrites a loop. Its body is rewritten first, so that inner loops are unrolled before the size of the body is
    /// computed.
    pub(super) fn repeat(&mut self, body: &[Stmt], site: SiteId, turns: Option<u32>, out: &mut List) -> End {
        self.loops += 1;
        let end = if self.loops > MAX_NESTED_LOOPS {
            // Each loop searches its inner loops for writes, which would take quadratic time for many nested loops.
            self.knowledge.forget_all();
            self.rolled(body, site, turns, out)
        } else {
            self.unrolled_or_rolled(body, site, turns, out)
        };
        self.loops -= 1;
        end
    }

    fn unrolled_or_rolled(&mut self, body: &[Stmt], site: SiteId, turns: Option<u32>, out: &mut List) -> End {
        let mut writes = FxHashMap::default();
        let barrier = find_writes(body, &mut writes);
        let starts: Vec<(Var, Option<u64>)> =
            writes.keys().map(|var| (*var, self.knowledge.get(*var).and_then(|value| self.known(value)))).collect();
        if barrier {
            self.pass_barrier();
        }
        let before = self.knowledge.mark();
        writes.keys().for_each(|var| self.knowledge.forget(*var));
        let (mut made, end) = self.nested(body);
        if end == End::Closed {
            // The body never reaches its end, so the loop has only one iteration.
            out.append(&mut made);
            return End::Closed;
        }
        let counted = self.counted(&made, &starts);
        let Some((counted, cost)) = counted.filter(|(_, cost)| !barrier && self.worthwhile(*cost)) else {
            let turns = counted.and_then(|(counted, _)| u32::try_from(counted.trips + 1).ok()).or(turns);
            out.push(Stmt::Loop { body: made, site, turns });
            return End::Closed;
        };
        self.growth -= cost;

        self.knowledge.restore(before);
        self.discard(&made);
        let was_copying = std::mem::replace(&mut self.copying, true);
        let mut end = End::Open;
        for _ in 0..=counted.trips {
            end = self.list(&made, out);
            if end == End::Closed {
                break;
            }
        }
        if end == End::Open {
            // The loop did not end after the counted iterations, so the copies are its first iterations only.
            writes.keys().for_each(|var| self.knowledge.forget(*var));
            self.rolled(&made, site, turns, out);
        }
        self.copying = was_copying;
        End::Closed
    }

    fn rolled(&mut self, body: &[Stmt], site: SiteId, turns: Option<u32>, out: &mut List) -> End {
        match self.nested(body) {
            (made, End::Open) => out.push(Stmt::Loop { body: made, site, turns }),
            (mut made, End::Closed) => out.append(&mut made),
        }
        End::Closed
    }

    /// The iterations of a loop, and the number of steps that they have after unrolling; `None` if the number of
    /// iterations is unknown or too large.
    fn counted(&self, body: &[Stmt], starts: &[(Var, Option<u64>)]) -> Option<(Counted, usize)> {
        let size = size(self.function, body, 4 * MAX_LOOP_STEPS)?;
        let mut writes = FxHashMap::default();
        find_writes(body, &mut writes);
        let starts = starts.iter().filter_map(|(var, bits)| Some((*var, (*bits)?))).collect();
        let counted = count(self.function, body, starts, &writes, MAX_TRIPS)?;
        let cost = size.saturating_sub(counted.folded).max(1) * counted.trips.max(1);
        Some((counted, cost))
    }

    /// Whether to unroll a loop that has this number of steps after unrolling.
    fn worthwhile(&self, steps: usize) -> bool {
        steps <= MAX_LOOP_STEPS && steps <= self.growth
    }
}

/// Counts the writes of each variable in a list; returns whether there is a barrier.
fn find_writes(list: &[Stmt], writes: &mut FxHashMap<Var, u32>) -> bool {
    let mut barrier = false;
    for statement in list {
        match statement {
            Stmt::Declare(var, _) | Stmt::Write(var, _) => *writes.entry(*var).or_default() += 1,
            Stmt::If { accept, reject, .. } => {
                barrier |= find_writes(accept, writes);
                barrier |= find_writes(reject, writes);
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => barrier |= find_writes(body, writes),
            Stmt::Barrier(_) => barrier = true,
            _ => {}
        }
    }
    barrier
}

/// The number of steps of a list, a measure of its code: one for most instructions, more for memory accesses and
/// atomics. `None` if it is above `most`.
fn size(function: &Function, list: &[Stmt], most: usize) -> Option<usize> {
    let mut sum = 0usize;
    for statement in list {
        sum += match statement {
            Stmt::Let(value) => match function.inst(*value) {
                Inst::Load(..) | Inst::Call(..) => 3,
                Inst::Subgroup(..) => 12,
                // Atomics run lane by lane: unrolling gains nothing, and the code is long.
                Inst::Atomic { .. } => 40,
                _ => 1,
            },
            Stmt::Declare(..) | Stmt::Write(..) | Stmt::Exit(_) | Stmt::Barrier(_) => 1,
            Stmt::Store { .. } | Stmt::Check(_) => 3,
            // The called function is long, so unrolling the call gains little.
            Stmt::Call { .. } => 40,
            Stmt::If { accept, reject, .. } => {
                let accepted = size(function, accept, most.checked_sub(sum)?)?;
                1 + accepted + size(function, reject, most.checked_sub(sum + accepted)?)?
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => 1 + size(function, body, most.checked_sub(sum)?)?,
        };
        if sum > most {
            return None;
        }
    }
    Some(sum)
}

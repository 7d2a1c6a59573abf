//! Loops: the facts that hold in every iteration, and whether the loop ends.
//!
//! The analysis first assumes that each variable that the loop changes has any value, but only grows and only shrinks.
//! It then evaluates one iteration and drops the assumptions that the iteration violates, until the remaining ones
//! hold. They then hold in every iteration by induction, and the values at the end of an iteration narrow the ranges.
//!
//! A loop ends if some integer grows, or shrinks, by at least one in every iteration without wrapping: its type has
//! finitely many values. A loop also ends if an integer counts by one through all values, and one of these values ends
//! the loop. Backends stop any other loop after some number of iterations, at the start of an iteration. So the
//! conditions under which such a loop ends need not hold after it.

mod stored;

use naga::{Block, Expression, Handle};
use rustc_hash::FxHashSet;

use super::facts::Gained;
use super::order::Orders;
use super::state::{Arrival, Value};
use super::values::{BOOL, Binary, Id, Node};
use super::verdicts::{LoopAdvice, SeenLoop};
use super::walk::{Flow, Frame, Target, Walker};
use crate::domain::Known;
use stored::{aligned, collect, replaced};

/// The largest number of attempts to find assumptions that hold in every iteration.
const MAX_ATTEMPTS: usize = 4;

/// A scalar that a loop changes: a variable, or a component, element or member of one.
#[derive(Clone, Debug)]
struct Changing {
    slot: usize,
    /// The content, before the loop, of the whole variable that contains the scalar.
    shape: Value,
    /// The position of the scalar among the scalars of the variable that contains it.
    scalar: usize,
    /// The value of the scalar before the loop.
    before: Id,
    /// The value of the scalar at the start of an iteration.
    begins: Id,
    /// The assumed range of `begins`.
    known: Known,
    grows: bool,
    shrinks: bool,
}

/// The states that the abstract execution of one iteration leads to.
struct Turn {
    /// The state at the end of the iteration; `None` if execution never reaches that end.
    back: Option<Arrival>,
    exits: Vec<Arrival>,
}

impl<'a> Walker<'a> {
    pub(super) fn repeat(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Flow {
        let number = frame.loops.get(&std::ptr::from_ref(body)).copied();
        let mut stored = FxHashSet::default();
        self.stored(frame, body, &mut stored);
        self.stored(frame, continuing, &mut stored);
        let entry = self.slots.clone();
        let mut changing = self.changing(&entry, &stored);

        let recording = std::mem::replace(&mut self.recording, false);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mark = self.facts.mark();
            self.work += (entry.len() + changing.len()) as u64;
            self.begin(&entry, &stored, &mut changing);
            let turn = self.turn(frame, body, continuing, break_if);
            let holds = self.judge(turn.back.as_ref(), &mut changing);
            self.facts.undo(mark);
            if holds || !self.within_budget() {
                break;
            }
            if attempts == MAX_ATTEMPTS {
                for one in &mut changing {
                    (one.grows, one.shrinks) = (false, false);
                    one.known = Known::any(one.known.ty());
                }
                break;
            }
        }

        self.recording = recording;
        let mark = self.facts.mark();
        self.begin(&entry, &stored, &mut changing);
        let begun = self.slots.clone();
        let mut turn = self.turn(frame, body, continuing, break_if);
        let seen = self.ending(frame, turn.back.as_ref(), &changing);
        if !seen.ends {
            // A backend may stop the loop at the start of any iteration, so the loop may be left with the state at that
            // point.
            turn.exits.push(Arrival { slots: begun, gained: Gained::default() });
        }
        if recording && let Some(number) = number {
            self.verdicts.record_loop(frame.number, number, seen);
        }
        let exits = self.since(mark, turn.exits);
        self.resume(exits, None)
    }

    /// Removes the facts that were added since a mark and that hold at the start of an iteration, and adds these facts
    /// to each exit.
    fn since(&mut self, mark: super::facts::Mark, exits: Vec<Arrival>) -> Vec<Arrival> {
        let assumed = self.facts.gained(mark);
        self.facts.undo(mark);
        let with = |exit: Arrival| {
            let inner = self.facts.mark();
            self.facts.gain(&assumed);
            self.facts.gain(&exit.gained);
            let gained = self.facts.gained(mark);
            self.facts.undo(inner);
            Arrival { slots: exit.slots, gained }
        };
        exits.into_iter().map(with).collect()
    }

    /// The scalars that a loop may change, each with the initial assumptions: the scalar may have any value, and an
    /// integer both only grows and only shrinks, so that it does not change.
    fn changing(&mut self, entry: &[Value], stored: &FxHashSet<usize>) -> Vec<Changing> {
        let mut slots: Vec<usize> = stored.iter().copied().collect();
        slots.sort_unstable();
        let mut found = Vec::new();
        for slot in slots {
            let mut scalars = Vec::new();
            collect(&entry[slot], &mut scalars);
            for (scalar, before) in scalars.into_iter().enumerate() {
                let ty = self.values.ty(before);
                let counts = ty != BOOL;
                found.push(Changing {
                    slot,
                    shape: entry[slot].clone(),
                    scalar,
                    before,
                    begins: before,
                    known: Known::any(ty),
                    grows: counts,
                    shrinks: counts,
                });
            }
        }
        found
    }

    /// Sets the state to the start of an arbitrary iteration, with the current assumptions as facts.
    fn begin(&mut self, entry: &[Value], stored: &FxHashSet<usize>, changing: &mut [Changing]) {
        self.slots.clear();
        self.slots.extend_from_slice(entry);
        for one in changing.iter_mut() {
            one.begins = self.values.unknown(one.known);
            if one.grows {
                self.facts.ordered(&self.values, one.before, one.begins, 0);
            }
            if one.shrinks {
                self.facts.ordered(&self.values, one.begins, one.before, 0);
            }
        }
        for slot in stored {
            let mut ids = changing.iter().filter(|one| one.slot == *slot).map(|one| one.begins);
            self.slots[*slot] = replaced(&entry[*slot], &mut ids);
        }
    }

    /// Evaluates one iteration of a loop from the current state.
    fn turn(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Turn {
        let mark = self.facts.mark();
        frame.targets.push(Target { mark, breaks: Vec::new(), continues: Some(Vec::new()) });
        let flow = self.block(frame, body);
        let last = (flow == Flow::Next).then(|| self.arrival(mark));
        self.facts.undo(mark);
        let Some(target) = frame.targets.pop() else { return Turn { back: None, exits: Vec::new() } };
        let mut exits = target.breaks;
        let mut ways = target.continues.unwrap_or_default();
        ways.extend(last);
        let mut back = None;
        if self.resume(ways, None) == Flow::Next && self.block(frame, continuing) == Flow::Next {
            let condition = break_if.and_then(|condition| self.value(frame, condition).scalar());
            if break_if.is_some() {
                let inner = self.facts.mark();
                if condition.is_none_or(|id| self.facts.assume(&mut self.values, id, true)) {
                    exits.push(self.arrival(mark));
                }
                self.facts.undo(inner);
            }
            if condition.is_none_or(|id| self.facts.assume(&mut self.values, id, false)) {
                back = Some(self.arrival(mark));
            }
        }
        self.facts.undo(mark);
        Turn { back, exits }
    }

    /// Checks at the end of an iteration whether the assumptions about the start of an iteration still hold. Drops the
    /// assumptions that do not hold; if all hold, narrows the ranges. Returns whether all hold.
    fn judge(&mut self, back: Option<&Arrival>, changing: &mut [Changing]) -> bool {
        let Some(back) = back else { return true };
        let mark = self.facts.mark();
        self.facts.gain(&back.gained);
        let mut holds = true;
        let mut narrowed = Vec::with_capacity(changing.len());
        for one in changing.iter_mut() {
            let next = self.next_of(back, one);
            let Some(next) = next else {
                holds &= !one.grows && !one.shrinks;
                (one.grows, one.shrinks) = (false, false);
                narrowed.push(Known::any(one.known.ty()));
                continue;
            };
            let mut orders = Orders { values: &self.values, facts: &mut self.facts };
            if one.grows && !orders.at_most(one.before, next, 0) {
                (one.grows, holds) = (false, false);
            }
            if one.shrinks && !orders.at_most(next, one.before, 0) {
                (one.shrinks, holds) = (false, false);
            }
            narrowed.push(self.facts.range(&self.values, next));
        }
        self.facts.undo(mark);
        if holds {
            for (one, next) in changing.iter_mut().zip(narrowed) {
                let first = self.facts.range(&self.values, one.before);
                one.known = one.known.meet(first.join(next)).unwrap_or(one.known);
            }
        }
        holds
    }

    /// Decides whether a loop ends, and finds the variable that proves the end.
    fn ending(&mut self, frame: &Frame<'a>, back: Option<&Arrival>, changing: &[Changing]) -> SeenLoop {
        let Some(back) = back else {
            return SeenLoop { ends: true, counter: None, known: None, turns: Some(1), advice: None };
        };
        let mark = self.facts.mark();
        self.facts.gain(&back.gained);
        let advice = Some(LoopAdvice::NoCounter);
        let mut seen = SeenLoop { ends: false, counter: None, known: None, turns: None, advice };
        for one in changing.iter().filter(|one| one.known.ty() != BOOL) {
            let Some(next) = self.next_of(back, one) else { continue };
            let mut orders = Orders { values: &self.values, facts: &mut self.facts };
            let rises = orders.at_most(one.begins, next, -1);
            let falls = !rises && orders.at_most(next, one.begins, -1);
            if rises || falls || self.counts_through(back, one, next, changing) {
                seen = SeenLoop {
                    ends: true,
                    counter: self.name_of_slot(frame, one.slot),
                    known: Some((one.known.low(), one.known.high())),
                    turns: if rises || falls { self.max_turns(one, next, rises) } else { None },
                    advice: None,
                };
                break;
            }
            if let Node::Binary(Binary::Add | Binary::Subtract, from, _) = self.values.node(next)
                && *from == one.begins
                && seen.counter.is_none()
            {
                seen.counter = self.name_of_slot(frame, one.slot);
                seen.known = Some((one.known.low(), one.known.high()));
                seen.advice = Some(LoopAdvice::MayWrap);
            }
        }
        self.facts.undo(mark);
        seen
    }

    /// The maximum number of iterations of a loop in which a variable only rises or only falls: each iteration begins
    /// with another number in the variable. `None` if the maximum does not fit in 32 bits.
    fn max_turns(&self, one: &Changing, next: Id, rises: bool) -> Option<u32> {
        let step = match *self.values.node(next) {
            // The variable does not wrap, so it changes by exactly this number in each iteration.
            Node::Binary(Binary::Add, from, by) if from == one.begins && rises => self.values.constant_of(by),
            Node::Binary(Binary::Subtract, from, by) if from == one.begins && !rises => self.values.constant_of(by),
            _ => None,
        };
        let step = step.filter(|step| *step > 0).unwrap_or(1);
        u32::try_from((one.known.high() - one.known.low()) / step + 1).ok()
    }

    /// Whether a variable counts by one through all numbers, possibly wrapping, and the loop ends when the variable
    /// equals a number that does not change.
    fn counts_through(&self, back: &Arrival, one: &Changing, next: Id, changing: &[Changing]) -> bool {
        let Node::Binary(Binary::Add | Binary::Subtract, from, by) = *self.values.node(next) else { return false };
        if from != one.begins || self.values.constant_of(by).is_none_or(|by| by.abs() != 1) {
            return false;
        }
        // Values that were created before the iteration do not depend on the iteration.
        let first = changing.iter().map(|one| one.begins).min();
        let stays = |id: Id| first.is_some_and(|first| id < first) || self.values.constant_of(id).is_some();
        back.gained.differ(&self.values, |counter, end| (counter == one.begins || counter == next) && stays(end))
    }

    /// The value of a variable at the end of an iteration.
    fn next_of(&self, back: &Arrival, one: &Changing) -> Option<Id> {
        let mut found = Vec::new();
        aligned(&one.shape, &back.slots[one.slot], &mut found);
        let next = found.get(one.scalar).copied().flatten();
        next.filter(|id| self.values.ty(*id) == one.known.ty())
    }
}

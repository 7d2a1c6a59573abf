//! Executes branches and `switch` statements: all paths, and the facts that hold on each path.

use naga::{Block, Expression, Handle, SwitchValue};

use super::super::state::Arrival;
use super::{Flow, Frame, Target, Walker};
use crate::domain::{Comparison, Known};

impl<'a> Walker<'a> {
    pub(super) fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Flow {
        let condition = self.value(frame, condition).scalar();
        let before = self.slots.clone();
        let mark = self.facts.mark();
        let mut arrivals = Vec::new();
        let mut both = 0;
        for (block, truth) in [(accept, true), (reject, false)] {
            self.slots.clone_from(&before);
            let possible = condition.is_none_or(|id| self.facts.assume(&mut self.values, id, truth));
            if possible && self.block(frame, block) == Flow::Next {
                arrivals.push(self.arrival(mark));
                both += 1;
            }
            self.facts.undo(mark);
        }
        self.resume(arrivals, condition.filter(|_| both == 2))
    }

    pub(super) fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<Expression>,
        cases: &'a [naga::SwitchCase],
    ) -> Flow {
        let selector = self.value(frame, selector).scalar();
        let before = self.slots.clone();
        let mark = self.facts.mark();
        let distinguished = cases.len() <= MAX_CASES;
        frame.targets.push(Target { mark, breaks: Vec::new(), continues: None });
        let mut fallen: Option<Arrival> = None;
        let number = |value: &SwitchValue| match *value {
            SwitchValue::I32(number) => Some(i64::from(number)),
            SwitchValue::U32(number) => Some(i64::from(number)),
            SwitchValue::Default => None,
        };
        for case in cases {
            self.slots.clone_from(&before);
            let mut possible = true;
            if let Some(selector) = selector.filter(|_| distinguished) {
                let ty = self.values.ty(selector);
                let assume = |this: &mut Self, number: i64, truth: bool| {
                    if !Known::any(ty).contains(number) {
                        return !truth;
                    }
                    let number = this.values.constant(ty, number);
                    let equal = this.values.compare(Comparison::Equal, selector, number);
                    this.facts.assume(&mut this.values, equal, truth)
                };
                possible = match number(&case.value) {
                    Some(chosen) => assume(self, chosen, true),
                    None => cases.iter().filter_map(|case| number(&case.value)).all(|other| assume(self, other, false)),
                };
            }
            let mut ways: Vec<Arrival> = fallen.take().into_iter().collect();
            if possible {
                ways.push(self.arrival(mark));
            }
            self.facts.undo(mark);
            if self.resume(ways, None) == Flow::Next && self.block(frame, &case.body) == Flow::Next {
                let arrival = self.arrival(mark);
                if case.fall_through {
                    fallen = Some(arrival);
                } else if let Some(target) = frame.targets.last_mut() {
                    target.breaks.push(arrival);
                }
            }
            self.facts.undo(mark);
        }
        let arrivals = frame.targets.pop().map(|target| target.breaks).unwrap_or_default();
        self.resume(arrivals, None)
    }
}

/// The largest number of cases of a `switch` for which the analysis uses the value of the selector.
const MAX_CASES: usize = 64;

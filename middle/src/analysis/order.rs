//! A search for proofs that one value is at most another plus a number.
//!
//! The method is that of Bodik, Gupta and Sarkar, "ABCD: eliminating array bounds checks on demand" (PLDI 2000): facts
//! `a - b <= c` are the edges of a graph, and a path between two values is a proof. The search finds edges on demand:
//! edges from conditions are in [`Facts`], other edges follow from operations that cannot wrap.

use smallvec::SmallVec;

use super::facts::Facts;
use super::values::{Binary, Id, Node, Unary, Values};

/// The neighbours of a value in the graph, each with the length of the edge to it.
type Steps = SmallVec<[(Id, i64); 8]>;

/// The largest number of edges in a path that the search tries.
const DEPTH: u32 = 7;

/// The largest number of pairs of values that one search visits.
const STEPS: u32 = 200;

/// Searches for proofs of `left - right <= most` at one point of a kernel.
pub(super) struct Orders<'a> {
    pub(super) values: &'a Values,
    pub(super) facts: &'a mut Facts,
}

impl Orders<'_> {
    /// Whether `left - right <= most` is proven, computed without wrapping.
    pub(super) fn at_most(&mut self, left: Id, right: Id, most: i64) -> bool {
        let mut steps = STEPS;
        self.search(left, right, most, DEPTH, &mut steps)
    }

    /// Whether the range of a value shows that the value is at least `least`.
    pub(super) fn at_least(&mut self, id: Id, least: i64) -> bool {
        self.facts.range(self.values, id).low() >= least
    }

    fn search(&mut self, left: Id, right: Id, most: i64, depth: u32, steps: &mut u32) -> bool {
        if left == right {
            return most >= 0;
        }
        let (one, two) = (self.facts.range(self.values, left), self.facts.range(self.values, right));
        if one.high().saturating_sub(two.low()) <= most {
            return true;
        }
        // If the ranges of the values show that `left - right <= most` cannot hold, the search ends.
        if depth == 0 || *steps == 0 || one.low().saturating_sub(two.high()) > most {
            return false;
        }
        *steps -= 1;
        // The search visits all facts `left - right <= most`, so the number of these facts counts as effort.
        self.facts.work += 1 + self.facts.orders().len() as u64 / 32;
        self.by_left(left, right, most, depth - 1, steps) || self.by_right(left, right, most, depth - 1, steps)
    }

    /// Searches for paths whose first edge leads from `left` to a value that is at least `left`.
    fn by_left(&mut self, left: Id, right: Id, most: i64, depth: u32, steps: &mut u32) -> bool {
        let mut above = Steps::new();
        for order in self.facts.orders().iter().rev() {
            if order.left == left {
                above.push((order.right, order.most));
            }
        }
        match *self.values.node(left) {
            Node::Binary(op, a, b) => match op {
                Binary::Add if self.exact(op, a, b) => {
                    let (one, two) = (self.facts.range(self.values, a), self.facts.range(self.values, b));
                    above.push((a, two.high()));
                    above.push((b, one.high()));
                }
                Binary::Subtract if self.exact(op, a, b) => {
                    above.push((a, -self.facts.range(self.values, b).low()));
                }
                Binary::Minimum => above.extend([(a, 0), (b, 0)]),
                Binary::And => {
                    above.extend([a, b].into_iter().filter(|id| self.at_least(*id, 0)).map(|id| (id, 0)));
                }
                // The quotient is at most the dividend, and less if the dividend is at least 1 and the divisor at
                // least 2.
                Binary::Divide if self.at_least(a, 0) && self.at_least(b, 0) => {
                    above.push((a, -i64::from(self.at_least(a, 1) && self.at_least(b, 2))));
                }
                Binary::ShiftRight if self.at_least(a, 0) => {
                    above.push((a, -i64::from(self.at_least(a, 1) && self.shifts(a, b))));
                }
                Binary::Remainder if self.at_least(a, 0) => {
                    above.push((a, 0));
                    if self.at_least(b, 1) {
                        above.push((b, -1));
                    }
                }
                Binary::Multiply | Binary::ShiftLeft if self.exact(op, a, b) => self.scaled(op, a, b, &mut above),
                Binary::Maximum
                    if self.search(a, right, most, depth, steps) && self.search(b, right, most, depth, steps) =>
                {
                    return true;
                }
                _ => {}
            },
            Node::Unary(Unary::Cast, of) if self.same_number(left, of) => above.push((of, 0)),
            Node::Select(_, a, b) | Node::Merge { accept: a, reject: b, .. }
                if self.search(a, right, most, depth, steps) && self.search(b, right, most, depth, steps) =>
            {
                return true;
            }
            _ => {}
        }
        above.into_iter().any(|(above, by)| self.search(above, right, most.saturating_sub(by), depth, steps))
    }

    /// Searches for paths whose last edge leads from a value that is at most `right` to `right`.
    fn by_right(&mut self, left: Id, right: Id, most: i64, depth: u32, steps: &mut u32) -> bool {
        let mut below = Steps::new();
        for order in self.facts.orders().iter().rev() {
            if order.right == right {
                below.push((order.left, order.most));
            }
        }
        match *self.values.node(right) {
            Node::Binary(op, a, b) => match op {
                Binary::Add if self.exact(op, a, b) => {
                    let (one, two) = (self.facts.range(self.values, a), self.facts.range(self.values, b));
                    below.push((a, -two.low()));
                    below.push((b, -one.low()));
                }
                Binary::Subtract if self.exact(op, a, b) => {
                    below.push((a, self.facts.range(self.values, b).high()));
                }
                Binary::Maximum => below.extend([(a, 0), (b, 0)]),
                Binary::Or if self.at_least(a, 0) && self.at_least(b, 0) => below.extend([(a, 0), (b, 0)]),
                Binary::Multiply | Binary::ShiftLeft
                    if self.exact(op, a, b) && self.at_least(a, 0) && self.at_least(b, 0) =>
                {
                    // The product is at least the factor. The product is greater than the factor if the factor is at
                    // least 1 and at least doubled.
                    let twice = if op == Binary::ShiftLeft { self.shifts(a, b) } else { self.at_least(b, 2) };
                    if op == Binary::ShiftLeft || self.at_least(b, 1) {
                        below.push((a, -i64::from(twice && self.at_least(a, 1))));
                    }
                }
                Binary::Minimum
                    if self.search(left, a, most, depth, steps) && self.search(left, b, most, depth, steps) =>
                {
                    return true;
                }
                _ => {}
            },
            Node::Unary(Unary::Cast, of) if self.same_number(right, of) => below.push((of, 0)),
            Node::Select(_, a, b) | Node::Merge { accept: a, reject: b, .. }
                if self.search(left, a, most, depth, steps) && self.search(left, b, most, depth, steps) =>
            {
                return true;
            }
            _ => {}
        }
        below.into_iter().any(|(below, by)| self.search(left, below, most.saturating_sub(by), depth, steps))
    }

    /// Adds upper bounds of the product of `a` and a constant, from quotients by the same constant: `i <= n / k + d`
    /// implies `i * k <= n + d * k`.
    fn scaled(&mut self, op: Binary, a: Id, b: Id, above: &mut Steps) {
        let Some(factor) = self.factor(op, b) else { return };
        let mut bounds = Steps::from_slice(&[(a, 0)]);
        bounds
            .extend(self.facts.orders().iter().filter(|order| order.left == a).map(|order| (order.right, order.most)));
        for (bound, by) in bounds {
            if let Node::Binary(op @ (Binary::Divide | Binary::ShiftRight), whole, part) = *self.values.node(bound)
                && self.divisor(op, part) == Some(factor)
                && self.at_least(whole, 0)
            {
                above.push((whole, by.saturating_mul(factor)));
            }
        }
    }

    /// Whether a shift of `of` by `amount` moves bits by at least one position: WGSL takes the amount modulo the width,
    /// so a shift by the width moves nothing.
    fn shifts(&mut self, of: Id, amount: Id) -> bool {
        let range = self.facts.range(self.values, amount);
        range.low() >= 1 && range.high() < i64::from(self.values.ty(of).width)
    }

    /// The constant factor of a product or a left shift.
    fn factor(&self, op: Binary, by: Id) -> Option<i64> {
        let number = self.values.constant_of(by)?;
        match op {
            Binary::Multiply => (number >= 1).then_some(number),
            _ => (0..32).contains(&number).then(|| 1 << number),
        }
    }

    /// The constant divisor of a quotient or a right shift.
    fn divisor(&self, op: Binary, by: Id) -> Option<i64> {
        let number = self.values.constant_of(by)?;
        match op {
            Binary::Divide => (number >= 1).then_some(number),
            _ => (0..32).contains(&number).then(|| 1 << number),
        }
    }

    /// Whether an operation cannot wrap.
    fn exact(&mut self, op: Binary, a: Id, b: Id) -> bool {
        let (one, two) = (self.facts.range(self.values, a), self.facts.range(self.values, b));
        match op {
            Binary::Add => !one.wraps_add(two),
            // For unsigned numbers, `b <= a` suffices; the difference of two signed numbers may be out of range for
            // their type.
            Binary::Subtract => !one.wraps_sub(two) || self.is_ordered(b, a),
            Binary::Multiply => !one.wraps_mul(two),
            Binary::ShiftLeft => match two.value() {
                Some(by @ 0..32) if by < i64::from(one.ty().width) => {
                    one.low() >= 0 && one.high().checked_shl(by as u32).is_some_and(|most| most <= one.ty().most())
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a known fact shows that `left`, an unsigned value, is at most `right`.
    fn is_ordered(&self, left: Id, right: Id) -> bool {
        let unsigned = !self.values.ty(left).signed;
        unsigned
            && self.facts.orders().iter().any(|order| (order.left, order.right) == (left, right) && order.most <= 0)
    }

    /// Whether the value `cast`, a cast of `of`, is the same number as `of`.
    fn same_number(&mut self, cast: Id, of: Id) -> bool {
        let range = self.facts.range(self.values, of);
        let ty = self.values.ty(cast);
        range.low() >= ty.least() && range.high() <= ty.most()
    }
}

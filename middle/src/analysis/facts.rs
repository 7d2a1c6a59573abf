//! The facts that hold at a point of a kernel: ranges of values, and distances between two values.
//!
//! Values never change, so a fact holds until the end of the path. Facts are removed in reverse order.

use super::values::{BOOL, Binary, Id, Node, Unary, Values, apply};
use crate::domain::{Comparison, Known};
use rustc_hash::FxHashMap;

/// The fact `left - right <= most`, where the difference is computed without wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) left: Id,
    pub(super) right: Id,
    pub(super) most: i64,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Range(Id, Option<Known>),
    Order,
}

/// A point on a path, to which [`Facts::undo`] returns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    changes: usize,
    era: u64,
}

/// The facts that were added on a path after a mark.
#[derive(Clone, Debug, Default)]
pub(super) struct Gained {
    /// The ranges of values, sorted by value and without duplicates.
    ranges: Vec<(Id, Known)>,
    orders: Vec<Order>,
}

impl Gained {
    /// Whether `matches` returns true for some pair of values that these facts show to differ.
    pub(super) fn differ(&self, values: &Values, mut matches: impl FnMut(Id, Id) -> bool) -> bool {
        self.ranges.iter().any(|(id, known)| match (values.node(*id), known.value()) {
            (Node::Compare(Comparison::NotEqual, left, right), Some(1))
            | (Node::Compare(Comparison::Equal, left, right), Some(0)) => {
                matches(*left, *right) || matches(*right, *left)
            }
            _ => false,
        })
    }

    /// The facts that hold on both paths: those of `self` and those of `other`.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.ranges.retain_mut(|(id, known)| {
            let Ok(at) = other.ranges.binary_search_by_key(id, |(id, _)| *id) else { return false };
            *known = known.join(other.ranges[at].1);
            true
        });
        let mut others: FxHashMap<(Id, Id), i64> = FxHashMap::default();
        for order in &other.orders {
            let most = others.entry((order.left, order.right)).or_insert(order.most);
            *most = order.most.min(*most);
        }
        self.orders.retain_mut(|order| {
            others.get(&(order.left, order.right)).is_some_and(|most| {
                order.most = order.most.max(*most);
                true
            })
        });
        self
    }

    /// The number of ranges and distances between values.
    pub(super) fn count(&self) -> usize {
        self.ranges.len() + self.orders.len()
    }
}

/// The largest number of levels to which the operands of a value are followed.
const DEPTH: u32 = 12;

/// The facts that hold at the current point of a kernel.
#[derive(Debug, Default)]
pub(super) struct Facts {
    ranges: ById<Known>,
    orders: Vec<Order>,
    changes: Vec<Change>,
    /// The number of the current set of facts. A result of them is valid only where this number is the same:
    /// until a fact is added, and again when that change is undone.
    era: u64,
    /// The number of sets of facts so far.
    eras: u64,
    /// The cached range of each value, with the value of `era` when the range was computed, and the number of levels of
    /// operands that were followed.
    cached: ById<(u64, u32, Known)>,
    /// The number of values visited, as a measure of effort.
    pub(super) work: u64,
}

/// A map whose keys are values, stored as a vector indexed by value.
#[derive(Debug)]
struct ById<T>(Vec<Option<T>>);

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> ById<T> {
    fn get(&self, id: Id) -> Option<T> {
        self.0.get(id.index()).copied().flatten()
    }

    /// Sets or removes the entry of a value; returns the old entry.
    fn set(&mut self, id: Id, to: Option<T>) -> Option<T> {
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, None);
        }
        std::mem::replace(&mut self.0[id.index()], to)
    }
}

impl Facts {
    pub(super) fn mark(&self) -> Mark {
        Mark { changes: self.changes.len(), era: self.era }
    }

    /// Restores the facts that held at a mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        self.era = mark.era;
        while self.changes.len() > mark.changes {
            match self.changes.pop() {
                Some(Change::Range(id, old)) => {
                    self.ranges.set(id, old);
                }
                Some(Change::Order) => {
                    self.orders.pop();
                }
                None => {}
            }
        }
    }

    /// The facts that were added since a mark.
    pub(super) fn gained(&self, mark: Mark) -> Gained {
        let mut ids = Vec::new();
        let mut orders = 0;
        for change in &self.changes[mark.changes..] {
            match change {
                Change::Range(id, _) => ids.push(*id),
                Change::Order => orders += 1,
            }
        }
        ids.sort_unstable();
        ids.dedup();
        Gained {
            ranges: ids.into_iter().filter_map(|id| Some((id, self.ranges.get(id)?))).collect(),
            orders: self.orders[self.orders.len() - orders..].to_vec(),
        }
    }

    /// Adds the facts that were gained on a path.
    pub(super) fn gain(&mut self, gained: &Gained) {
        for (id, known) in &gained.ranges {
            self.set(*id, *known);
        }
        for order in &gained.orders {
            self.push(*order);
        }
    }

    /// The number of the current set of facts; another set has another number.
    pub(super) fn era(&self) -> u64 {
        self.era
    }

    pub(super) fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// The range of a value at the current point of the kernel.
    pub(super) fn range(&mut self, values: &Values, id: Id) -> Known {
        self.range_within(values, id, DEPTH)
    }

    fn range_within(&mut self, values: &Values, id: Id, depth: u32) -> Known {
        let base = values.known(id);
        if base.value().is_some() {
            return base;
        }
        if let Some((era, deep, known)) = self.cached.get(id)
            && era == self.era
            && deep >= depth
        {
            return known;
        }
        self.work += 1;
        let mut known = match self.ranges.get(id) {
            Some(here) => base.meet(here).unwrap_or(base),
            None => base,
        };
        if depth > 0 {
            let operands = |operand| self.range_within(values, operand, depth - 1);
            let computed = apply(values.node(id), values.ty(id), operands);
            known = computed.and_then(|computed| known.meet(computed)).unwrap_or(known);
        }
        self.cached.set(id, Some((self.era, depth, known)));
        known
    }

    /// Adds the fact that a condition has the truth value `truth`. Returns false if this contradicts the other facts.
    pub(super) fn assume(&mut self, values: &mut Values, condition: Id, truth: bool) -> bool {
        self.assume_within(values, condition, truth, DEPTH)
    }

    fn assume_within(&mut self, values: &mut Values, condition: Id, truth: bool, depth: u32) -> bool {
        self.work += 1;
        let known = self.range(values, condition);
        if let Some(number) = known.value() {
            return (number != 0) == truth;
        }
        self.set(condition, Known::exactly(BOOL, i64::from(truth)));
        if depth == 0 {
            return true;
        }
        match values.node(condition).clone() {
            Node::Unary(Unary::Complement, of) => self.assume_within(values, of, !truth, depth - 1),
            Node::Binary(op, left, right) if op == if truth { Binary::And } else { Binary::Or } => {
                self.assume_within(values, left, truth, depth - 1)
                    && self.assume_within(values, right, truth, depth - 1)
            }
            Node::Select(chosen, accept, reject) | Node::Merge { condition: Some(chosen), accept, reject, .. } => {
                // If `accept` or `reject` cannot have this truth value, the other of the two was chosen.
                let side =
                    |this: &mut Self, id: Id| this.range(values, id).value().map(|number| (number != 0) == truth);
                let (first, second) = (side(self, accept), side(self, reject));
                match (first, second) {
                    (Some(false), _) => {
                        self.assume_within(values, chosen, false, depth - 1)
                            && self.assume_within(values, reject, truth, depth - 1)
                    }
                    (_, Some(false)) => {
                        self.assume_within(values, chosen, true, depth - 1)
                            && self.assume_within(values, accept, truth, depth - 1)
                    }
                    _ => true,
                }
            }
            Node::Compare(op, left, right) => {
                let op = if truth { op } else { op.negated() };
                self.compared(values, op, left, right)
            }
            _ => true,
        }
    }

    /// Adds the fact `left op right`. Returns false if this contradicts the other facts.
    fn compared(&mut self, values: &Values, op: Comparison, left: Id, right: Id) -> bool {
        if values.ty(left) == BOOL {
            return true;
        }
        let (one, two) = (self.range(values, left), self.range(values, right));
        let Some((one, two)) = Known::refine(op, one, two) else { return false };
        if !self.narrow(values, left, one) || !self.narrow(values, right, two) {
            return false;
        }
        let mut order = |left, right, most| self.push(Order { left, right, most });
        match op {
            Comparison::Less => order(left, right, -1),
            Comparison::LessEqual => order(left, right, 0),
            Comparison::Greater => order(right, left, -1),
            Comparison::GreaterEqual => order(right, left, 0),
            Comparison::Equal => {
                order(left, right, 0);
                order(right, left, 0);
            }
            Comparison::NotEqual => {}
        }
        true
    }

    /// Adds the fact `left - right <= most`. Returns false if this contradicts the other facts.
    pub(super) fn ordered(&mut self, values: &Values, left: Id, right: Id, most: i64) -> bool {
        let (one, two) = (self.range(values, left), self.range(values, right));
        let high = one.high().min(two.high().saturating_add(most));
        let low = two.low().max(one.low().saturating_sub(most));
        if high < one.low() || low > two.high() {
            return false;
        }
        let possible = self.narrow(values, left, Known::between(one.ty(), one.low(), high))
            && self.narrow(values, right, Known::between(two.ty(), low, two.high()));
        self.push(Order { left, right, most });
        possible
    }

    /// Narrows the range of a value, and of the operand that it is computed from. Returns false if this contradicts the
    /// other facts.
    fn narrow(&mut self, values: &Values, id: Id, to: Known) -> bool {
        let mut at = id;
        let mut to = to;
        for _ in 0..DEPTH {
            self.work += 1;
            let before = self.range(values, at);
            let Some(met) = before.meet(to) else { return false };
            if met == before {
                return true;
            }
            self.set(at, met);
            // The range of the operand follows if the operation has an exact inverse.
            (at, to) = match *values.node(at) {
                Node::Unary(Unary::Cast, of) => {
                    let ty = values.ty(of);
                    if ty.width != met.ty().width || ty == BOOL {
                        return true;
                    }
                    (of, met.bitcast(ty))
                }
                Node::Binary(Binary::Add, of, by) if values.constant_of(by).is_some() => {
                    (of, met.sub(values.known(by)))
                }
                Node::Binary(Binary::Subtract, of, by) if values.constant_of(by).is_some() => {
                    (of, met.add(values.known(by)))
                }
                _ => return true,
            };
        }
        true
    }

    fn set(&mut self, id: Id, known: Known) {
        let old = self.ranges.set(id, Some(known));
        self.change(Change::Range(id, old));
    }

    fn push(&mut self, order: Order) {
        self.orders.push(order);
        self.change(Change::Order);
    }

    fn change(&mut self, change: Change) {
        self.changes.push(change);
        self.eras += 1;
        self.era = self.eras;
    }
}

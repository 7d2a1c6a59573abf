//! Bounds of values in numbers that the host of a launch knows, and what must hold of these for an index to be in range.
//!
//! Sums, differences and products wrap, so a value and the mathematical number that it is computed as, its *sum* here,
//! differ by a multiple of 2^32. Operands may be replaced by their sums, so only that of the whole need be in range:
//! where `0 <= row * width + column < 2^32` as mathematical numbers, nothing has wrapped that matters.

use naga::{BuiltIn, Module};
use smallvec::{SmallVec, smallvec};

use super::conditions::is_outer;
use super::facts::Facts;
use super::order::Orders;
use super::sums::Sum;
use super::values::{BOOL, Binary, Id, Node, Unary, Values};
use crate::domain::{Int, Known};

/// How deep a value is looked into.
const DEPTH: u32 = 9;

/// How many values one index may make it look at.
const STEPS: u32 = 300;

/// How many ways to bound a value are kept.
const MOST_WAYS: usize = 4;

/// How many sums one way may need.
const MOST_NEEDS: usize = 16;

/// How many comparisons of a value are looked at.
const MOST_COMPARED: usize = 3;

/// The least and the most that a value can be, if nothing in `needs` is negative.
#[derive(Clone, Debug)]
struct Way {
    low: Sum,
    high: Sum,
    needs: SmallVec<[Sum; 2]>,
}

type Ways = SmallVec<[Way; MOST_WAYS]>;

impl Way {
    fn exactly(sum: Sum) -> Self {
        Self { low: sum.clone(), high: sum, needs: SmallVec::new() }
    }

    /// The same with what another needs, too.
    fn and(mut self, other: &Self) -> Self {
        // Each once: what both sides need would double at every operation.
        for need in &other.needs {
            if !self.needs.contains(need) {
                self.needs.push(need.clone());
            }
        }
        self
    }

    fn need(mut self, sum: Option<Sum>) -> Option<Self> {
        self.needs.push(sum?);
        Some(self)
    }
}

/// Asks about values at one point of a kernel.
pub(super) struct Bounds<'a> {
    module: &'a Module,
    values: &'a mut Values,
    facts: &'a mut Facts,
    /// The most workgroups in x, y and z.
    groups: [u32; 3],
    steps: u32,
}

impl<'a> Bounds<'a> {
    /// One that looks at `most` values at most; `groups` are the most workgroups in x, y and z.
    pub(super) fn new(
        module: &'a Module,
        values: &'a mut Values,
        facts: &'a mut Facts,
        groups: [u32; 3],
        most: u32,
    ) -> Self {
        Self { module, values, facts, groups, steps: most.min(STEPS) }
    }

    /// How many values it may still look at.
    pub(super) fn left(&self) -> u32 {
        self.steps
    }

    /// Sums that must not be negative for an index to be one of `count`; none if it always is, `None` if no such sums
    /// were found.
    pub(super) fn in_range(&mut self, index: Id, count: Id) -> Option<Vec<Sum>> {
        let ty = self.values.ty(index);
        if ty.width != 32 || !is_outer(self.module, self.values, count) {
            return None;
        }
        let last = self.exact(count).offset(-1)?;
        // Beyond its type, an index would be another one than its sum.
        let fits = self.values.known(count).high() - 1 <= ty.most();
        let mut best: Option<Vec<Sum>> = None;
        for way in self.sums(index, DEPTH) {
            let needed = [
                Some(way.low),
                last.minus(&way.high),
                if fits { None } else { way.high.scaled(-1)?.offset(ty.most()) },
            ];
            // A sum that became too long says nothing.
            if needed[1].is_none() || needed[2].is_none() && !fits {
                continue;
            }
            let mut needs: Vec<Sum> = Vec::new();
            let possible = way.needs.into_iter().chain(needed.into_iter().flatten()).all(|sum| {
                if !needs.contains(&sum) && !self.is_certain(&sum) {
                    needs.push(sum);
                }
                needs.last().is_none_or(|sum| !self.is_impossible(sum))
            });
            if possible && best.as_ref().is_none_or(|best| needs.len() < best.len()) {
                best = Some(needs);
            }
        }
        best
    }

    /// Whether a sum is never negative where it is asked for.
    fn is_certain(&mut self, sum: &Sum) -> bool {
        if self.extent(sum).is_some_and(|(low, _)| low >= 0) {
            return true;
        }
        // `one - two + more >= 0`
        let (mut one, mut two, mut more) = (None, None, 0);
        for (product, by) in sum.terms() {
            match (product.as_slice(), by) {
                ([], by) => more = *by,
                ([id], 1) if one.is_none() => one = Some(*id),
                ([id], -1) if two.is_none() => two = Some(*id),
                _ => return false,
            }
        }
        let zero = self.values.constant(Int::U32, 0);
        let mut orders = Orders { values: self.values, facts: self.facts };
        orders.at_most(two.unwrap_or(zero), one.unwrap_or(zero), more)
    }

    fn is_impossible(&mut self, sum: &Sum) -> bool {
        self.extent(sum).is_some_and(|(_, high)| high < 0)
    }

    fn extent(&mut self, sum: &Sum) -> Option<(i128, i128)> {
        sum.extent(|id| {
            let range = self.facts.range(self.values, id);
            (range.low(), range.high())
        })
    }

    /// A value that the host knows, or a number.
    fn exact(&self, id: Id) -> Sum {
        self.values.constant_of(id).map_or_else(|| Sum::of(id), Sum::constant)
    }

    fn range(&mut self, id: Id) -> Known {
        self.facts.range(self.values, id)
    }

    /// Bounds of numbers that differ from a value by a multiple of 2^32, each way for one such number.
    fn sums(&mut self, id: Id, depth: u32) -> Ways {
        if self.values.constant_of(id).is_some() {
            return smallvec![Way::exactly(self.exact(id))];
        }
        if depth == 0 || self.steps == 0 || self.values.ty(id).width != 32 {
            return smallvec![self.interval(id)];
        }
        self.steps -= 1;
        let Some(computed) = self.computed(id, depth) else { return self.bounds(id, depth) };
        let mut ways = self.compared(id, depth);
        ways.extend(computed);
        ways.truncate(MOST_WAYS - 1);
        ways.push(self.interval(id));
        ways
    }

    /// Of a sum, a difference, a product, or the same bits as another type; `None` if it is none.
    fn computed(&mut self, id: Id, depth: u32) -> Option<Ways> {
        let ty = self.values.ty(id);
        match *self.values.node(id) {
            Node::Binary(op @ (Binary::Add | Binary::Subtract | Binary::Multiply), a, b) => {
                let (one, two) = (self.sums(a, depth - 1), self.sums(b, depth - 1));
                Some(pairs(&one, &two, |one, two| match op {
                    Binary::Add => Some(Way {
                        low: one.low.plus(&two.low)?,
                        high: one.high.plus(&two.high)?,
                        needs: SmallVec::new(),
                    }),
                    Binary::Subtract => Some(Way {
                        low: one.low.minus(&two.high)?,
                        high: one.high.minus(&two.low)?,
                        needs: SmallVec::new(),
                    }),
                    _ => product(one, two),
                }))
            }
            Node::Binary(Binary::ShiftLeft, a, by) => {
                let by = self.values.constant_of(by).filter(|by| (0..31).contains(by))?;
                let factor = Way::exactly(Sum::constant(1 << by));
                Some(pairs(&self.sums(a, depth - 1), &[factor], product))
            }
            Node::Unary(Unary::Cast, of) if self.values.ty(of).width == ty.width && ty != BOOL => {
                Some(self.sums(of, depth - 1))
            }
            _ => None,
        }
    }

    /// Bounds of the value itself.
    fn bounds(&mut self, id: Id, depth: u32) -> Ways {
        if is_outer(self.module, self.values, id) {
            return smallvec![Way::exactly(self.exact(id))];
        }
        if depth == 0 || self.steps == 0 || self.values.ty(id).width != 32 {
            return smallvec![self.interval(id)];
        }
        self.steps -= 1;
        let mut ways = self.compared(id, depth);
        match self.computed(id, depth) {
            Some(sums) => ways.extend(sums.into_iter().filter_map(|way| self.unwrapped(id, way))),
            None => ways.extend(self.operation(id, depth)),
        }
        ways.truncate(MOST_WAYS - 1);
        ways.push(self.interval(id));
        ways
    }

    /// Bounds of a value by those of its sum.
    fn unwrapped(&mut self, id: Id, way: Way) -> Option<Way> {
        let ty = self.values.ty(id);
        let low = way.low.clone();
        if ty.signed {
            let room = way.high.scaled(-1)?.offset(ty.most());
            return way.need(low.offset(-ty.least()))?.need(room);
        }
        // Less a multiple of 2^32, it is no more than before.
        let way = way.need(Some(low))?;
        Some(Way { low: Sum::constant(self.range(id).low()), ..way })
    }

    /// By what it was compared with.
    fn compared(&mut self, id: Id, depth: u32) -> Ways {
        // All orders are gone through.
        self.steps = self.steps.saturating_sub(self.facts.orders().len() as u32 / 32);
        let (mut above, mut below) = (SmallVec::<[(Id, i64); 4]>::new(), None);
        for order in self.facts.orders().iter().rev() {
            if order.left == id && above.len() < MOST_COMPARED && !above.iter().any(|(id, _)| *id == order.right) {
                above.push((order.right, order.most));
            }
            if order.right == id && below.is_none() && is_outer(self.module, self.values, order.left) {
                below = Some((order.left, order.most));
            }
        }
        let least = Sum::constant(self.range(id).low());
        let lower = below.filter(|(below, _)| self.values.constant_of(*below).is_none());
        let lower = lower.and_then(|(below, by)| Sum::of(below).offset(-by));
        let mut ways = Ways::new();
        for (above, by) in above {
            for way in self.bounds(above, depth - 1) {
                let Some(high) = way.high.offset(by) else { continue };
                for low in lower.iter().chain([&least]) {
                    ways.push(Way { low: low.clone(), high: high.clone(), needs: way.needs.clone() });
                }
            }
        }
        ways.truncate(MOST_WAYS);
        ways
    }

    /// By what is always known of it.
    fn interval(&mut self, id: Id) -> Way {
        let range = self.range(id);
        Way { low: Sum::constant(range.low()), high: Sum::constant(range.high()), needs: SmallVec::new() }
    }

    /// Of operations that do not wrap.
    fn operation(&mut self, id: Id, depth: u32) -> Ways {
        let low = self.range(id).low();
        let least = Sum::constant(low);
        let below =
            |high: Option<Sum>, of: &Way| Some(Way { low: least.clone(), high: high?, needs: of.needs.clone() });
        match *self.values.node(id) {
            Node::Input(BuiltIn::WorkGroupId, axis) => {
                let most = i64::from(self.groups[usize::from(axis)].max(1));
                let known = Known::between(Int::U32, 1, most);
                let count = self.values.outer(Node::Input(BuiltIn::NumWorkGroups, axis), known);
                let high = self.exact(count).offset(-1);
                high.map(|high| Way { low: least, high, needs: SmallVec::new() }).into_iter().collect()
            }
            Node::Binary(Binary::Minimum, a, b) => {
                let (one, two) = (self.bounds(a, depth - 1), self.bounds(b, depth - 1));
                if low >= 0 {
                    let both = two.iter().chain(&one);
                    return both.filter_map(|way| below(Some(way.high.clone()), way)).take(MOST_WAYS).collect();
                }
                pairs(&two, &one, |two, one| not_negative(two, one)?.pick(two.high.clone()))
            }
            Node::Binary(Binary::Maximum, a, b) => {
                let (one, two) = (self.bounds(a, depth - 1), self.bounds(b, depth - 1));
                larger(&one, &two, |_, _| Some(least.clone()))
            }
            Node::Select(_, a, b) | Node::Merge { accept: a, reject: b, .. } => {
                let (one, two) = (self.bounds(a, depth - 1), self.bounds(b, depth - 1));
                if low >= 0 {
                    return larger(&one, &two, |_, _| Some(least.clone()));
                }
                let mut ways = larger(&one, &two, |_, _| Some(Sum::default()));
                let needed: Ways = pairs(&one, &two, not_negative);
                ways = pairs(&ways, &needed, |way, needed| Some(way.clone().and(needed)));
                ways
            }
            Node::Binary(Binary::Remainder, a, b) => {
                let divisors = self.bounds(b, depth - 1);
                let by_divisor =
                    divisors.iter().filter_map(|way| below(way.high.offset(-1), way)?.need(way.low.offset(-1)));
                if low >= 0 {
                    let mut ways: Ways = by_divisor.collect();
                    if self.range(a).low() >= 0 {
                        let divided = self.bounds(a, depth - 1);
                        ways.extend(divided.iter().filter_map(|way| below(Some(way.high.clone()), way)));
                    }
                    return ways;
                }
                let by_divisor: Ways = by_divisor.collect();
                let divided = self.bounds(a, depth - 1);
                pairs(&by_divisor, &divided, |way, of| {
                    Way { low: Sum::default(), ..way.clone() }.and(of).need(Some(of.low.clone()))
                })
            }
            Node::Binary(op @ (Binary::Divide | Binary::ShiftRight), a, b) => {
                if self.range(a).low() < 0 || self.range(b).low() < 0 {
                    return Ways::new();
                }
                let by = match (op, self.values.constant_of(b)) {
                    (Binary::Divide, Some(by)) if by >= 1 => by,
                    (Binary::ShiftRight, Some(by)) if by < 31 => 1 << by,
                    _ => 1,
                };
                // A quotient is no more than what is divided.
                let divided = self.bounds(a, depth - 1);
                let high = |way: &Way| way.high.over(by).or_else(|| Some(way.high.clone()));
                divided.iter().filter_map(|way| below(high(way), way)).collect()
            }
            Node::Binary(Binary::And, a, b) => {
                let mut ways = Ways::new();
                for of in [b, a] {
                    if self.range(of).low() >= 0 {
                        ways.extend(
                            self.bounds(of, depth - 1).iter().filter_map(|way| below(Some(way.high.clone()), way)),
                        );
                    }
                }
                ways
            }
            _ => Ways::new(),
        }
    }
}

impl Way {
    /// The same with another most.
    fn pick(self, high: Sum) -> Option<Self> {
        Some(Self { high, ..self })
    }
}

/// Two values of which neither is negative, and what that needs.
fn not_negative(one: &Way, two: &Way) -> Option<Way> {
    let way = Way { low: Sum::default(), high: one.high.clone(), needs: one.needs.clone() }.and(two);
    way.need(Some(one.low.clone()))?.need(Some(two.low.clone()))
}

/// The most that the larger of two values can be.
fn larger(one: &[Way], two: &[Way], low: impl Fn(&Way, &Way) -> Option<Sum>) -> Ways {
    let either = |more: &Way, less: &Way| {
        let way = Way { low: low(more, less)?, high: more.high.clone(), needs: more.needs.clone() }.and(less);
        way.need(more.high.minus(&less.high))
    };
    let mut ways = pairs(one, two, |one, two| either(one, two));
    ways.extend(pairs(one, two, |one, two| either(two, one)));
    // Those that need nothing of sizes first.
    ways.sort_by_key(|way| way.needs.iter().filter(|need| need.value().is_none_or(|value| value < 0)).count());
    ways.truncate(MOST_WAYS);
    ways
}

/// Of two factors, neither of which is negative, or one of which is a number.
fn product(one: &Way, two: &Way) -> Option<Way> {
    let number = |way: &Way| way.low.value().filter(|low| way.high.value() == Some(*low));
    for (by, of) in [(number(two), one), (number(one), two)] {
        if let Some(by) = by {
            let (low, high) = (of.low.scaled(by)?, of.high.scaled(by)?);
            let (low, high) = if by < 0 { (high, low) } else { (low, high) };
            return Some(Way { low, high, needs: SmallVec::new() });
        }
    }
    let way = Way { low: one.low.times(&two.low)?, high: one.high.times(&two.high)?, needs: SmallVec::new() };
    way.need(Some(one.low.clone()))?.need(Some(two.low.clone()))
}

/// Each way for one with each for the other, the first of both first.
fn pairs(one: &[Way], two: &[Way], make: impl Fn(&Way, &Way) -> Option<Way>) -> Ways {
    let mut all: Vec<(usize, usize)> = (0..one.len()).flat_map(|a| (0..two.len()).map(move |b| (a, b))).collect();
    all.sort_by_key(|(a, b)| a + b);
    let made = all.into_iter().filter_map(|(a, b)| Some(make(&one[a], &two[b])?.and(&one[a]).and(&two[b])));
    made.filter(|way| way.needs.len() <= MOST_NEEDS).take(MOST_WAYS).collect()
}

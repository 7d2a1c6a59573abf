//! Bounds of values in terms of numbers that the host knows, and the conditions on these numbers under which an index
//! is in range.
//!
//! Sums, differences and products wrap in a kernel. So a value may differ from its *sum*, the same formula computed
//! without wrapping, by a multiple of 2^32. This holds for operands, too. So only the sum of the whole index has to be
//! in range: if
//! `0 <= row * width + column < 2^32` without wrapping, the index is that number, even if an intermediate result wraps.

mod ways;

use naga::{BuiltIn, Module};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::conditions::is_outer;
use super::facts::Facts;
use super::order::Orders;
use super::sums::Sum;
use super::values::{BOOL, Binary, Id, Node, Unary, Values};
use crate::domain::{Int, Known};
use ways::{MAX_WAYS, Way, Ways, larger, not_negative, pairs, product};

/// The largest number of levels to which the search follows the operands of a value.
const DEPTH: u32 = 9;

/// The largest number of values that the search visits for one index.
const STEPS: u32 = 300;

/// The largest number of comparisons of one value that are used.
const MAX_COMPARISONS: usize = 3;

/// The bounds that searches have found: neighbouring accesses have indices with the same operands, such as `row * width`.
#[derive(Default)]
pub(super) struct Found {
    /// The number of the facts from which the bounds follow.
    era: u64,
    /// By value and levels of operands: the bounds of the value's sum, and the number of values visited to find them.
    sums: FxHashMap<(Id, u32), (Ways, u32)>,
}

/// Searches for the bounds of values at one point of a kernel.
pub(super) struct Bounds<'a> {
    module: &'a Module,
    values: &'a mut Values,
    facts: &'a mut Facts,
    found: &'a mut Found,
    /// The maximum number of workgroups in x, y and z.
    groups: [u32; 3],
    /// The number of values that this search may still visit.
    steps: u32,
}

impl<'a> Bounds<'a> {
    /// Returns a search that visits at most `most` values. `groups` is the maximum number of workgroups in x, y and z.
    pub(super) fn new(
        module: &'a Module,
        values: &'a mut Values,
        facts: &'a mut Facts,
        found: &'a mut Found,
        groups: [u32; 3],
        most: u32,
    ) -> Self {
        if found.era != facts.era() {
            *found = Found { era: facts.era(), ..Found::default() };
        }
        Self { module, values, facts, found, groups, steps: most.min(STEPS) }
    }

    /// The number of values that this search may still visit.
    pub(super) fn left(&self) -> u32 {
        self.steps
    }

    /// The sums that must not be negative for `index` to be less than `count`: empty if `index` is always less, `None`
    /// if no such sums were found.
    pub(super) fn in_range(&mut self, index: Id, count: Id) -> Option<Vec<Sum>> {
        let ty = self.values.ty(index);
        if ty.width != 32 || !is_outer(self.module, self.values, count) {
            return None;
        }
        let last = self.exact(count).offset(-1)?;
        // An index equals its sum only if the sum is in range for the type of the index.
        let fits = self.values.known(count).high() - 1 <= ty.most();
        let mut best: Option<Vec<Sum>> = None;
        for way in self.sums(index, DEPTH) {
            let needed = [
                Some(way.low),
                last.minus(&way.high),
                if fits { None } else { way.high.scaled(-1)?.offset(ty.most()) },
            ];
            // A sum with too many terms is `None`; bounds with such a sum prove nothing about the index.
            if needed[1].is_none() || needed[2].is_none() && !fits {
                continue;
            }
            let mut needs: Vec<Sum> = Vec::new();
            let possible = way.needs.into_iter().chain(needed.into_iter().flatten()).all(|sum| {
                if needs.contains(&sum) {
                    return true;
                }
                let extent = self.extent(&sum);
                if self.is_certain(&sum, extent) {
                    return true;
                }
                needs.push(sum);
                // A sum that is always negative is a condition that no launch meets.
                extent.is_none_or(|(_, high)| high >= 0)
            });
            if possible && best.as_ref().is_none_or(|best| needs.len() < best.len()) {
                best = Some(needs);
            }
        }
        best
    }

    /// Whether a sum with this extent is never negative at this point of the kernel.
    fn is_certain(&mut self, sum: &Sum, extent: Option<(i128, i128)>) -> bool {
        if extent.is_some_and(|(low, _)| low >= 0) {
            return true;
        }
        // `one - two + more >= 0`
        let (mut one, mut two) = (None, None);
        for (product, by) in sum.terms() {
            match (product.factors(), by) {
                ([id], 1) if one.is_none() => one = Some(*id),
                ([id], -1) if two.is_none() => two = Some(*id),
                _ => return false,
            }
        }
        let zero = self.values.constant(Int::U32, 0);
        let mut orders = Orders { values: self.values, facts: self.facts };
        orders.at_most(two.unwrap_or(zero), one.unwrap_or(zero), sum.more())
    }

    fn extent(&mut self, sum: &Sum) -> Option<(i128, i128)> {
        sum.extent(|id| {
            let range = self.facts.range(self.values, id);
            (range.low(), range.high())
        })
    }

    /// The sum that is exactly a constant, or exactly a value that the host knows.
    fn exact(&self, id: Id) -> Sum {
        self.values.constant_of(id).map_or_else(|| Sum::of(id), Sum::constant)
    }

    fn range(&mut self, id: Id) -> Known {
        self.facts.range(self.values, id)
    }

    /// Alternative bounds of a value's sum. Each may bound another number, which differs from the value by a multiple
    /// of 2^32.
    fn sums(&mut self, id: Id, depth: u32) -> Ways {
        if self.values.constant_of(id).is_some() {
            return smallvec![Way::exactly(self.exact(id))];
        }
        if depth == 0 || self.steps == 0 || self.values.ty(id).width != 32 {
            return smallvec![self.interval(id)];
        }
        if let Some((ways, steps)) = self.found.sums.get(&(id, depth))
            && *steps < self.steps
        {
            self.steps -= steps;
            return ways.clone();
        }
        let before = self.steps;
        self.steps -= 1;
        let ways = match self.computed(id, depth) {
            Some(computed) => {
                let mut ways = self.compared(id, depth);
                ways.extend(computed);
                ways.truncate(MAX_WAYS - 1);
                ways.push(self.interval(id));
                ways
            }
            None => self.bounds(id, depth),
        };
        // A search that has used up its steps may have found less than another one would.
        if self.steps > 0 {
            self.found.sums.insert((id, depth), (ways.clone(), before - self.steps));
        }
        ways
    }

    /// The bounds of a value's sum, from the bounds of its operands' sums; `None` unless the value is a sum, a
    /// difference, a product, a left shift by a constant or a cast that keeps the bits.
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

    /// Alternative bounds of the value itself, not of its sum.
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
        ways.truncate(MAX_WAYS - 1);
        ways.push(self.interval(id));
        ways
    }

    /// The bounds of a value, from bounds of its sum; `None` if a new sum has too many terms.
    fn unwrapped(&mut self, id: Id, way: Way) -> Option<Way> {
        let ty = self.values.ty(id);
        let low = way.low.clone();
        if ty.signed {
            let room = way.high.scaled(-1)?.offset(ty.most());
            return way.need(low.offset(-ty.least()))?.need(room);
        }
        // If the sum is not negative, the value is at most the sum, because wrapping only subtracts multiples of 2^32.
        let way = way.need(Some(low))?;
        Some(Way { low: Sum::constant(self.range(id).low()), ..way })
    }

    /// The bounds of a value, from those comparisons of the value that hold at this point of the kernel.
    fn compared(&mut self, id: Id, depth: u32) -> Ways {
        // The loop below visits all facts `left - right <= most`, so the number of these facts counts as effort.
        self.steps = self.steps.saturating_sub(self.facts.orders().len() as u32 / 32);
        let (mut above, mut below) = (SmallVec::<[(Id, i64); 4]>::new(), None);
        for order in self.facts.orders().iter().rev() {
            if order.left == id && above.len() < MAX_COMPARISONS && !above.iter().any(|(id, _)| *id == order.right) {
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
        ways.truncate(MAX_WAYS);
        ways
    }

    /// The constant bounds of a value, from its range at this point of the kernel.
    fn interval(&mut self, id: Id) -> Way {
        let range = self.range(id);
        Way { low: Sum::constant(range.low()), high: Sum::constant(range.high()), needs: SmallVec::new() }
    }

    /// The bounds of the result of an operation that cannot wrap.
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
                    return both.filter_map(|way| below(Some(way.high.clone()), way)).take(MAX_WAYS).collect();
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
                // A quotient is at most the dividend.
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

//! Bounds of values as sums, with the conditions under which the bounds hold.

use smallvec::SmallVec;

use super::super::sums::Sum;

/// The largest number of alternative bounds that are kept for a value.
pub(super) const MAX_WAYS: usize = 4;

/// The largest number of sums that must not be negative for a pair of bounds to hold.
const MAX_NEEDS: usize = 16;

/// A lower and an upper bound of a value, which hold if no sum in `needs` is negative.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) low: Sum,
    pub(super) high: Sum,
    pub(super) needs: SmallVec<[Sum; 2]>,
}

pub(super) type Ways = SmallVec<[Way; MAX_WAYS]>;

impl Way {
    pub(super) fn exactly(sum: Sum) -> Self {
        Self { low: sum.clone(), high: sum, needs: SmallVec::new() }
    }

    /// Adds the sums that must not be negative for the bounds `other` to hold.
    pub(super) fn and(mut self, other: &Self) -> Self {
        // Duplicates are left out, because needs that both operands share would double at every operation.
        for need in &other.needs {
            if !self.needs.contains(need) {
                self.needs.push(need.clone());
            }
        }
        self
    }

    pub(super) fn need(mut self, sum: Option<Sum>) -> Option<Self> {
        self.needs.push(sum?);
        Some(self)
    }

    /// Replaces the upper bound by `high`.
    pub(super) fn pick(self, high: Sum) -> Option<Self> {
        Some(Self { high, ..self })
    }
}

/// The bounds 0 and `one.high`, which hold only if neither value is negative.
pub(super) fn not_negative(one: &Way, two: &Way) -> Option<Way> {
    let way = Way { low: Sum::default(), high: one.high.clone(), needs: one.needs.clone() }.and(two);
    way.need(Some(one.low.clone()))?.need(Some(two.low.clone()))
}

/// The bounds of the larger of two values.
pub(super) fn larger(one: &[Way], two: &[Way], low: impl Fn(&Way, &Way) -> Option<Sum>) -> Ways {
    let either = |more: &Way, less: &Way| {
        let way = Way { low: low(more, less)?, high: more.high.clone(), needs: more.needs.clone() }.and(less);
        way.need(more.high.minus(&less.high))
    };
    let mut ways = pairs(one, two, |one, two| either(one, two));
    ways.extend(pairs(one, two, |one, two| either(two, one)));
    // Bounds with fewer conditions come first. A constant that is not negative is no condition.
    ways.sort_by_key(|way| way.needs.iter().filter(|need| need.value().is_none_or(|value| value < 0)).count());
    ways.truncate(MAX_WAYS);
    ways
}

/// The bounds of a product. Unless one factor is a constant, the bounds hold only if neither factor is negative.
pub(super) fn product(one: &Way, two: &Way) -> Option<Way> {
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

/// Combines the alternative bounds of two values with `make`. Combinations of earlier alternatives come first.
pub(super) fn pairs(one: &[Way], two: &[Way], make: impl Fn(&Way, &Way) -> Option<Way>) -> Ways {
    let places = (0..one.len() + two.len()).flat_map(|place| (0..=place).map(move |a| (a, place - a)));
    let both = places.filter_map(|(a, b)| Some((one.get(a)?, two.get(b)?)));
    let made = both.filter_map(|(one, two)| Some(make(one, two)?.and(one).and(two)));
    made.filter(|way| way.needs.len() <= MAX_NEEDS).take(MAX_WAYS).collect()
}

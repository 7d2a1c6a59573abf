//! Sums of products of numbers known on the host, computed without wrapping.

use smallvec::SmallVec;

use super::values::Id;

/// The factors of a product, sorted. A product without factors is the constant 1.
pub(super) type Product = SmallVec<[Id; 4]>;

/// The largest number of products in a sum.
const MAX_TERMS: usize = 12;

/// The largest number of factors in a product.
const MAX_FACTORS: usize = 4;

/// A sum such as `2 * a * b - c + 7`. The products are sorted and distinct, and each has a coefficient other than 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sum(Vec<(Product, i64)>);

impl Sum {
    pub(super) fn constant(number: i64) -> Self {
        Self(if number == 0 { Vec::new() } else { vec![(Product::new(), number)] })
    }

    pub(super) fn of(id: Id) -> Self {
        Self(vec![(Product::from_slice(&[id]), 1)])
    }

    pub(super) fn terms(&self) -> &[(Product, i64)] {
        &self.0
    }

    /// The value of a sum that is a constant; `None` for other sums.
    pub(super) fn value(&self) -> Option<i64> {
        match self.0.as_slice() {
            [] => Some(0),
            [(product, number)] if product.is_empty() => Some(*number),
            _ => None,
        }
    }

    /// Adds another sum. Returns `None` if the result has more than `MAX_TERMS` terms or a coefficient overflows, as
    /// the other operations on sums do.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(one), Some(two)) => one.0.cmp(&two.0),
            };
            let one = if order.is_le() { ours.next() } else { None };
            let two = if order.is_ge() { theirs.next() } else { None };
            let number = one.map_or(0, |one| one.1).checked_add(two.map_or(0, |two| two.1))?;
            terms.extend(one.or(two).filter(|_| number != 0).map(|(product, _)| (product.clone(), number)));
        }
        (terms.len() <= MAX_TERMS).then_some(Self(terms))
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.scaled(-1)?)
    }

    pub(super) fn offset(&self, by: i64) -> Option<Self> {
        self.plus(&Self::constant(by))
    }

    pub(super) fn scaled(&self, by: i64) -> Option<Self> {
        if by == 0 {
            return Some(Self::default());
        }
        let terms = self.0.iter().map(|(product, number)| Some((product.clone(), number.checked_mul(by)?)));
        terms.collect::<Option<_>>().map(Self)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut all = Self::default();
        for (product, number) in &self.0 {
            let mut part = Vec::with_capacity(other.0.len());
            for (factors, by) in &other.0 {
                let mut product: Product = product.iter().chain(factors).copied().collect();
                product.sort_unstable();
                if product.len() > MAX_FACTORS {
                    return None;
                }
                part.push((product, number.checked_mul(*by)?));
            }
            part.sort_unstable();
            all = all.plus(&Self(part))?;
        }
        Some(all)
    }

    /// The sum divided by `by`, a positive number, rounded down; `None` if the coefficient of a product with factors is
    /// no multiple of `by`.
    pub(super) fn over(&self, by: i64) -> Option<Self> {
        let divided = |(product, number): &(Product, i64)| {
            let whole = product.is_empty() || number % by == 0;
            whole.then(|| (product.clone(), number.div_euclid(by)))
        };
        let terms: Option<Vec<_>> = self.0.iter().map(divided).collect();
        Some(Self(terms?.into_iter().filter(|(_, number)| *number != 0).collect()))
    }

    /// The least and the greatest value of the sum if each number is in its `range`; `None` on overflow.
    pub(super) fn extent(&self, mut range: impl FnMut(Id) -> (i64, i64)) -> Option<(i128, i128)> {
        let (mut low, mut high) = (0i128, 0i128);
        for (product, number) in &self.0 {
            let mut ends = [i128::from(*number); 2];
            for factor in product {
                let (least, most) = range(*factor);
                let mut all = [0i128; 4];
                for (at, end) in all.iter_mut().enumerate() {
                    *end = ends[at & 1].checked_mul(i128::from(if at < 2 { least } else { most }))?;
                }
                ends = [*all.iter().min()?, *all.iter().max()?];
            }
            low = low.checked_add(ends[0])?;
            high = high.checked_add(ends[1])?;
        }
        Some((low, high))
    }
}

//! Sums of products of numbers known on the host, computed without wrapping.

use std::cmp::Ordering;
use std::rc::Rc;

use smallvec::SmallVec;

use super::values::Id;

/// The largest number of products in a sum.
const MAX_TERMS: usize = 12;

/// The largest number of factors in a product.
const MAX_FACTORS: usize = 4;

/// A product of one to four numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Product {
    /// The factors, sorted. Places after the last factor hold the first value of all, so that products are compared as
    /// lists of factors are.
    factors: [Id; MAX_FACTORS],
    count: u8,
}

impl Product {
    fn of(factors: impl Iterator<Item = Id>) -> Option<Self> {
        let mut made = Self { factors: [Id::at(0); MAX_FACTORS], count: 0 };
        for factor in factors {
            *made.factors.get_mut(usize::from(made.count))? = factor;
            made.count += 1;
        }
        made.factors[..usize::from(made.count)].sort_unstable();
        Some(made)
    }

    pub(super) fn factors(&self) -> &[Id] {
        &self.factors[..usize::from(self.count)]
    }
}

/// A product and its coefficient.
pub(super) type Term = (Product, i64);

type Terms = SmallVec<[Term; MAX_TERMS]>;

/// A sum such as `2 * a * b - c + 7`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    constant: i64,
    /// The products, sorted and distinct, each with a coefficient other than 0; `None` if there are none. Sums are
    /// copied far more often than they are computed, so copies share the products.
    terms: Option<Rc<[Term]>>,
}

impl Sum {
    /// `None` if the sum has more than `MAX_TERMS` products, of which a constant other than 0 is one.
    fn new(constant: i64, terms: &[Term]) -> Option<Self> {
        let few = terms.len() + usize::from(constant != 0) <= MAX_TERMS;
        few.then(|| Self { constant, terms: (!terms.is_empty()).then(|| terms.into()) })
    }

    pub(super) fn constant(number: i64) -> Self {
        Self { constant: number, terms: None }
    }

    pub(super) fn of(id: Id) -> Self {
        let product = Product { factors: [id, Id::at(0), Id::at(0), Id::at(0)], count: 1 };
        Self { constant: 0, terms: Some(Rc::new([(product, 1)])) }
    }

    /// The constant part.
    pub(super) fn more(&self) -> i64 {
        self.constant
    }

    /// The other parts.
    pub(super) fn terms(&self) -> &[Term] {
        self.terms.as_deref().unwrap_or_default()
    }

    /// The value of a sum that is a constant; `None` for other sums.
    pub(super) fn value(&self) -> Option<i64> {
        self.terms.is_none().then_some(self.constant)
    }

    /// Adds another sum. Returns `None` if the result has more than `MAX_TERMS` terms or a coefficient overflows, as
    /// the other operations on sums do.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let constant = self.constant.checked_add(other.constant)?;
        for (one, two) in [(self, other), (other, self)] {
            if two.terms.is_none() && (constant == 0 || one.terms().len() < MAX_TERMS) {
                return Some(Self { constant, terms: one.terms.clone() });
            }
        }
        let (mut ours, mut theirs) = (self.terms(), other.terms());
        let mut terms = Terms::new();
        while let (Some((one, left)), Some((two, right))) = (ours.split_first(), theirs.split_first()) {
            match one.0.cmp(&two.0) {
                Ordering::Less => {
                    terms.push(*one);
                    ours = left;
                }
                Ordering::Greater => {
                    terms.push(*two);
                    theirs = right;
                }
                Ordering::Equal => {
                    let number = one.1.checked_add(two.1)?;
                    if number != 0 {
                        terms.push((one.0, number));
                    }
                    (ours, theirs) = (left, right);
                }
            }
        }
        terms.extend_from_slice(ours);
        terms.extend_from_slice(theirs);
        Self::new(constant, &terms)
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
        let constant = self.constant.checked_mul(by)?;
        let terms: Option<Terms> =
            self.terms().iter().map(|(product, number)| Some((*product, number.checked_mul(by)?))).collect();
        Self::new(constant, &terms?)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut all = other.scaled(self.constant)?;
        for (product, number) in self.terms() {
            let multiplied = |(factors, by): &Term| {
                let product = Product::of(product.factors().iter().chain(factors.factors()).copied())?;
                Some((product, number.checked_mul(*by)?))
            };
            let terms: Option<Terms> = other.terms().iter().map(multiplied).collect();
            let mut terms = terms?;
            if other.constant != 0 {
                terms.push((*product, number.checked_mul(other.constant)?));
            }
            terms.sort_unstable();
            all = all.plus(&Self::new(0, &terms)?)?;
        }
        Some(all)
    }

    /// The sum divided by `by`, a positive number, rounded down; `None` if the coefficient of a product is no multiple
    /// of `by`.
    pub(super) fn over(&self, by: i64) -> Option<Self> {
        let divided = |(product, number): &Term| (number % by == 0).then_some((*product, number / by));
        let terms: Option<Terms> = self.terms().iter().map(divided).collect();
        Self::new(self.constant.div_euclid(by), &terms?)
    }

    /// The least and the greatest value of the sum if each number is in its `range`; `None` on overflow.
    pub(super) fn extent(&self, mut range: impl FnMut(Id) -> (i64, i64)) -> Option<(i128, i128)> {
        let (mut low, mut high) = (i128::from(self.constant), i128::from(self.constant));
        for (product, number) in self.terms() {
            let mut ends = [i128::from(*number); 2];
            for factor in product.factors() {
                let (least, most) = range(*factor);
                let mut all = [0i128; 4];
                for (at, end) in all.iter_mut().enumerate() {
                    *end = multiplied(ends[at & 1], if at < 2 { least } else { most })?;
                }
                ends = [*all.iter().min()?, *all.iter().max()?];
            }
            low = low.checked_add(ends[0])?;
            high = high.checked_add(ends[1])?;
        }
        Some((low, high))
    }
}

/// A product with 128 bits; `None` on overflow, which two numbers of 64 bits never cause.
fn multiplied(one: i128, two: i64) -> Option<i128> {
    match i64::try_from(one) {
        Ok(one) => Some(i128::from(one) * i128::from(two)),
        Err(_) => one.checked_mul(two.into()),
    }
}

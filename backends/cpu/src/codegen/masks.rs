//! The vectors of a mask, which are one or two.

use std::ops::Deref;

/// One item for each vector of a mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<T> {
    items: [T; 2],
    count: usize,
}

impl<T: Copy> Masks<T> {
    /// Applies `f` to each item.
    pub(super) fn map<U: Copy>(self, f: impl FnMut(T) -> U) -> Masks<U> {
        self.iter().copied().map(f).collect()
    }

    /// Applies `f` to each pair of items.
    pub(super) fn with(self, other: Self, mut f: impl FnMut(T, T) -> T) -> Self {
        self.iter().zip(other.iter()).map(|(a, b)| f(*a, *b)).collect()
    }
}

impl<T> Deref for Masks<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..self.count]
    }
}

impl<T: Copy> FromIterator<T> for Masks<T> {
    /// Takes the items of an iterator that has one or two.
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { unreachable!("a mask has a vector") };
        let second = items.next();
        Self { items: [first, second.unwrap_or(first)], count: 1 + usize::from(second.is_some()) }
    }
}

impl<T: Copy> IntoIterator for Masks<T> {
    type Item = T;
    type IntoIter = std::iter::Take<std::array::IntoIter<T, 2>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().take(self.count)
    }
}

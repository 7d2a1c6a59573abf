//! Elementwise operations and reductions in plain Rust, defined index by index.

/// An array with a shape and strides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a, T> {
    pub(crate) elements: &'a [T],
    pub(crate) shape: &'a [usize],
    pub(crate) strides: &'a [usize],
}

impl<T: Copy> View<'_, T> {
    /// The element at these coordinates; missing axes and axes of size 1 are broadcast.
    fn at(&self, coordinates: &[usize]) -> T {
        let own = &coordinates[coordinates.len() - self.shape.len()..];
        let axes = own.iter().zip(self.shape).zip(self.strides);
        self.elements[axes.map(|((at, size), stride)| if *size == 1 { 0 } else { at * stride }).sum::<usize>()]
    }
}

/// The coordinates of all elements of a shape, in row-major order.
pub(crate) fn coordinates(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, size| {
        all.iter().flat_map(|head| (0..*size).map(|at| [head.as_slice(), &[at]].concat())).collect()
    })
}

/// The value of `operation(elements, i, n)` for each element of a shape, in row-major order.
pub(crate) fn elementwise<T: Copy, U>(
    shape: &[usize],
    inputs: &[View<'_, T>],
    operation: impl Fn(&[T], usize, usize) -> U,
) -> Vec<U> {
    let all = coordinates(shape);
    let elements = |at: &[usize]| inputs.iter().map(|input| input.at(at)).collect::<Vec<T>>();
    all.iter().enumerate().map(|(i, at)| operation(&elements(at), i, all.len())).collect()
}

/// Combines all mapped elements, starting with `identity`, for each position of the axes that are not reduced.
pub(crate) fn reduction<T: Copy, A: Copy>(
    shape: &[usize],
    axes: &[usize],
    inputs: &[View<'_, T>],
    identity: A,
    map: impl Fn(&[T]) -> A,
    combine: impl Fn(A, A) -> A,
) -> Vec<A> {
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let sizes: Vec<usize> = kept.iter().map(|axis| shape[*axis]).collect();
    let mut results = vec![identity; sizes.iter().product()];
    for at in coordinates(shape) {
        let result = kept.iter().fold(0, |result, axis| result * shape[*axis] + at[*axis]);
        let elements: Vec<T> = inputs.iter().map(|input| input.at(&at)).collect();
        results[result] = combine(results[result], map(&elements));
    }
    results
}

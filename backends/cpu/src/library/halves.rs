//! Blocks of 16-bit matrices, multiplied as `f32`: every factor is converted exactly, and each result is rounded once, or
//! stored in `f32`.

use std::cell::Cell;

use half::{bf16, f16, slice::HalfFloatSliceExt};

use super::product::{self, Block, Matrix};

/// The depth of a part of the factors that is converted at a time: with the sums, 2 MiB for a block of 256 x 512.
const DEPTH: usize = 512;

thread_local! {
    /// Converted factors and sums, kept for the next block of the thread.
    static KEPT: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Elements of 16 bits.
pub(super) trait Half: Copy {
    /// Converts consecutive elements.
    fn widen(from: &[Self], to: &mut [f32]);
}

impl Half for f16 {
    fn widen(from: &[Self], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }
}

impl Half for bf16 {
    fn widen(from: &[Self], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }
}

/// Elements of results.
pub(super) trait Rounded: Copy {
    /// Rounds to the nearest element; ties go to the even one.
    fn round(value: f32) -> Self;
    fn wide(self) -> f32;
}

impl Rounded for f32 {
    fn round(value: f32) -> Self {
        value
    }

    fn wide(self) -> f32 {
        self
    }
}

impl Rounded for f16 {
    fn round(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn wide(self) -> f32 {
        self.to_f32()
    }
}

impl Rounded for bf16 {
    fn round(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn wide(self) -> f32 {
        self.to_f32()
    }
}

/// Multiplies a block.
///
/// # Safety
/// As for [`product::multiply`].
pub(super) unsafe fn multiply<T: Half, R: Rounded>(block: &Block<T, R>) {
    let Block { rows, columns, depth, a, b, c, alpha, beta } = *block;
    // A thread that is ending gets new memory.
    let mut kept = KEPT.try_with(Cell::take).unwrap_or_default();
    let part = depth.min(DEPTH);
    let lengths = [rows * part, part * columns, rows * columns];
    if kept.len() < lengths.iter().sum() {
        kept.resize(lengths.iter().sum(), 0.0);
    }
    let (of_a, rest) = kept.split_at_mut(lengths[0]);
    let (of_b, rest) = rest.split_at_mut(lengths[1]);
    let sums = &mut rest[..lengths[2]];
    for first in (0..depth).step_by(DEPTH) {
        let part = part.min(depth - first);
        // SAFETY: these are elements of the block's factors, to which nothing writes; `multiply` has factors and sums
        // of its own.
        unsafe {
            let a = converted(a.from([0, first]), [rows, part], of_a);
            let b = converted(b.from([first, 0]), [part, columns], of_b);
            let c = Matrix { start: sums.as_mut_ptr(), steps: [columns, 1] };
            let beta = if first == 0 { 0.0 } else { 1.0 };
            product::multiply(&Block { rows, columns, depth: part, a, b, c, alpha: 1.0, beta });
        }
    }
    for (i, line) in sums.chunks_exact(columns).enumerate() {
        // SAFETY: these are a row's elements of the block's `c`, which follow each other; nothing else accesses them.
        let results = unsafe { std::slice::from_raw_parts_mut(c.from([i, 0]).start, columns) };
        for (result, sum) in results.iter_mut().zip(line) {
            let old = if beta == 0.0 { 0.0 } else { beta * result.wide() };
            *result = R::round(alpha * sum + old);
        }
    }
    let _ = KEPT.try_with(|place| place.set(kept));
}

/// Converts a part of a factor, given by rows and columns, into dense lines along the direction in which it is dense.
///
/// # Safety
/// The elements of the part are valid, and nothing writes to them.
unsafe fn converted<T: Half>(matrix: Matrix<T>, [rows, columns]: [usize; 2], target: &mut [f32]) -> Matrix<f32> {
    let by_rows = matrix.steps[1] == 1;
    let (lines, length) = if by_rows { (rows, columns) } else { (columns, rows) };
    for (line, target) in target.chunks_exact_mut(length).take(lines).enumerate() {
        let start = matrix.from(if by_rows { [line, 0] } else { [0, line] }).start;
        // SAFETY: a line is dense, and its elements are valid.
        T::widen(unsafe { std::slice::from_raw_parts(start, length) }, target);
    }
    Matrix { start: target.as_mut_ptr(), steps: if by_rows { [length, 1] } else { [1, length] } }
}

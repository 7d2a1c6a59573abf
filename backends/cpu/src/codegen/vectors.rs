//! Conversion of rows of memory to lanes and back: small transpositions.

use cranelift_codegen::ir as cl;

use super::generator::Generator;
use super::ops::{EVEN, HIGH_HALVES, LOW_HALVES, ODD, Parts, ZIP_HIGH, ZIP_LOW};

impl Generator<'_, '_> {
    /// Converts each pair of rows `(x0 y0 x1 y1) (x2 y2 x3 y3)` to `(x0 x1 x2 x3)` and `(y0 y1 y2 y3)`.
    pub(super) fn unzip(&mut self, rows: &[cl::Value]) -> [Parts; 2] {
        let mut emit = self.emit();
        let mut out = [Parts::new(), Parts::new()];
        for pair in rows.chunks_exact(2) {
            out[0].push(emit.permute(EVEN, pair[0], pair[1]));
            out[1].push(emit.permute(ODD, pair[0], pair[1]));
        }
        out
    }

    /// The inverse of [`Self::unzip`].
    pub(super) fn zip(&mut self, x: &[cl::Value], y: &[cl::Value]) -> Parts {
        let mut emit = self.emit();
        let mut rows = Parts::new();
        for (x, y) in x.iter().zip(y) {
            rows.push(emit.permute(ZIP_LOW, *x, *y));
            rows.push(emit.permute(ZIP_HIGH, *x, *y));
        }
        rows
    }

    /// Transposes each group of four rows with four lanes. Transposition is its own inverse.
    pub(super) fn transpose(&mut self, rows: &[cl::Value]) -> [Parts; 4] {
        let mut emit = self.emit();
        let mut out: [Parts; 4] = std::array::from_fn(|_| Parts::new());
        for four in rows.chunks_exact(4) {
            let low = [emit.permute(ZIP_LOW, four[0], four[1]), emit.permute(ZIP_LOW, four[2], four[3])];
            let high = [emit.permute(ZIP_HIGH, four[0], four[1]), emit.permute(ZIP_HIGH, four[2], four[3])];
            out[0].push(emit.permute(LOW_HALVES, low[0], low[1]));
            out[1].push(emit.permute(HIGH_HALVES, low[0], low[1]));
            out[2].push(emit.permute(LOW_HALVES, high[0], high[1]));
            out[3].push(emit.permute(HIGH_HALVES, high[0], high[1]));
        }
        out
    }
}

//! Conversion of rows of memory to lanes and back: small transpositions.
//!
//! A row has 128 bits. In longer vectors two or four rows lie side by side, whose distance is such that the result has its
//! lanes in order: permutations work within each 128 bits.

use cranelift_codegen::ir as cl;
use smallvec::SmallVec;

use super::generator::Generator;
use super::ops::{EVEN, HIGH_HALVES, LOW_HALVES, ODD, Parts, ZIP_HIGH, ZIP_LOW};

/// Vectors of 128 bits that are consecutive in memory, or at equal distances.
pub(super) type Rows = SmallVec<[cl::Value; 8]>;

impl Generator<'_, '_> {
    /// Converts rows `(x0 y0 x1 y1) (x2 y2 x3 y3) ..` to the lanes `x0 x1 x2 ..` and `y0 y1 y2 ..`.
    pub(super) fn unzip(&mut self, rows: &[cl::Value]) -> [Parts; 2] {
        let rows = self.side_by_side(rows);
        let mut emit = self.emit();
        let mut out = [Parts::new(), Parts::new()];
        for pair in rows.chunks_exact(2) {
            out[0].push(emit.permute(EVEN, pair[0], pair[1]));
            out[1].push(emit.permute(ODD, pair[0], pair[1]));
        }
        out
    }

    /// The inverse of [`Self::unzip`].
    pub(super) fn zip(&mut self, x: &[cl::Value], y: &[cl::Value]) -> Rows {
        let mut emit = self.emit();
        let mut rows = Rows::new();
        for (x, y) in x.iter().zip(y) {
            rows.push(emit.permute(ZIP_LOW, *x, *y));
            rows.push(emit.permute(ZIP_HIGH, *x, *y));
        }
        self.in_order(&rows)
    }

    /// Converts one row of four scalars for each lane to the lanes of each scalar.
    pub(super) fn transpose(&mut self, rows: &[cl::Value]) -> [Parts; 4] {
        let rows = self.side_by_side(rows);
        let mut out: [Parts; 4] = std::array::from_fn(|_| Parts::new());
        for four in rows.chunks_exact(4) {
            for (column, part) in out.iter_mut().zip(self.transpose_four([four[0], four[1], four[2], four[3]])) {
                column.push(part);
            }
        }
        out
    }

    /// The inverse of [`Self::transpose`].
    pub(super) fn rows_of(&mut self, columns: &[Parts]) -> Rows {
        let parts = 0..columns[0].len();
        let rows: Rows =
            parts.flat_map(|part| self.transpose_four(std::array::from_fn(|column| columns[column][part]))).collect();
        self.in_order(&rows)
    }

    /// Transposes four rows with four lanes. Transposition is its own inverse.
    fn transpose_four(&mut self, rows: [cl::Value; 4]) -> [cl::Value; 4] {
        let mut emit = self.emit();
        let low = [emit.permute(ZIP_LOW, rows[0], rows[1]), emit.permute(ZIP_LOW, rows[2], rows[3])];
        let high = [emit.permute(ZIP_HIGH, rows[0], rows[1]), emit.permute(ZIP_HIGH, rows[2], rows[3])];
        [
            emit.permute(LOW_HALVES, low[0], low[1]),
            emit.permute(HIGH_HALVES, low[0], low[1]),
            emit.permute(LOW_HALVES, high[0], high[1]),
            emit.permute(HIGH_HALVES, high[0], high[1]),
        ]
    }

    /// Vectors of the target's size. Rows at equal places in each quarter, or half, of the rows for its lanes lie side by
    /// side.
    fn side_by_side(&mut self, rows: &[cl::Value]) -> Rows {
        let pieces = self.target.pieces();
        let mut sorted = Parts::new();
        for rows in rows.chunks_exact(self.rows_of_vector(rows.len())) {
            let apart = rows.len() / pieces;
            sorted.extend((0..apart).flat_map(|first| (0..pieces).map(move |piece| rows[first + piece * apart])));
        }
        self.emit().joined(sorted).into_iter().collect()
    }

    /// The inverse of [`Self::side_by_side`].
    fn in_order(&mut self, parts: &[cl::Value]) -> Rows {
        let pieces = self.target.pieces();
        let sorted = self.emit().halves(parts);
        let of_vector = sorted.chunks_exact(self.rows_of_vector(sorted.len()));
        of_vector
            .flat_map(|rows| (0..pieces).flat_map(move |piece| rows.iter().skip(piece).step_by(pieces)))
            .copied()
            .collect()
    }

    /// The number of rows for as many lanes of 32 bits as a vector has, of `rows` for all lanes.
    fn rows_of_vector(&self, rows: usize) -> usize {
        self.target.vector_bytes as usize / 4 * rows / self.target.lanes
    }
}

//! Rows of memory to lanes and back: small transpositions.

use cranelift_codegen::ir::{self as cl, Endianness, InstBuilder, MemFlagsData, types};

use super::generator::Generator;
use super::ops::Parts;

impl Generator<'_, '_> {
    /// The same 128 bits as another type of vector.
    pub(super) fn recast(&mut self, ty: cl::Type, value: cl::Value) -> cl::Value {
        if self.b.func.dfg.value_type(value) == ty {
            return value;
        }
        self.b.ins().bitcast(ty, MemFlagsData::new().with_endianness(Endianness::Little), value)
    }

    /// Four 32-bit lanes out of the eight of two vectors.
    pub(super) fn pick(&mut self, a: cl::Value, b: cl::Value, lanes: [u8; 4]) -> cl::Value {
        let ty = self.b.func.dfg.value_type(a);
        let bytes: Vec<u8> = lanes.into_iter().flat_map(|lane| (0..4).map(move |byte| lane * 4 + byte)).collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let (a, b) = (self.recast(types::I8X16, a), self.recast(types::I8X16, b));
        let out = self.b.ins().shuffle(a, b, mask);
        self.recast(ty, out)
    }

    /// Rows `(x0 y0 x1 y1) (x2 y2 x3 y3)` to `x` and `y`, for each two rows.
    pub(super) fn unzip(&mut self, rows: &[cl::Value]) -> [Parts; 2] {
        let mut out = [Parts::new(), Parts::new()];
        for pair in rows.chunks_exact(2) {
            out[0].push(self.pick(pair[0], pair[1], [0, 2, 4, 6]));
            out[1].push(self.pick(pair[0], pair[1], [1, 3, 5, 7]));
        }
        out
    }

    /// The inverse of [`Self::unzip`].
    pub(super) fn zip(&mut self, x: &[cl::Value], y: &[cl::Value]) -> Parts {
        let mut rows = Parts::new();
        for (x, y) in x.iter().zip(y) {
            rows.push(self.pick(*x, *y, [0, 4, 1, 5]));
            rows.push(self.pick(*x, *y, [2, 6, 3, 7]));
        }
        rows
    }

    /// Four rows of four to four columns, for each four rows. It is its own inverse.
    pub(super) fn transpose(&mut self, rows: &[cl::Value]) -> [Parts; 4] {
        let mut out: [Parts; 4] = std::array::from_fn(|_| Parts::new());
        for four in rows.chunks_exact(4) {
            let low = [self.pick(four[0], four[1], [0, 4, 1, 5]), self.pick(four[2], four[3], [0, 4, 1, 5])];
            let high = [self.pick(four[0], four[1], [2, 6, 3, 7]), self.pick(four[2], four[3], [2, 6, 3, 7])];
            out[0].push(self.pick(low[0], low[1], [0, 1, 4, 5]));
            out[1].push(self.pick(low[0], low[1], [2, 3, 6, 7]));
            out[2].push(self.pick(high[0], high[1], [0, 1, 4, 5]));
            out[3].push(self.pick(high[0], high[1], [2, 3, 6, 7]));
        }
        out
    }
}

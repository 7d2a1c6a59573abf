//! The kernels and the passes of a matrix product.

use std::fmt;

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps, DeviceKind, Precision, ProductForm};

use super::super::cooperative;
use super::super::plan::Plan;
use super::choice::Choice;
use super::storage::Storage;
use crate::ops::epilogue::Activation;

/// The sizes of a product: `a` is `m` x `k`, `b` is `k` x `n`, `c` is `m` x `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) m: u32,
    pub(super) k: u32,
    pub(super) n: u32,
}

/// The greatest number of rows of `a`, or of columns of `b`, that is thin.
pub(super) const THIN: u32 = 8;

/// The functions and arrays that a product is combined with before it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Epilogue {
    pub(super) bias: bool,
    pub(super) activation: Option<Activation>,
    pub(super) residual: bool,
}

impl Epilogue {
    pub(super) const NONE: Self = Self { bias: false, activation: None, residual: false };
}

/// The properties of a product that decide which kernels are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) sizes: Sizes,
    pub(super) form: ProductForm,
    pub(super) epilogue: Epilogue,
    pub(super) precision: Precision,
    /// Whether each array begins at a multiple of four elements in its memory.
    pub(super) aligned: bool,
    pub(super) storage: Storage,
}

/// One command of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Fills `c` with zeros, as there are no products to add.
    Zeros,
    /// The vendor's library.
    Library(Precision),
    /// A kernel, with the tiles of `c` in a row and in a column. With several parts, it stores their sums.
    Kernel { kernel: Kernel, tiles: [u32; 2], parts: Parts },
    /// Adds up this number of parts, none after the library, and applies the epilogue, by invocations for a word each.
    Finish { threads: u64, parts: u32 },
}

/// Parts of the depth, which are added up apart, and the depth of each but the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) count: u32,
    pub(super) depth: u32,
}

impl Parts {
    /// At most this number of parts; each begins at a multiple of the depth of a tile.
    fn of(depth: u32, most: u32) -> Self {
        match depth.div_ceil(most.max(1)).checked_next_multiple_of(16) {
            Some(part) if part > 0 && part < depth => Self { count: depth.div_ceil(part), depth: part },
            _ => Self { count: 1, depth },
        }
    }
}

/// A kernel of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Tiles of 64 x 64.
    Tiles,
    /// Tiles of 128 x 128 in `f32`.
    Wide,
    /// Tiles of 128 x 128 in `f16`, by cooperative matrices.
    Cooperative,
    /// Workgroups of this number of invocations for four lines of the large factor, or each invocation for four
    /// columns.
    Vector { lanes: u32 },
    /// The same for vectors of four `f16`, which the device itself converts.
    VectorOfHalves { lanes: u32 },
}

impl Shape {
    /// Whether `a` is the thin factor, of which there are few rows.
    pub(super) fn a_is_thin(&self) -> bool {
        self.sizes.m <= self.sizes.n
    }

    /// Whether lines of the large factor run along the depth.
    pub(super) fn has_lines(&self) -> bool {
        let [a_is_deep, b_is_deep] = self.are_deep();
        if self.a_is_thin() { b_is_deep } else { a_is_deep }
    }

    /// Whether lines of each factor run along the depth. A single row or column does, if its elements are neighbours.
    pub(super) fn are_deep(&self) -> [bool; 2] {
        let [of_a, of_b, _] = self.lines();
        let [a, b] = self.form.transposed;
        [!a || (self.sizes.m == 1 && of_a == 1), b || (self.sizes.n == 1 && of_b == 1)]
    }

    /// Whether all rows of both factors, and of all matrices of a batch, begin at multiples of four elements.
    fn has_aligned_factors(&self) -> bool {
        let (lines, distances) = (self.lines(), self.distances());
        let [of_a, of_b, _] = distances.map(|distance| distance.is_multiple_of(4));
        self.aligned && of_a && of_b && lines[..2].iter().all(|line| line.is_multiple_of(4))
    }

    /// Whether the sums are the result, in `f32`.
    fn is_only_sums(&self) -> bool {
        let form = self.form;
        form.alpha.get() == 1.0 && form.beta.get() == 0.0 && self.epilogue == Epilogue::NONE
    }

    pub(super) fn bytes_of_result(&self) -> u64 {
        if self.storage.is_wide { 4 } else { self.precision.bytes() }
    }

    /// The rows of `a`, or the columns of `b`, if these are fewer.
    pub(super) fn thin(&self) -> u32 {
        self.sizes.m.min(self.sizes.n)
    }

    /// Whether a thin product can read four elements at a time.
    pub(super) fn has_vectors(&self) -> bool {
        let [a_is_deep, b_is_deep] = self.are_deep();
        let large = if self.has_lines() { self.sizes.k } else { self.sizes.m.max(self.sizes.n) };
        let thin_is_deep = if self.a_is_thin() { a_is_deep } else { b_is_deep };
        let is_dense = self.is_dense() || self.has_aligned_factors();
        self.aligned && is_dense && thin_is_deep && self.sizes.k.is_multiple_of(4) && large.is_multiple_of(4)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tiles => f.write_str("tiles"),
            Self::Wide => f.write_str("wide_tiles"),
            Self::Cooperative => f.write_str("cooperative"),
            Self::Vector { lanes } => write!(f, "vector lanes={lanes}"),
            Self::VectorOfHalves { lanes } => write!(f, "vector_f16 lanes={lanes}"),
        }
    }
}

/// The parts of each of these workgroups, so that about as many as wanted run.
fn wanted_parts(wanted: u64, groups: u64) -> u64 {
    if groups > wanted / 2 { 1 } else { wanted / groups }
}

impl Kernel {
    /// The tiles of `c` in a row and in a column.
    fn tiles(self, shape: &Shape) -> [u32; 2] {
        match self {
            Self::Tiles => tiles_of(64, shape.sizes),
            Self::Wide | Self::Cooperative => tiles_of(128, shape.sizes),
            Self::Vector { lanes } | Self::VectorOfHalves { lanes } => {
                let sides = shape.sizes.m.max(shape.sizes.n);
                [if shape.has_lines() { sides.div_ceil(4) } else { sides.div_ceil(4 * lanes) }, 1]
            }
        }
    }

    /// The kernel for thin factors.
    pub(super) fn vector(caps: &Caps, shape: &Shape) -> Self {
        // The processor runs eight invocations at a time, and waits for those of a larger workgroup.
        let lanes = if caps.backend == BackendKind::Cpu { 8 } else { 64 };
        let halves = Self::VectorOfHalves { lanes };
        // Conversion by ordinary arithmetic takes about as long on an H200 as reading twice the elements.
        let is_fast = caps.kind != DeviceKind::Software && halves.is_possible(caps, shape);
        if is_fast { halves } else { Self::Vector { lanes } }
    }

    /// The parts of the depth, so that a device with few tiles has enough work.
    pub(super) fn parts(self, caps: &Caps, shape: &Shape) -> u32 {
        let software = caps.kind == DeviceKind::Software;
        let room = self.most_parts(shape);
        if room < 2 {
            return 1;
        }
        // The workgroups that fill a device, and the depth that makes up for another pass.
        let (wanted, depth) = match self {
            Self::Wide | Self::Cooperative => return 1,
            // Another pass takes as long as the product.
            Self::Tiles if shape.sizes.k < 512 => return 1,
            Self::Tiles if software => (8, 512),
            // Four workgroups for each multiprocessor of a large card: on an H100, 1000 x 3000 x 520 takes 259 us in four
            // parts and 578 in one, 20 x 4096 x 4096 takes 233 in eight and 598 in two.
            Self::Tiles => (512, 128),
            Self::Vector { .. } | Self::VectorOfHalves { .. } if software => (16, 512),
            Self::Vector { .. } | Self::VectorOfHalves { .. } if shape.has_lines() => (1024, 1024),
            Self::Vector { .. } | Self::VectorOfHalves { .. } => (2048, 64),
        };
        let [x, y] = self.tiles(shape).map(u64::from);
        let groups = (x * y).saturating_mul(u64::from(shape.form.batches)).max(1);
        let parts = wanted_parts(wanted, groups).min(room).min(u64::from(shape.sizes.k / depth));
        parts.max(1) as u32
    }

    /// The greatest number of parts of the depth that is possible.
    pub(super) fn most_parts(self, shape: &Shape) -> u64 {
        // The pass that adds up parts writes two neighbours in one word.
        let has_gaps = shape.bytes_of_result() == 2 && !shape.has_dense_c();
        if has_gaps || matches!(self, Self::Wide | Self::Cooperative) {
            return 1;
        }
        // Partial sums stay small beside the factors, and below each device's limit of a binding.
        let of_c = u64::from(shape.sizes.m) * u64::from(shape.sizes.n);
        let room = (1 << 23) / of_c.saturating_mul(u64::from(shape.form.batches)).max(1);
        room.min(u64::from(shape.sizes.k / 64)).clamp(1, 2048)
    }

    /// Whether a device and a shape have all that the kernel needs.
    pub(super) fn is_possible(self, caps: &Caps, shape: &Shape) -> bool {
        match self {
            Self::Tiles => true,
            Self::Vector { .. } => shape.thin() <= THIN,
            Self::VectorOfHalves { .. } => {
                shape.thin() <= THIN
                    && shape.precision == Precision::F16
                    && caps.shader.contains(Capabilities::SHADER_FLOAT16)
                    && shape.has_vectors()
            }
            Self::Wide => shape.precision == Precision::F32 && caps.limits.workgroup_storage >= 16_896,
            Self::Cooperative => {
                // A cell of four elements must not reach beyond the end of a row.
                let [[_, of_a], [_, of_b], _] = shape.stored();
                let fours = [of_a, of_b, shape.sizes.n, shape.lines()[2]];
                shape.precision == Precision::F16
                    && cooperative::lanes(caps).is_some()
                    && shape.has_aligned_factors()
                    && shape.distances()[2].is_multiple_of(4)
                    && fours.iter().all(|size| size.is_multiple_of(4))
            }
        }
    }
}

/// The passes of a product.
pub(super) fn plan(shape: &Shape, choice: Choice) -> Plan<Pass> {
    let Sizes { m, k, n } = shape.sizes;
    let (form, epilogue) = (shape.form, shape.epilogue);
    let [rows, depth, columns] = [m, k, n].map(u64::from);
    if m == 0 || n == 0 || form.batches == 0 {
        return Plan::nothing();
    }
    let keeps = form.beta.get() != 0.0;
    let batches = u64::from(form.batches);
    let of_c = (rows * columns).saturating_mul(batches);
    let element = shape.precision.bytes();
    // A word more for an array that begins with the second half of one.
    let of_result = shape.bytes_of_result();
    let finish = |parts| Pass::Finish { threads: if of_result == 2 { of_c / 2 + 1 } else { of_c }, parts };
    let by_kernel = |kernel: Kernel, most: u32| {
        let parts = Parts::of(k, most);
        let first = Pass::Kernel { kernel, tiles: kernel.tiles(shape), parts };
        // Other kernels have no epilogue for results of another type than the factors.
        let unfinished = shape.storage.is_wide && kernel != Kernel::Cooperative && !shape.is_only_sums();
        if parts.count > 1 || unfinished { vec![first, finish(parts.count)] } else { vec![first] }
    };
    let passes = match choice {
        // A fill would also write what lies between rows.
        _ if k == 0 && !keeps && epilogue == Epilogue::NONE && shape.is_dense() => vec![Pass::Zeros],
        // Neither the library nor all kernels take a product of depth 0.
        _ if k == 0 => by_kernel(Kernel::Tiles, 1),
        Choice::Library(precision) if epilogue == Epilogue::NONE => vec![Pass::Library(precision)],
        Choice::Library(precision) => vec![Pass::Library(precision), finish(0)],
        Choice::Kernel(kernel, most) => by_kernel(kernel, most),
    };
    let scratch = match passes[..] {
        [Pass::Kernel { parts: Parts { count, .. }, .. }, _] => of_c.saturating_mul(4 * u64::from(count)),
        _ => 0,
    };
    let count = |shared: bool| if shared { 1 } else { batches };
    let of_a = (rows * depth).saturating_mul(count(form.shared[0]));
    let of_b = (depth * columns).saturating_mul(count(form.shared[1]));
    let of_bias = if epilogue.bias { columns } else { 0 };
    // The arrays as large as `c` that are read, written or added.
    let read = u64::from(keeps) + u64::from(epilogue.residual);
    let added = u64::from(epilogue.bias) + u64::from(epilogue.residual);
    let factors = of_a.saturating_add(of_b).saturating_mul(element);
    let results = of_c.saturating_mul(1 + read).saturating_add(of_bias).saturating_mul(of_result);
    let flops = of_c.saturating_mul(2 * depth + added);
    Plan { passes, scratch, flops, bytes: factors.saturating_add(results) }
}

/// The tiles of `c` in a row and in a column.
pub(super) fn tiles_of(tile: u32, sizes: Sizes) -> [u32; 2] {
    [sizes.n.div_ceil(tile), sizes.m.div_ceil(tile)]
}

#[cfg(test)]
mod tests;

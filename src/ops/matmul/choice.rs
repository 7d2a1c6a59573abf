//! The choice of an implementation.

use std::fmt;

use anywarp_backend::{Caps, DeviceKind, Precision};

use super::super::choices::powers;
use super::MatmulMethod;
use super::plan::{Epilogue, Kernel, Shape, THIN, tiles_of};

/// The implementation of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Library(Precision),
    /// A kernel, and the most parts of the depth.
    Kernel(Kernel, u32),
}

impl Choice {
    /// The choice without tuning: the library if it has the precision or a higher one. The library of the CPU is faster
    /// than our kernels from 2 x 512 x 2 (5 us, 230 us) to 1024^3, also for thin factors (1 x 1024 x 1024: 0.9 ms, 1.9 ms).
    pub(super) fn default_for(caps: &Caps, shape: &Shape) -> Self {
        // Fewer wide tiles than this leave multiprocessors without work.
        let enough = tiles_of(128, shape.sizes).map(u64::from).iter().product::<u64>() >= 64;
        // Software has no use for larger tiles: its registers hold less than one of 64 x 64.
        let large = match shape.precision {
            Precision::F16 => Some(Kernel::Cooperative),
            _ => Some(Kernel::Wide).filter(|_| enough && caps.kind != DeviceKind::Software),
        };
        let large = large.filter(|kernel| kernel.is_possible(caps, shape));
        // The library needs a second pass for an epilogue. At 4 TB/s it takes the time that the library gains on our large
        // tiles in a depth of about 80 in f32, and 300 in f16. With results in f32 of f16, it moves twice the bytes: on an
        // H200, tiles are ahead at a depth of 512, and behind at 1024 (4096^2: 94 and 109 us, 148 and 128 us).
        let deep = if shape.storage.is_wide { 640 } else { 128 };
        let shallow = shape.sizes.k < deep && shape.epilogue != Epilogue::NONE;
        let kernel = match (routine(caps, shape), large) {
            (Some(_), Some(kernel)) if shallow => kernel,
            (Some(precision), _) => return Self::Library(precision),
            (None, large) => Self::own(caps, shape, large),
        };
        Self::Kernel(kernel, kernel.parts(caps, shape))
    }

    /// The kernel where there is no library.
    fn own(caps: &Caps, shape: &Shape, large: Option<Kernel>) -> Kernel {
        // Memory limits thin products, and conversions soon limit those of 16 bits: tensor cores are ahead from five on,
        // except where the device itself converts vectors. Eight rows then take 81 to 214 us on an H100, and 230 by tiles.
        let vector = Kernel::vector(caps, shape);
        let converts = matches!(vector, Kernel::Vector { .. });
        let thin = if large == Some(Kernel::Cooperative) && converts { 4 } else { THIN };
        if shape.thin() <= thin {
            return vector;
        }
        // A few tiles leave most of the device without work, and only small ones add up parts of the depth.
        let tiles = tiles_of(128, shape.sizes).map(u64::from).iter().product::<u64>();
        let few = tiles.saturating_mul(u64::from(shape.form.batches)) < 8 && shape.sizes.k >= 2048;
        large.filter(|_| !few).unwrap_or(Kernel::Tiles)
    }

    /// The choice that a caller names; `None` if the device or the shape lacks something for it.
    pub(super) fn named(caps: &Caps, shape: &Shape, method: MatmulMethod) -> Option<Self> {
        let kernel = match method {
            MatmulMethod::Library => return routine(caps, shape).map(Self::Library),
            MatmulMethod::Tiles => Kernel::Tiles,
            MatmulMethod::WideTiles => Kernel::Wide,
            MatmulMethod::Cooperative => Kernel::Cooperative,
            MatmulMethod::Vector => Kernel::vector(caps, shape),
        };
        // TF32 may be computed as f32, which is more precise.
        let exact = Shape { precision: exact(shape.precision), ..*shape };
        kernel.is_possible(caps, &exact).then(|| Self::Kernel(kernel, kernel.parts(caps, &exact)))
    }

    /// All choices that give results of the same precision as the default. A library rounds results of 16 bits a second
    /// time where there is an epilogue, so that it is a candidate only if it is the default.
    pub(super) fn all(caps: &Caps, shape: &Shape) -> Vec<Self> {
        let exact = Shape { precision: exact(shape.precision), ..*shape };
        let rounds_once = shape.epilogue == Epilogue::NONE || exact.bytes_of_result() == 4;
        let mut all: Vec<Self> = routine(caps, shape).filter(|_| rounds_once).map(Self::Library).into_iter().collect();
        let lanes = [8, 16, 32, 64];
        let kernels = [Kernel::Tiles, Kernel::Wide, Kernel::Cooperative].into_iter();
        let kernels = kernels.chain(lanes.map(|lanes| Kernel::Vector { lanes }));
        for kernel in kernels.chain(lanes.map(|lanes| Kernel::VectorOfHalves { lanes })) {
            if kernel.is_possible(caps, &exact) {
                all.extend(powers(kernel.most_parts(&exact)).map(|parts| Self::Kernel(kernel, parts as u32)));
            }
        }
        all
    }

    /// Whether the choice, which was made for another product, is one of [`all`](Self::all).
    pub(super) fn is_possible(self, caps: &Caps, shape: &Shape) -> bool {
        let exact = Shape { precision: exact(shape.precision), ..*shape };
        match self {
            Self::Library(precision) => routine(caps, shape) == Some(precision),
            Self::Kernel(kernel, parts) => {
                kernel.is_possible(caps, &exact) && u64::from(parts) <= kernel.most_parts(&exact).max(1)
            }
        }
    }

    /// The name of the choice.
    pub(super) fn method(self) -> MatmulMethod {
        match self {
            Self::Library(_) => MatmulMethod::Library,
            Self::Kernel(Kernel::Tiles, _) => MatmulMethod::Tiles,
            Self::Kernel(Kernel::Wide, _) => MatmulMethod::WideTiles,
            Self::Kernel(Kernel::Cooperative, _) => MatmulMethod::Cooperative,
            Self::Kernel(Kernel::Vector { .. } | Kernel::VectorOfHalves { .. }, _) => MatmulMethod::Vector,
        }
    }
}

/// The name by which results of tuning are kept.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(precision) => write!(f, "library {precision}"),
            Self::Kernel(kernel, parts) => write!(f, "{kernel} parts={parts}"),
        }
    }
}

/// The precision with which kernels compute.
fn exact(precision: Precision) -> Precision {
    if precision == Precision::Tf32 { Precision::F32 } else { precision }
}

/// The library's precision for a product: the one that is wanted, or a higher one. The library must have the form of the
/// product: its strides and the type of its result.
fn routine(caps: &Caps, shape: &Shape) -> Option<Precision> {
    let form = shape.library_form();
    // The leading dimension of a library is not less than the length of a row.
    let rows_overlap = form.stored(shape.library_sizes()).iter().any(|stored| !stored.has_separate_rows());
    // The pass with the epilogue writes two neighbours of 16 bits in one word.
    let of_halves = form.bytes_of_result(shape.precision) == 2;
    let unfinished = of_halves && shape.epilogue != Epilogue::NONE && !shape.has_dense_c();
    if rows_overlap || unfinished {
        return None;
    }
    let wanted = shape.precision;
    [wanted, exact(wanted)].into_iter().find(|precision| caps.library.contains(&form.routine(*precision)))
}

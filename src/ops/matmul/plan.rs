//! The passes of a matrix product.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{Caps, CooperativeProduct, DeviceKind, Precision, ProductForm, Routine, Scalar, ScalarKind};

use super::super::plan::Plan;
use super::MatmulMethod;
use crate::ops::epilogue::Activation;

/// The sizes of a product: `a` is `m` x `k`, `b` is `k` x `n`, `c` is `m` x `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) m: u32,
    pub(super) k: u32,
    pub(super) n: u32,
}

impl Sizes {
    /// The elements of a line in memory, of `a` and of `b`.
    pub(super) fn lines(self, transposed: [bool; 2]) -> [u32; 2] {
        [if transposed[0] { self.m } else { self.k }, if transposed[1] { self.k } else { self.n }]
    }
}

/// What a product becomes before it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Epilogue {
    pub(super) bias: bool,
    pub(super) activation: Option<Activation>,
    pub(super) residual: bool,
}

impl Epilogue {
    const NONE: Self = Self { bias: false, activation: None, residual: false };
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
}

/// One command of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Fills `c` with zeros, as there are no products to add.
    Zeros,
    /// The vendor's library.
    Library(Precision),
    /// A kernel, with the tiles of `c` in a row and in a column.
    Kernel { kernel: Kernel, tiles: [u32; 2] },
    /// Applies the epilogue to `c`, by invocations for a word each.
    Epilogue { threads: u64 },
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
}

impl Kernel {
    /// Rows and columns of `c` that one workgroup computes.
    fn tile(self) -> u32 {
        match self {
            Self::Tiles => 64,
            Self::Wide | Self::Cooperative => 128,
        }
    }

    /// Whether a device and a shape have all that the kernel needs.
    fn is_possible(self, caps: &Caps, shape: &Shape) -> bool {
        match self {
            Self::Tiles => true,
            Self::Wide => shape.precision == Precision::F32 && caps.limits.workgroup_storage >= 16_896,
            Self::Cooperative => {
                let float = |width| Scalar { kind: ScalarKind::Float, width };
                let product = CooperativeProduct { size: 16, factors: float(2), sums: float(4) };
                let lines = shape.sizes.lines(shape.form.transposed);
                shape.precision == Precision::F16
                    && caps.cooperative.contains(&product)
                    && caps.shader.contains(Capabilities::COOPERATIVE_MATRIX | Capabilities::SHADER_FLOAT16)
                    && caps.subgroup_size == Some((32, 32))
                    && caps.limits.workgroup_storage >= 24_576
                    && shape.aligned
                    && [shape.sizes.n, lines[0], lines[1]].iter().all(|size| size.is_multiple_of(4))
            }
        }
    }
}

/// The implementation of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Library(Precision),
    Kernel(Kernel),
}

impl Choice {
    /// The choice without tuning: the library if it has the precision or a higher one.
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
        // tiles in a depth of about 80 in f32, and 300 in f16.
        let shallow = shape.sizes.k < 128 && shape.epilogue != Epilogue::NONE;
        match (routine(caps, shape.precision), large) {
            (Some(_), Some(kernel)) if shallow => Self::Kernel(kernel),
            (Some(precision), _) => Self::Library(precision),
            (None, large) => Self::Kernel(large.unwrap_or(Kernel::Tiles)),
        }
    }

    /// The choice that a caller names; `None` if the device or the shape lacks something for it.
    pub(super) fn named(caps: &Caps, shape: &Shape, method: MatmulMethod) -> Option<Self> {
        let kernel = match method {
            MatmulMethod::Library => return routine(caps, shape.precision).map(Self::Library),
            MatmulMethod::Tiles => Kernel::Tiles,
            MatmulMethod::WideTiles => Kernel::Wide,
            MatmulMethod::Cooperative => Kernel::Cooperative,
        };
        // TF32 may be computed as f32, which is more precise.
        let exact = Shape { precision: exact(shape.precision), ..*shape };
        kernel.is_possible(caps, &exact).then_some(Self::Kernel(kernel))
    }

    /// The name of the choice.
    pub(super) fn method(self) -> MatmulMethod {
        match self {
            Self::Library(_) => MatmulMethod::Library,
            Self::Kernel(Kernel::Tiles) => MatmulMethod::Tiles,
            Self::Kernel(Kernel::Wide) => MatmulMethod::WideTiles,
            Self::Kernel(Kernel::Cooperative) => MatmulMethod::Cooperative,
        }
    }
}

/// The precision with which kernels compute.
fn exact(precision: Precision) -> Precision {
    if precision == Precision::Tf32 { Precision::F32 } else { precision }
}

/// The library's precision for a product: the one that is wanted, or a higher one.
fn routine(caps: &Caps, wanted: Precision) -> Option<Precision> {
    [wanted, exact(wanted)].into_iter().find(|precision| caps.library.contains(&Routine::MatrixProduct(*precision)))
}

/// The passes of a product.
pub(super) fn plan(shape: &Shape, choice: Choice) -> Plan<Pass> {
    let Sizes { m, k, n } = shape.sizes;
    let (form, epilogue) = (shape.form, shape.epilogue);
    let [rows, depth, columns] = [m, k, n].map(u64::from);
    if m == 0 || n == 0 || form.batches == 0 {
        return Plan::nothing();
    }
    let kernel = |kernel: Kernel| Pass::Kernel { kernel, tiles: tiles_of(kernel.tile(), shape.sizes) };
    let keeps = form.beta.get() != 0.0;
    let batches = u64::from(form.batches);
    let of_c = (rows * columns).saturating_mul(batches);
    let element = shape.precision.bytes();
    // A word more for an array that begins with the second half of one.
    let finish = Pass::Epilogue { threads: if element == 2 { of_c / 2 + 1 } else { of_c } };
    let passes = match choice {
        _ if k == 0 && !keeps && epilogue == Epilogue::NONE => vec![Pass::Zeros],
        // The library takes no product of depth 0.
        Choice::Library(_) if k == 0 => vec![kernel(Kernel::Tiles)],
        Choice::Library(precision) if epilogue == Epilogue::NONE => vec![Pass::Library(precision)],
        Choice::Library(precision) => vec![Pass::Library(precision), finish],
        Choice::Kernel(named) => vec![kernel(named)],
    };
    let count = |shared: bool| if shared { 1 } else { batches };
    let of_a = (rows * depth).saturating_mul(count(form.shared[0]));
    let of_b = (depth * columns).saturating_mul(count(form.shared[1]));
    let of_bias = if epilogue.bias { columns } else { 0 };
    // The arrays as large as `c` that are read, written or added.
    let read = u64::from(keeps) + u64::from(epilogue.residual);
    let added = u64::from(epilogue.bias) + u64::from(epilogue.residual);
    let elements = of_a.saturating_add(of_b).saturating_add(of_c.saturating_mul(1 + read)).saturating_add(of_bias);
    Plan { passes, scratch: 0, flops: of_c.saturating_mul(2 * depth + added), bytes: elements.saturating_mul(element) }
}

/// The tiles of `c` in a row and in a column.
pub(super) fn tiles_of(tile: u32, sizes: Sizes) -> [u32; 2] {
    [sizes.n.div_ceil(tile), sizes.m.div_ceil(tile)]
}

#[cfg(test)]
mod tests {
    use anywarp_backend::{BackendKind, Factor};

    use super::*;

    fn shape([m, k, n]: [u32; 3], precision: Precision) -> Shape {
        Shape {
            sizes: Sizes { m, k, n },
            form: ProductForm::default(),
            epilogue: Epilogue::NONE,
            precision,
            aligned: true,
        }
    }

    fn small(sizes: [u32; 3]) -> Shape {
        shape(sizes, Precision::F32)
    }

    const TILES: Choice = Choice::Kernel(Kernel::Tiles);

    /// A card with tensor cores.
    fn card() -> Caps {
        let mut caps = Caps::new(BackendKind::Vulkan, "a card");
        let float = |width| Scalar { kind: ScalarKind::Float, width };
        caps.cooperative = vec![CooperativeProduct { size: 16, factors: float(2), sums: float(4) }];
        caps.shader = Capabilities::COOPERATIVE_MATRIX | Capabilities::SHADER_FLOAT16;
        caps.subgroup_size = Some((32, 32));
        caps.limits.workgroup_storage = 48 << 10;
        caps
    }

    #[test]
    fn a_product_counts_two_operations_for_each_step_of_depth() {
        let plan = plan(&small([100, 30, 65]), TILES);
        assert_eq!(plan.passes, [Pass::Kernel { kernel: Kernel::Tiles, tiles: [2, 2] }]);
        assert_eq!((plan.flops, plan.bytes), (2 * 100 * 30 * 65, 4 * (100 * 30 + 30 * 65 + 100 * 65)));
    }

    #[test]
    fn a_batch_counts_shared_matrices_once_and_old_values_too() {
        let form = ProductForm { batches: 3, shared: [true, false], beta: Factor::ONE, ..ProductForm::default() };
        let plan = plan(&Shape { form, ..small([10, 20, 30]) }, TILES);
        assert_eq!(plan.flops, 3 * 2 * 10 * 20 * 30);
        assert_eq!(plan.bytes, 4 * (10 * 20 + 3 * 20 * 30 + 2 * 3 * 10 * 30));
    }

    #[test]
    fn nothing_to_compute_takes_no_pass_and_nothing_to_add_takes_a_fill() {
        assert!(plan(&small([0, 5, 7]), TILES).passes.is_empty());
        assert_eq!(plan(&small([3, 0, 7]), Choice::Library(Precision::F32)).passes, [Pass::Zeros]);
        let none = ProductForm { batches: 0, ..ProductForm::default() };
        assert!(plan(&Shape { form: none, ..small([3, 5, 7]) }, TILES).passes.is_empty());
        // The old values are still multiplied by `beta`, by a kernel.
        let keeps = ProductForm { beta: Factor::new(2.0), ..ProductForm::default() };
        let passes = plan(&Shape { form: keeps, ..small([3, 0, 7]) }, Choice::Library(Precision::F32)).passes;
        assert_eq!(passes, [Pass::Kernel { kernel: Kernel::Tiles, tiles: [1, 1] }]);
    }

    #[test]
    fn a_library_applies_an_epilogue_in_a_pass_of_its_own() {
        let epilogue = Epilogue { bias: true, activation: Some(Activation::Gelu), residual: true };
        let product = Shape { epilogue, ..shape([10, 200, 30], Precision::F16) };
        let library = plan(&product, Choice::Library(Precision::F16));
        assert_eq!(library.passes, [Pass::Library(Precision::F16), Pass::Epilogue { threads: 151 }]);
        assert_eq!((library.flops, library.bytes), (300 * (400 + 2), 2 * (2000 + 6000 + 2 * 300 + 30)));
        assert_eq!(plan(&product, TILES).passes, [Pass::Kernel { kernel: Kernel::Tiles, tiles: [1, 1] }]);
        // Without depth there is still something to compute.
        let flat = Shape { epilogue, ..small([10, 0, 30]) };
        assert_eq!(plan(&flat, Choice::Library(Precision::F32)).passes, plan(&flat, TILES).passes);
        let threads = |precision| plan(&Shape { precision, ..product }, Choice::Library(precision)).passes[1];
        assert_eq!(threads(Precision::F32), Pass::Epilogue { threads: 300 });
    }

    #[test]
    fn shallow_products_with_an_epilogue_take_a_fast_kernel_instead_of_the_library() {
        let mut caps = card();
        caps.library = [Precision::F32, Precision::Tf32, Precision::F16].map(Routine::MatrixProduct).to_vec();
        let epilogue = Epilogue { bias: true, ..Epilogue::NONE };
        let with = |depth, precision| Shape { epilogue, ..shape([1024, depth, 1024], precision) };
        assert_eq!(Choice::default_for(&caps, &with(124, Precision::F32)), Choice::Kernel(Kernel::Wide));
        assert_eq!(Choice::default_for(&caps, &with(124, Precision::F16)), Choice::Kernel(Kernel::Cooperative));
        assert_eq!(Choice::default_for(&caps, &with(128, Precision::F16)), Choice::Library(Precision::F16));
        assert_eq!(Choice::default_for(&caps, &with(124, Precision::Tf32)), Choice::Library(Precision::Tf32));
        assert_eq!(Choice::default_for(&caps, &with(123, Precision::F16)), Choice::Library(Precision::F16));
        let plain = shape([1024, 4, 1024], Precision::F32);
        assert_eq!(Choice::default_for(&caps, &plain), Choice::Library(Precision::F32));
    }

    #[test]
    fn the_largest_sizes_do_not_overflow() {
        let form = ProductForm { batches: u32::MAX, ..ProductForm::default() };
        let plan = plan(&Shape { form, ..small([u32::MAX; 3]) }, TILES);
        assert_eq!(plan.flops, u64::MAX);
    }

    #[test]
    fn tf32_falls_back_to_a_higher_precision() {
        let mut caps = Caps::webgpu_baseline();
        let tf32 = shape([64; 3], Precision::Tf32);
        assert_eq!(Choice::default_for(&caps, &tf32), TILES);
        caps.library = vec![Routine::MatrixProduct(Precision::F32)];
        assert_eq!(Choice::default_for(&caps, &tf32), Choice::Library(Precision::F32));
        assert_eq!(Choice::default_for(&caps, &shape([64; 3], Precision::F16)), TILES);
    }

    #[test]
    fn large_products_take_wide_tiles_where_there_is_memory() {
        let large = small([1024, 64, 1024]);
        assert_eq!(Choice::default_for(&card(), &large), Choice::Kernel(Kernel::Wide));
        assert_eq!(Choice::default_for(&card(), &small([1024, 64, 896])), TILES);
        assert_eq!(Choice::default_for(&Caps::webgpu_baseline(), &large), TILES);
        let mut software = card();
        software.kind = DeviceKind::Software;
        assert_eq!(Choice::default_for(&software, &large), TILES);
        // Asked for, it is used on software too.
        let asked = Choice::named(&software, &large, MatmulMethod::WideTiles);
        assert_eq!(asked, Some(Choice::Kernel(Kernel::Wide)));
        assert_eq!(Choice::named(&Caps::webgpu_baseline(), &large, MatmulMethod::WideTiles), None);
    }

    #[test]
    fn tensor_cores_need_aligned_lines_of_f16() {
        let cooperative = Choice::Kernel(Kernel::Cooperative);
        let f16 = |sizes| shape(sizes, Precision::F16);
        assert_eq!(Choice::default_for(&card(), &f16([5, 8, 12])), cooperative);
        for sizes in [[5, 7, 12], [5, 8, 13]] {
            assert_eq!(Choice::default_for(&card(), &f16(sizes)), TILES, "{sizes:?}");
        }
        assert_eq!(Choice::default_for(&card(), &Shape { aligned: false, ..f16([5, 8, 12]) }), TILES);
        // The lines of a transposed matrix are as long as it has rows.
        let transposed = ProductForm { transposed: [true, false], ..ProductForm::default() };
        assert_eq!(Choice::default_for(&card(), &Shape { form: transposed, ..f16([5, 8, 12]) }), TILES);
        assert_eq!(Choice::default_for(&card(), &Shape { form: transposed, ..f16([8, 5, 12]) }), cooperative);
        assert_eq!(Choice::named(&card(), &shape([8; 3], Precision::Bf16), MatmulMethod::Cooperative), None);
        let mut wide = card();
        wide.subgroup_size = Some((32, 64));
        assert_eq!(Choice::default_for(&wide, &f16([8; 3])), TILES);
    }
}

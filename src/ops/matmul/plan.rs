//! The passes of a matrix product.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{
    BackendKind, Caps, CooperativeProduct, DeviceKind, Precision, ProductForm, Routine, Scalar, ScalarKind,
};

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

/// The greatest number of rows of `a`, or of columns of `b`, that is thin.
const THIN: u32 = 8;

/// The functions and arrays that a product is combined with before it is stored.
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
    /// Workgroups of this number of invocations for four lines of the large factor, or each invocation for four columns.
    Vector { lanes: u32 },
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

    /// Whether lines of each factor run along the depth. A single row or column does.
    pub(super) fn are_deep(&self) -> [bool; 2] {
        [!self.form.transposed[0] || self.sizes.m == 1, self.form.transposed[1] || self.sizes.n == 1]
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
        self.aligned && thin_is_deep && self.sizes.k.is_multiple_of(4) && large.is_multiple_of(4)
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
            Self::Vector { lanes } => {
                let sides = shape.sizes.m.max(shape.sizes.n);
                [if shape.has_lines() { sides.div_ceil(4) } else { sides.div_ceil(4 * lanes) }, 1]
            }
        }
    }

    /// The kernel for thin factors.
    fn vector(caps: &Caps) -> Self {
        // The processor runs eight invocations at a time, and waits for those of a larger workgroup.
        Self::Vector { lanes: if caps.backend == BackendKind::Cpu { 8 } else { 64 } }
    }

    /// The parts of the depth, so that a device with few tiles has enough work.
    fn parts(self, caps: &Caps, shape: &Shape) -> u32 {
        let software = caps.kind == DeviceKind::Software;
        // The workgroups that fill a device, and the depth that makes up for another pass.
        let (wanted, depth) = match self {
            Self::Wide | Self::Cooperative => return 1,
            Self::Tiles if software => (8, 512),
            Self::Tiles => (128, 256),
            Self::Vector { .. } if software => (16, 512),
            Self::Vector { .. } if shape.has_lines() => (1024, 1024),
            Self::Vector { .. } => (2048, 64),
        };
        let [x, y] = self.tiles(shape).map(u64::from);
        let groups = (x * y).saturating_mul(u64::from(shape.form.batches)).max(1);
        // Partial sums stay small beside the factors, and below each device's limit of a binding.
        let of_c = u64::from(shape.sizes.m) * u64::from(shape.sizes.n);
        let room = (1 << 23) / of_c.saturating_mul(u64::from(shape.form.batches)).max(1);
        let parts = wanted_parts(wanted, groups).min(room).min(u64::from(shape.sizes.k / depth));
        parts.max(1) as u32
    }

    /// Whether a device and a shape have all that the kernel needs.
    fn is_possible(self, caps: &Caps, shape: &Shape) -> bool {
        match self {
            Self::Tiles => true,
            Self::Vector { .. } => shape.thin() <= THIN,
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
    /// A kernel, and the most parts of the depth.
    Kernel(Kernel, u32),
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
        let kernel = match (routine(caps, shape.precision), large) {
            (Some(_), Some(kernel)) if shallow => kernel,
            (Some(precision), _) => return Self::Library(precision),
            (None, large) => Self::own(caps, shape, large),
        };
        Self::Kernel(kernel, kernel.parts(caps, shape))
    }

    /// The kernel where there is no library.
    fn own(caps: &Caps, shape: &Shape, large: Option<Kernel>) -> Kernel {
        // Memory limits thin products, and multiplications soon limit those of 16 bits without tensor cores.
        let thin = if large == Some(Kernel::Cooperative) { 4 } else { THIN };
        if shape.thin() <= thin {
            return Kernel::vector(caps);
        }
        // A few tiles leave most of the device without work, and only small ones add up parts of the depth.
        let tiles = tiles_of(128, shape.sizes).map(u64::from).iter().product::<u64>();
        let few = tiles.saturating_mul(u64::from(shape.form.batches)) < 8 && shape.sizes.k >= 2048;
        large.filter(|_| !few).unwrap_or(Kernel::Tiles)
    }

    /// The choice that a caller names; `None` if the device or the shape lacks something for it.
    pub(super) fn named(caps: &Caps, shape: &Shape, method: MatmulMethod) -> Option<Self> {
        let kernel = match method {
            MatmulMethod::Library => return routine(caps, shape.precision).map(Self::Library),
            MatmulMethod::Tiles => Kernel::Tiles,
            MatmulMethod::WideTiles => Kernel::Wide,
            MatmulMethod::Cooperative => Kernel::Cooperative,
            MatmulMethod::Vector => Kernel::vector(caps),
        };
        // TF32 may be computed as f32, which is more precise.
        let exact = Shape { precision: exact(shape.precision), ..*shape };
        kernel.is_possible(caps, &exact).then(|| Self::Kernel(kernel, kernel.parts(caps, &exact)))
    }

    /// The name of the choice.
    pub(super) fn method(self) -> MatmulMethod {
        match self {
            Self::Library(_) => MatmulMethod::Library,
            Self::Kernel(Kernel::Tiles, _) => MatmulMethod::Tiles,
            Self::Kernel(Kernel::Wide, _) => MatmulMethod::WideTiles,
            Self::Kernel(Kernel::Cooperative, _) => MatmulMethod::Cooperative,
            Self::Kernel(Kernel::Vector { .. }, _) => MatmulMethod::Vector,
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
    let keeps = form.beta.get() != 0.0;
    let batches = u64::from(form.batches);
    let of_c = (rows * columns).saturating_mul(batches);
    let element = shape.precision.bytes();
    // A word more for an array that begins with the second half of one.
    let finish = |parts| Pass::Finish { threads: if element == 2 { of_c / 2 + 1 } else { of_c }, parts };
    let by_kernel = |kernel: Kernel, most: u32| {
        let parts = Parts::of(k, most);
        let first = Pass::Kernel { kernel, tiles: kernel.tiles(shape), parts };
        if parts.count > 1 { vec![first, finish(parts.count)] } else { vec![first] }
    };
    let passes = match choice {
        _ if k == 0 && !keeps && epilogue == Epilogue::NONE => vec![Pass::Zeros],
        // Neither the library nor all kernels take a product of depth 0.
        _ if k == 0 => by_kernel(Kernel::Tiles, 1),
        Choice::Library(precision) if epilogue == Epilogue::NONE => vec![Pass::Library(precision)],
        Choice::Library(precision) => vec![Pass::Library(precision), finish(0)],
        Choice::Kernel(kernel, most) => by_kernel(kernel, most),
    };
    let scratch = match passes[0] {
        Pass::Kernel { parts: Parts { count, .. }, .. } if count > 1 => of_c.saturating_mul(4 * u64::from(count)),
        _ => 0,
    };
    let count = |shared: bool| if shared { 1 } else { batches };
    let of_a = (rows * depth).saturating_mul(count(form.shared[0]));
    let of_b = (depth * columns).saturating_mul(count(form.shared[1]));
    let of_bias = if epilogue.bias { columns } else { 0 };
    // The arrays as large as `c` that are read, written or added.
    let read = u64::from(keeps) + u64::from(epilogue.residual);
    let added = u64::from(epilogue.bias) + u64::from(epilogue.residual);
    let elements = of_a.saturating_add(of_b).saturating_add(of_c.saturating_mul(1 + read)).saturating_add(of_bias);
    Plan { passes, scratch, flops: of_c.saturating_mul(2 * depth + added), bytes: elements.saturating_mul(element) }
}

/// The tiles of `c` in a row and in a column.
pub(super) fn tiles_of(tile: u32, sizes: Sizes) -> [u32; 2] {
    [sizes.n.div_ceil(tile), sizes.m.div_ceil(tile)]
}

#[cfg(test)]
mod tests {
    use anywarp_backend::Factor;

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

    const TILES: Choice = Choice::Kernel(Kernel::Tiles, 1);
    const WIDE: Choice = Choice::Kernel(Kernel::Wide, 1);
    const COOPERATIVE: Choice = Choice::Kernel(Kernel::Cooperative, 1);

    /// A pass of tiles over the whole depth.
    fn tiles(tiles: [u32; 2], depth: u32) -> Pass {
        Pass::Kernel { kernel: Kernel::Tiles, tiles, parts: Parts { count: 1, depth } }
    }

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
        assert_eq!(plan.passes, [tiles([2, 2], 30)]);
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
        assert_eq!(passes, [tiles([1, 1], 0)]);
    }

    #[test]
    fn a_library_applies_an_epilogue_in_a_pass_of_its_own() {
        let epilogue = Epilogue { bias: true, activation: Some(Activation::Gelu), residual: true };
        let product = Shape { epilogue, ..shape([10, 200, 30], Precision::F16) };
        let library = plan(&product, Choice::Library(Precision::F16));
        assert_eq!(library.passes, [Pass::Library(Precision::F16), Pass::Finish { threads: 151, parts: 0 }]);
        assert_eq!((library.flops, library.bytes), (300 * (400 + 2), 2 * (2000 + 6000 + 2 * 300 + 30)));
        assert_eq!(plan(&product, TILES).passes, [tiles([1, 1], 200)]);
        // Without depth there is still something to compute.
        let flat = Shape { epilogue, ..small([10, 0, 30]) };
        assert_eq!(plan(&flat, Choice::Library(Precision::F32)).passes, plan(&flat, TILES).passes);
        let threads = |precision| plan(&Shape { precision, ..product }, Choice::Library(precision)).passes[1];
        assert_eq!(threads(Precision::F32), Pass::Finish { threads: 300, parts: 0 });
    }

    #[test]
    fn shallow_products_with_an_epilogue_take_a_fast_kernel_instead_of_the_library() {
        let mut caps = card();
        caps.library = [Precision::F32, Precision::Tf32, Precision::F16].map(Routine::MatrixProduct).to_vec();
        let epilogue = Epilogue { bias: true, ..Epilogue::NONE };
        let with = |depth, precision| Shape { epilogue, ..shape([1024, depth, 1024], precision) };
        assert_eq!(Choice::default_for(&caps, &with(124, Precision::F32)), WIDE);
        assert_eq!(Choice::default_for(&caps, &with(124, Precision::F16)), COOPERATIVE);
        assert_eq!(Choice::default_for(&caps, &with(128, Precision::F16)), Choice::Library(Precision::F16));
        assert_eq!(Choice::default_for(&caps, &with(124, Precision::Tf32)), Choice::Library(Precision::Tf32));
        assert_eq!(Choice::default_for(&caps, &with(123, Precision::F16)), Choice::Library(Precision::F16));
        let plain = shape([1024, 4, 1024], Precision::F32);
        assert_eq!(Choice::default_for(&caps, &plain), Choice::Library(Precision::F32));
    }

    #[test]
    fn thin_products_take_vectors_in_either_order() {
        let mut processor = Caps::new(BackendKind::Cpu, "a processor");
        processor.kind = DeviceKind::Software;
        for (caps, lanes) in [(&card(), 64), (&processor, 8)] {
            let kernel = Kernel::Vector { lanes };
            for sizes in [[1, 500, 700], [700, 500, 1], [8, 500, 9], [9, 500, 8], [1, 1, 1]] {
                let chosen = Choice::default_for(caps, &small(sizes));
                assert!(matches!(chosen, Choice::Kernel(named, _) if named == kernel), "{sizes:?}: {chosen:?}");
            }
            assert_eq!(Choice::default_for(caps, &small([9, 500, 9])), TILES);
            assert_eq!(Choice::named(caps, &small([9, 500, 9]), MatmulMethod::Vector), None);
        }
        // Tensor cores are ahead from five on.
        assert_eq!(Choice::default_for(&card(), &shape([5, 64, 64], Precision::F16)), COOPERATIVE);
        // A workgroup for four lines, or for columns of 64 invocations.
        let vector = |sizes, most| plan(&small(sizes), Choice::Kernel(Kernel::Vector { lanes: 64 }, most)).passes[0];
        let kernel = Kernel::Vector { lanes: 64 };
        let parts = Parts { count: 1, depth: 500 };
        assert_eq!(vector([701, 500, 3], 1), Pass::Kernel { kernel, tiles: [176, 1], parts });
        let parts = Parts { count: 4, depth: 128 };
        assert_eq!(vector([3, 500, 701], 4), Pass::Kernel { kernel, tiles: [3, 1], parts });
    }

    #[test]
    fn thin_products_read_vectors_where_lines_are_aligned() {
        let with = |sizes, transposed| {
            let shape = Shape { form: ProductForm { transposed, ..ProductForm::default() }, ..small(sizes) };
            (shape.has_lines(), shape.has_vectors())
        };
        assert_eq!(with([1, 8, 12], [false, false]), (false, true));
        assert_eq!(with([1, 8, 13], [false, false]), (false, false));
        assert_eq!(with([1, 8, 13], [true, true]), (true, true));
        assert_eq!(with([2, 8, 12], [true, true]), (true, false));
        assert_eq!(with([12, 8, 1], [false, false]), (true, true));
        assert_eq!(with([12, 8, 2], [false, false]), (true, false));
        assert_eq!(with([12, 8, 2], [true, true]), (false, true));
        assert_eq!(with([12, 7, 1], [false, false]), (true, false));
        assert!(!Shape { aligned: false, ..small([1, 8, 12]) }.has_vectors());
    }

    #[test]
    fn small_results_of_deep_products_are_summed_in_parts() {
        let deep = small([64, 8192, 64]);
        let chosen = Choice::default_for(&card(), &deep);
        assert_eq!(chosen, Choice::Kernel(Kernel::Tiles, 32));
        let deep = plan(&deep, chosen);
        let first = Pass::Kernel { kernel: Kernel::Tiles, tiles: [1, 1], parts: Parts { count: 32, depth: 256 } };
        assert_eq!(deep.passes, [first, Pass::Finish { threads: 64 * 64, parts: 32 }]);
        assert_eq!(deep.scratch, 4 * 32 * 64 * 64);
        assert_eq!(Choice::default_for(&card(), &small([64, 256, 64])), TILES);
        assert_eq!(Choice::default_for(&card(), &small([1024, 8192, 896])), TILES);
        let f16 = |sizes| shape(sizes, Precision::F16);
        assert_eq!(Choice::default_for(&card(), &f16([64, 8192, 64])), chosen);
        assert_eq!(Choice::default_for(&card(), &f16([64, 1024, 64])), COOPERATIVE);
        // The last part is shorter; every one begins at a multiple of 16.
        assert_eq!(Parts::of(1000, 3), Parts { count: 3, depth: 336 });
        assert_eq!(Parts::of(20, 8), Parts { count: 2, depth: 16 });
        assert_eq!(Parts::of(16, 8), Parts { count: 1, depth: 16 });
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
        assert_eq!(Choice::default_for(&card(), &large), WIDE);
        assert_eq!(Choice::default_for(&card(), &small([1024, 64, 896])), TILES);
        assert_eq!(Choice::default_for(&Caps::webgpu_baseline(), &large), TILES);
        let mut software = card();
        software.kind = DeviceKind::Software;
        assert_eq!(Choice::default_for(&software, &large), TILES);
        // Asked for, it is used on software too.
        let asked = Choice::named(&software, &large, MatmulMethod::WideTiles);
        assert_eq!(asked, Some(WIDE));
        assert_eq!(Choice::named(&Caps::webgpu_baseline(), &large, MatmulMethod::WideTiles), None);
    }

    #[test]
    fn tensor_cores_need_aligned_lines_of_f16() {
        let cooperative = COOPERATIVE;
        let f16 = |sizes| shape(sizes, Precision::F16);
        assert_eq!(Choice::default_for(&card(), &f16([9, 8, 12])), cooperative);
        for sizes in [[9, 7, 12], [9, 8, 13]] {
            assert_eq!(Choice::default_for(&card(), &f16(sizes)), TILES, "{sizes:?}");
        }
        assert_eq!(Choice::default_for(&card(), &Shape { aligned: false, ..f16([9, 8, 12]) }), TILES);
        // The lines of a transposed matrix are as long as it has rows.
        let transposed = ProductForm { transposed: [true, false], ..ProductForm::default() };
        assert_eq!(Choice::default_for(&card(), &Shape { form: transposed, ..f16([9, 8, 12]) }), TILES);
        assert_eq!(Choice::default_for(&card(), &Shape { form: transposed, ..f16([12, 5, 12]) }), cooperative);
        assert_eq!(Choice::named(&card(), &shape([8; 3], Precision::Bf16), MatmulMethod::Cooperative), None);
        let mut wide = card();
        wide.subgroup_size = Some((32, 64));
        assert_eq!(Choice::default_for(&wide, &f16([12; 3])), TILES);
    }
}

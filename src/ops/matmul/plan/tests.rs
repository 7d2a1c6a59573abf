//! Tests of choices and passes.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{CooperativeProduct, Factor, Routine, Scalar, ScalarKind};

use super::super::MatmulMethod;
use super::*;

fn shape([m, k, n]: [u32; 3], precision: Precision) -> Shape {
    let (form, storage) = (ProductForm::default(), Storage::default());
    Shape { sizes: Sizes { m, k, n }, form, epilogue: Epilogue::NONE, precision, aligned: true, storage }
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
    // The pass after the library moves twice the bytes of a result in f32 of f16.
    caps.library.push(Routine::WideProduct(Precision::F16));
    let wide =
        |depth| Shape { storage: Storage { is_wide: true, ..Storage::default() }, ..with(depth, Precision::F16) };
    assert_eq!(Choice::default_for(&caps, &wide(636)), COOPERATIVE);
    assert_eq!(Choice::default_for(&caps, &wide(640)), Choice::Library(Precision::F16));
    let unfinished = Shape { epilogue: Epilogue::NONE, ..wide(128) };
    assert_eq!(Choice::default_for(&caps, &unfinished), Choice::Library(Precision::F16));
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
    // Vectors that the device itself converts; without them tensor cores are ahead from five on.
    let halves = |lanes| Kernel::VectorOfHalves { lanes };
    for sizes in [[5, 64, 64], [8, 4, 8192]] {
        let f16 = shape(sizes, Precision::F16);
        assert!(matches!(Choice::default_for(&card(), &f16), Choice::Kernel(kernel, _) if kernel == halves(64)));
        let by_words = Choice::default_for(&processor, &f16);
        assert!(matches!(by_words, Choice::Kernel(kernel, _) if kernel == (Kernel::Vector { lanes: 8 })));
        assert_eq!(Choice::default_for(&card(), &f16).method(), MatmulMethod::Vector);
    }
    let across = ProductForm { transposed: [true, false], ..ProductForm::default() };
    let f16 = |sizes| Shape { form: across, ..shape(sizes, Precision::F16) };
    assert_eq!(Choice::default_for(&card(), &f16([8, 64, 64])), COOPERATIVE);
    let four = Choice::default_for(&card(), &f16([4, 64, 64]));
    assert!(matches!(four, Choice::Kernel(Kernel::Vector { lanes: 64 }, _)));
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
    assert_eq!(chosen, Choice::Kernel(Kernel::Tiles, 64));
    let deep = plan(&deep, chosen);
    let first = Pass::Kernel { kernel: Kernel::Tiles, tiles: [1, 1], parts: Parts { count: 64, depth: 128 } };
    assert_eq!(deep.passes, [first, Pass::Finish { threads: 64 * 64, parts: 64 }]);
    assert_eq!(deep.scratch, 4 * 64 * 64 * 64);
    assert_eq!(Choice::default_for(&card(), &small([64, 256, 64])), TILES);
    let halved = Choice::default_for(&card(), &small([1024, 8192, 896]));
    assert_eq!(halved, Choice::Kernel(Kernel::Tiles, 2));
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
fn a_library_computes_the_forms_that_it_lists() {
    let wide = Storage { is_wide: true, ..Storage::default() };
    let strided = Storage { lines: Some([64, 64, 80]), ..Storage::default() };
    let both = Storage { is_wide: true, ..strided };
    let halves = |storage| Shape { storage, ..shape([64; 3], Precision::F16) };
    let library = Choice::Library(Precision::F16);
    for (routine, fitting) in [
        (Routine::MatrixProduct(Precision::F16), Storage::default()),
        (Routine::WideProduct(Precision::F16), wide),
        (Routine::StridedProduct(Precision::F16), strided),
        (Routine::StridedWideProduct(Precision::F16), both),
    ] {
        let mut caps = Caps::webgpu_baseline();
        caps.library = vec![routine];
        for storage in [Storage::default(), wide, strided, both] {
            let chosen = Choice::default_for(&caps, &halves(storage));
            assert_eq!(chosen == library, storage == fitting, "{routine:?} {storage:?}");
            let named = Choice::named(&caps, &halves(storage), MatmulMethod::Library);
            assert_eq!(named, (storage == fitting).then_some(library), "{routine:?} {storage:?}");
        }
    }
}

#[test]
fn a_library_takes_rows_that_do_not_overlap_and_finishes_results_without_gaps() {
    let mut caps = Caps::webgpu_baseline();
    caps.library = Routine::matrix_products(Precision::F16).chain(Routine::matrix_products(Precision::F32)).collect();
    let by_library = |shape: &Shape| Choice::named(&caps, shape, MatmulMethod::Library).is_some();
    let lines = |lines, of: Shape| Shape { storage: Storage { lines: Some(lines), ..of.storage }, ..of };
    let product = small([8, 16, 24]);
    assert!(by_library(&lines([16, 24, 24], product)) && by_library(&lines([17, 30, 25], product)));
    assert!(!by_library(&lines([15, 24, 24], product)) && !by_library(&lines([16, 0, 24], product)));
    // A single row overlaps none.
    assert!(by_library(&lines([1, 24, 24], small([1, 16, 24]))));
    // The finishing pass writes words, which hold two elements of 16 bits.
    let epilogue = Epilogue { bias: true, ..Epilogue::NONE };
    let halves = Shape { epilogue, ..shape([8, 16, 24], Precision::F16) };
    assert!(by_library(&halves) && by_library(&lines([20, 24, 24], halves)));
    assert!(!by_library(&lines([16, 24, 25], halves)));
    let wide = Shape { storage: Storage { is_wide: true, ..Storage::default() }, ..halves };
    let gaps = lines([16, 24, 25], wide);
    assert!(by_library(&gaps) && by_library(&lines([16, 24, 25], Shape { epilogue, ..product })));
    let passes = plan(&gaps, Choice::Library(Precision::F16)).passes;
    assert_eq!(passes, [Pass::Library(Precision::F16), Pass::Finish { threads: 8 * 24, parts: 0 }]);
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
    // With gaps between rows, aligned rows may still end within a cell of four elements.
    let gaps = |lines, sizes| Shape { storage: Storage { lines: Some(lines), ..Storage::default() }, ..f16(sizes) };
    assert_eq!(Choice::default_for(&card(), &gaps([12, 12, 16], [9, 8, 12])), cooperative);
    assert_eq!(Choice::default_for(&card(), &gaps([8, 12, 12], [9, 7, 12])), TILES);
    assert_eq!(Choice::named(&card(), &shape([8; 3], Precision::Bf16), MatmulMethod::Cooperative), None);
    let mut wide = card();
    wide.subgroup_size = Some((32, 64));
    assert_eq!(Choice::default_for(&wide, &f16([12; 3])), TILES);
}

/// Tuning tries choices, but none with a lower precision than the default.
#[test]
fn candidates_keep_the_precision_and_have_different_names() {
    let mut caps = card();
    caps.library = [Precision::F32, Precision::Tf32, Precision::F16].map(Routine::MatrixProduct).to_vec();
    let epilogue = Epilogue { bias: true, ..Epilogue::NONE };
    let has = |shape: Shape, precision| Choice::all(&caps, &shape).contains(&Choice::Library(precision));
    let [f32, tf32, f16] = [Precision::F32, Precision::Tf32, Precision::F16].map(|one| shape([64, 512, 64], one));
    assert!(has(f32, Precision::F32) && !has(f32, Precision::Tf32) && has(tf32, Precision::Tf32));
    // The library rounds results of 16 bits before the epilogue.
    assert!(has(f16, Precision::F16) && !has(Shape { epilogue, ..f16 }, Precision::F16));
    assert!(has(Shape { epilogue, ..f32 }, Precision::F32));
    for shape in [f32, tf32, f16, shape([3, 4096, 1000], Precision::F16), Shape { aligned: false, ..f16 }] {
        let all = Choice::all(&caps, &shape);
        assert!(all.len() > 2 && all.iter().all(|choice| choice.is_possible(&caps, &shape)), "{all:?}");
        let names: std::collections::BTreeSet<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), all.len(), "{names:?}");
    }
    // A choice for aligned arrays does not hold for others.
    assert!(!COOPERATIVE.is_possible(&caps, &Shape { aligned: false, ..f16 }));
    assert!(!Choice::Kernel(Kernel::Tiles, 16).is_possible(&caps, &f32));
}

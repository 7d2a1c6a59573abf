//! Tests of the passes.

use super::*;

const GPU: Target = Target { software: false, walks: false, cuda: false };
const CUDA: Target = Target { cuda: true, ..GPU };
const LLVMPIPE: Target = Target { software: true, ..GPU };
const CPU: Target = Target { walks: true, ..LLVMPIPE };

fn line(length: u64) -> Shape {
    Shape {
        lines: 1,
        length,
        inner: 1,
        element: 4,
        value: 4,
        heads: 0,
        offsets: None,
        in_place: false,
        vectors: false,
        window: None,
    }
}

fn passes(shape: Shape, target: Target) -> Vec<Pass> {
    plan(shape, Choice::default_for(shape, target)).plan.passes
}

#[test]
fn a_long_scan_takes_three_passes_and_a_short_one_takes_one_tile() {
    assert_eq!(passes(line(0), GPU), []);
    assert_eq!(passes(line(1), GPU), [Pass::Tile]);
    assert_eq!(passes(line(3328), GPU), [Pass::Tile]);
    let three = [Pass::SumTiles { groups: 2 }, Pass::ScanTileSums, Pass::ScanTiles { groups: 2 }];
    assert_eq!(passes(line(3329), GPU), three);
    let chained = plan(line(3329), Choice::Chained).plan.passes;
    assert_eq!(chained, [Pass::ClearStates, Pass::Chained { groups: 2 }]);
}

#[test]
fn what_cannot_be_chained_takes_three_passes() {
    let three = |groups| vec![Pass::SumTiles { groups }, Pass::ScanTileSums, Pass::ScanTiles { groups }];
    let in_place = Shape { in_place: true, ..line(10_000) };
    assert_eq!(passes(in_place, GPU), three(4));
    assert_eq!(plan(in_place, Choice::Chained).plan.passes, three(4));
    let wide = Shape { element: 8, value: 8, ..line(10_000) };
    assert_eq!(passes(wide, GPU), three(8));
    assert_eq!(plan(wide, Choice::Chained).plan.passes, three(8));
}

#[test]
fn columns_and_the_processor_walk_lines() {
    let columns = Shape { lines: 1 << 16, inner: 1 << 10, ..line(1 << 10) };
    assert_eq!(passes(columns, GPU), [Pass::Lines { groups: 256 }]);
    assert_eq!(plan(columns, Choice::Chained).plan.passes, [Pass::Lines { groups: 256 }]);
    let few = plan(Shape { lines: 4, inner: 4, ..line(1 << 20) }, Choice::Lines { parts: 256 });
    assert_eq!((few.tiles, few.chunk), (256, 4096));
    let groups = 4;
    let wanted = [Pass::SumParts { groups }, Pass::ScanPartSums { groups: 1 }, Pass::ScanParts { groups }];
    assert_eq!(few.plan.passes, wanted);
    assert_eq!(passes(line(1023), LLVMPIPE), [Pass::Lines { groups: 1 }]);
    assert_eq!(passes(line(1024), LLVMPIPE).len(), 3);
    assert_eq!(passes(Shape { lines: 6000, ..line(1 << 15) }, LLVMPIPE).len(), 1);
    assert_eq!(passes(Shape { lines: 6000, ..line((1 << 15) + 1) }, LLVMPIPE).len(), 3);
    assert_eq!(passes(columns, CPU), [Pass::Lines { groups: 256 }]);
}

#[test]
fn aligned_vectors_stay_in_registers() {
    let vectors = |length| Shape { vectors: true, ..line(length) };
    assert_eq!(passes(vectors(3328), GPU), [Pass::Tile]);
    let (groups, each) = (2, 2);
    let three = [Pass::SumVectors { groups, each }, Pass::ScanTileSums, Pass::ScanVectors { groups, each }];
    assert_eq!(passes(vectors(3332), GPU), three);
    assert_eq!(passes(Shape { in_place: true, ..vectors(3332) }, CUDA), three);
    assert_eq!(passes(vectors(3332), CUDA), [Pass::ClearStates, Pass::ChainedVectors { groups, each }]);
    let (groups, each) = (512, 8);
    assert_eq!(passes(vectors(1 << 22), CUDA), [Pass::ClearStates, Pass::ChainedVectors { groups, each }]);
    assert_eq!(passes(line(3329), CUDA), [Pass::ClearStates, Pass::Chained { groups: 2 }]);
    assert_eq!(passes(line(3328), CUDA), [Pass::Tile]);
}

#[test]
fn the_processor_walks_along_neighbouring_elements() {
    let vectors = false;
    assert_eq!(passes(line(4095), CPU), [Pass::Rows { lines: 1, vectors }]);
    let walks = plan(line(4097), Choice::default_for(line(4097), CPU));
    let (parts, lines) = (2, 1);
    let (sums, scans) = (Pass::SumWalks { parts, lines, vectors }, Pass::ScanWalks { parts, lines, vectors });
    assert_eq!(walks.plan.passes, [sums, Pass::ScanWalkSums { lines }, scans]);
    assert_eq!((walks.tiles, walks.chunk), (2, 2052));
    let of_lines = |lines| passes(Shape { lines, ..line(1 << 20) }, CPU);
    assert_eq!(of_lines(600), [Pass::Rows { lines: 600, vectors }]);
    assert_eq!(of_lines(4)[0], Pass::SumWalks { parts: 64, lines: 4, vectors });
    assert_eq!(passes(Shape { vectors: true, ..line(4000) }, CPU), [Pass::Rows { lines: 1, vectors: true }]);
}

#[test]
fn offsets_set_bits_first() {
    let shape = Shape { offsets: Some(300), heads: 1200, ..line(10_000) };
    let planned = plan(shape, Choice::Chained).plan;
    assert_eq!(planned.passes[..2], [Pass::ClearMarks, Pass::Marks { groups: 2 }]);
    assert_eq!(planned.scratch, 4 * 313 + 4 * (4 + 2 * 4 + 4));
    assert_eq!((planned.flops, planned.bytes), (10_000, 2 * 4 * 10_000 + 1200));
}

#[test]
fn arrays_above_the_limit_of_a_binding_take_windows() {
    let window = Some([1 << 18, 256]);
    let long = Shape { window, ..line(1_000_000) };
    // Windows of 64 tiles.
    let three = |sums| {
        let pass = |first, groups| Pass::Window { first, groups, sums, each: None };
        [pass(0, 64), pass(64, 64), pass(128, 64), pass(192, 64), pass(256, 45)]
    };
    for target in [GPU, CUDA, LLVMPIPE, CPU] {
        let planned = plan(long, Choice::default_for(long, target));
        assert_eq!(planned.plan.passes, [&three(true)[..], &[Pass::ScanTileSums], &three(false)].concat());
        assert_eq!((planned.tiles, planned.plan.scratch), (301, 8 * 301));
    }
    let vectors = plan(Shape { vectors: true, ..long }, Choice::Vectors { each: 2, chained: true }).plan.passes;
    assert_eq!(vectors[0], Pass::Window { first: 0, groups: 128, sums: true, each: Some(2) });
    // These scans cannot be split into windows.
    for other in [
        Shape { lines: 10, length: 100_000, ..long },
        Shape { heads: 8, offsets: Some(2), ..long },
        Shape { window: Some([100_000, 256]), ..long },
    ] {
        let passes = plan(other, Choice::Tiles).plan.passes;
        assert!(!passes.iter().any(|pass| matches!(pass, Pass::Window { .. })), "{other:?}");
    }
}

#[test]
fn every_element_is_in_one_part_and_nothing_overflows() {
    for length in [1, 2, 1023, 1024, 1025, 65_537, (1 << 32) - (1 << 16)] {
        for parts in [0, 1, 2, 3, 512, u64::MAX] {
            for choice in [Choice::Lines { parts }, Choice::Walks { parts }] {
                let planned = plan(line(length), choice);
                let (tiles, chunk) = (planned.tiles, planned.chunk);
                assert!(tiles * chunk >= length && (tiles - 1) * chunk < length, "{length} {choice:?}");
            }
        }
        for choice in [Choice::Chained, Choice::Tiles] {
            let tiles = plan(line(length), choice).tiles;
            assert!(tiles * 3328 >= length && tiles * 3328 < 1 << 32, "{length}");
        }
    }
}

#[test]
fn the_memory_for_sums_is_that_of_the_plan() {
    let of_lines = |lines, inner| Shape { lines, inner, ..line(100) };
    for shape in [of_lines(200_000, 1), of_lines(300, 1), of_lines(300, 300), of_lines(3, 1)] {
        for choice in Choice::all(shape, GPU).into_iter().chain(Choice::all(shape, LLVMPIPE)) {
            let planned = plan(shape, choice);
            let chained = matches!(choice, Choice::Chained | Choice::Vectors { chained: true, .. });
            let wanted = if chained { 0 } else { planned.plan.scratch };
            assert_eq!(planned.sums(shape.lines) * (shape.value + 4), wanted, "{choice} of {shape:?}");
        }
    }
    // One sum for each tile of 13 elements of 256 invocations, and not for each tile of each line.
    assert_eq!(plan(of_lines(200_000, 1), Choice::Tiles).sums(200_000), 6010);
}

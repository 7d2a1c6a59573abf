//! Variants of kernels, specialised for similar launches: same results for these launches and for all others.

use std::thread;
use std::time::{Duration, Instant};

use anywarp::{Device, DeviceOptions, Kernel, UnifiedBuffer, Variants};
use anywarp_testing::hanging;

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(100);

/// Adds to each cell of a table. The bounds of `at` cannot be proven without the table's size.
const ADD: &str = "
    struct Table { columns: u32, rows: u32, more: f32, round: u32 }
    @group(0) @binding(0) var<uniform> table: Table;
    @group(0) @binding(1) var<storage, read_write> cells: array<u32>;
    @compute @workgroup_size(8, 8)
    fn add(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < table.columns && id.y < table.rows {
            let at = id.y * table.columns + id.x;
            cells[at] += u32(table.more) + 1000u * table.round;
        }
    }";

/// Every index is proven without a variant, and there is no division.
const PROVEN: &str = "
    @group(0) @binding(0) var<uniform> more: u32;
    @group(0) @binding(1) var<storage, read_write> cells: array<u32>;
    @compute @workgroup_size(64)
    fn add(@builtin(global_invocation_id) id: vec3<u32>) {
        cells[min(id.x, arrayLength(&cells) - 1u)] += more;
    }";

/// One workgroup for each cell.
const WIDE: &str = "
    @group(0) @binding(0) var<uniform> step: u32;
    @group(0) @binding(1) var<storage, read_write> cells: array<u32>;
    @compute @workgroup_size(1)
    fn number(@builtin(workgroup_id) group: vec3<u32>) {
        cells[group.x * step] = group.x + 1u;
    }";

/// Runs `test` on each device.
fn on_each(variants: Variants, test: fn(&Device)) {
    let mut any = false;
    for candidate in Device::enumerate() {
        let options = DeviceOptions::default().selector(&candidate.selector).variants(variants);
        let Ok(device) = Device::open_with(&options) else { continue };
        any = true;
        hanging::within(PATIENCE, move || test(&device));
    }
    assert!(any || std::env::var_os("ANYWARP_REQUIRE").is_none(), "no device to test with");
}

/// A launch of [`ADD`] over `cells`, or over the first `bound` of them, on `groups`.
#[derive(Clone, Copy)]
struct Launch {
    size: [u32; 2],
    more: f32,
    round: u32,
    bound: usize,
    groups: [u32; 2],
}

const USUAL: Launch = Launch { size: [16, 16], more: 2.0, round: 0, bound: 256, groups: [2, 2] };
const CELLS: usize = 1024;

impl Launch {
    fn run(self, kernel: &Kernel, cells: &mut UnifiedBuffer<u32>) {
        let [columns, rows] = self.size;
        let launch = kernel.launch().set("table.columns", columns).set("table.rows", rows);
        let launch = launch.set("table.more", self.more).set("table.round", self.round);
        launch.bind("cells", cells.slice_mut(..self.bound)).groups(self.groups).expect("a launch");
    }

    /// The expected cells, computed in Rust; accesses out of range write nothing.
    fn expect(self, cells: &mut [u32]) {
        let more = self.more as u32 + 1000 * self.round;
        for y in 0..self.size[1].min(8 * self.groups[1]) {
            for x in 0..self.size[0].min(8 * self.groups[0]) {
                let at = (y * self.size[0] + x) as usize;
                if at < self.bound {
                    cells[at] = cells[at].wrapping_add(more);
                }
            }
        }
    }
}

/// Waits until all variants are compiled.
fn settled(device: &Device) {
    let start = Instant::now();
    while device.variant_stats().pending > 0 {
        assert!(start.elapsed() < PATIENCE, "{:?}", device.variant_stats());
        thread::sleep(Duration::from_millis(1));
    }
}

/// Runs each launch the given number of times, and compares all cells.
fn check(device: &Device, kernel: &Kernel, launches: &[(u32, Launch)]) {
    let mut cells = device.buffer::<u32>(CELLS).expect("memory");
    let mut expected = vec![0u32; CELLS];
    for (number, (times, launch)) in launches.iter().enumerate() {
        for _ in 0..*times {
            launch.run(kernel, &mut cells);
            launch.expect(&mut expected);
        }
        assert!(*cells.read().expect("the cells") == *expected, "{}: after launch {number}", device.selector());
        settled(device);
    }
}

#[test]
fn launches_that_are_alike_run_a_variant() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        check(device, &kernel, &[(15, USUAL)]);
        assert_eq!(device.variant_stats().made, 0, "15 launches are too few");
        check(device, &kernel, &[(1, USUAL), (10, USUAL)]);
        let stats = device.variant_stats();
        assert_eq!((stats.made, stats.launches, device.stats().launches), (1, 10, 26));
    });
}

#[test]
fn other_launches_do_not() {
    on_each(Variants::InBackground, |device| {
        // Launches for which the usual variant would be wrong, with the flag whether they still run one.
        let others = [
            (Launch { bound: 100, ..USUAL }, false),
            (Launch { bound: 512, ..USUAL }, false),
            (Launch { size: [32, 32], groups: [4, 4], bound: 512, ..USUAL }, false),
            (Launch { groups: [4, 4], ..USUAL }, false),
            (Launch { size: [16, 8], ..USUAL }, false),
            (Launch { size: [1 << 20, 2], ..USUAL }, false),
            (Launch { round: 3, ..USUAL }, false),
            (Launch { more: 7.0, ..USUAL }, true),
            (USUAL, true),
        ];
        let kernel = device.kernel(ADD).expect("a kernel");
        check(device, &kernel, &[(20, USUAL)]);
        for (number, (other, runs)) in others.into_iter().enumerate() {
            let before = device.variant_stats();
            check(device, &kernel, &[(1, other), (1, USUAL)]);
            let taken = device.variant_stats().launches - before.launches;
            assert_eq!(taken, 1 + u64::from(runs), "{}: other {number}", device.selector());
        }
        assert_eq!(device.variant_stats().made, 1);
    });
}

#[test]
fn with_at_once_the_first_launch_runs_a_variant() {
    on_each(Variants::AtOnce, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let wide = Launch { size: [32, 32], groups: [4, 4], bound: 1024, ..USUAL };
        check(device, &kernel, &[(2, USUAL), (1, Launch { bound: 100, ..USUAL }), (1, wide)]);
        let stats = device.variant_stats();
        // With 100 cells the index may be out of range, so the variant would save nothing.
        assert_eq!((stats.made, stats.launches), (2, 3), "{}", device.selector());
    });
}

#[test]
fn a_value_that_changes_is_not_specialised() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let rounds: Vec<_> = (0..60).map(|round| (1, Launch { round, more: round as f32, ..USUAL })).collect();
        check(device, &kernel, &rounds);
        let stats = device.variant_stats();
        assert_eq!(stats.made, 1, "{}", device.selector());
        assert!(stats.launches > 30, "{stats:?}");
    });
}

#[test]
fn a_variant_that_no_longer_fits_is_followed_by_another() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let other = Launch { round: 1, ..USUAL };
        check(device, &kernel, &[(16, USUAL), (4, USUAL), (16, other), (16, other), (4, other), (4, USUAL)]);
        let stats = device.variant_stats();
        // Until it is there, 15 of the others run one that is made by conditions: they were unlike those before.
        assert_eq!((stats.made, stats.launches), (3, 4 + 4 + 4 + 15), "{}", device.selector());
    });
}

#[test]
fn uniforms_in_buffers_are_not_specialised() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let mut cells = device.buffer::<u32>(CELLS).expect("memory");
        let mut table = device.buffer::<u8>(16).expect("a table");
        let mut expected = vec![0u32; CELLS];
        for rows in (1..=16).rev().chain([16; 10]) {
            let words = [16, rows, 2f32.to_bits(), 0].map(u32::to_le_bytes);
            table.copy_from_slice(words.as_flattened()).expect("an upload");
            let launch = kernel.launch().bind("table", &mut table).bind("cells", cells.slice_mut(..256));
            launch.groups((2, 2)).expect("a launch");
            Launch { size: [16, rows], ..USUAL }.expect(&mut expected);
            settled(device);
        }
        assert!(*cells.read().expect("the cells") == *expected, "{}", device.selector());
    });
}

#[test]
fn no_variant_is_made_without_a_gain() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(PROVEN).expect("a kernel");
        let mut cells = device.buffer::<u32>(64).expect("memory");
        for _ in 0..40 {
            kernel.launch().set("more", 2u32).bind("cells", &mut cells).threads(64).expect("a launch");
            settled(device);
        }
        assert_eq!(cells.read().expect("the cells")[63], 80);
        assert_eq!(device.variant_stats().made, 0, "{}", device.selector());
    });
}

#[test]
fn never_makes_no_variants() {
    on_each(Variants::Never, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        check(device, &kernel, &[(40, USUAL)]);
        let stats = device.variant_stats();
        assert_eq!((stats.made, stats.pending, stats.launches), (0, 0, 0));
    });
}

#[test]
fn the_number_of_variants_is_bounded() {
    on_each(Variants::AtOnce, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let lengths: Vec<_> = (0..100).map(|less| (1, Launch { bound: 1024 - 4 * less, ..USUAL })).collect();
        check(device, &kernel, &lengths);
        // Eight by numbers, and one by what these have to do with each other.
        let stats = device.variant_stats();
        assert_eq!((stats.made, stats.launches), (9, 100), "{}", device.selector());
    });
}

#[test]
fn recordings_keep_their_variant() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let mut cells = device.buffer::<u32>(256).expect("memory");
        let mut record = || {
            let mut recording = device.recording();
            let launch = kernel.launch().set("table.columns", 16u32).set("table.rows", 16u32);
            let launch = launch.set("table.more", 1f32).set("table.round", 0u32).bind("cells", &mut cells);
            launch.record(&mut recording).groups((2, 2)).expect("a launch");
            recording
        };
        let before = record();
        (0..15).for_each(|_| drop(record()));
        settled(device);
        let after = record();
        assert_eq!((device.variant_stats().made, device.variant_stats().launches), (1, 1), "{}", device.selector());
        for recording in [&before, &after, &before] {
            recording.submit().expect("a submission").wait().expect("an end");
        }
        drop(kernel);
        after.submit().expect("a submission").wait().expect("an end");
        assert!(cells.read().expect("the cells").iter().all(|cell| *cell == 4), "{}", device.selector());
    });
}

#[test]
fn indirect_grids_are_not_specialised() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let mut cells = device.buffer::<u32>(CELLS).expect("memory");
        let mut expected = vec![0u32; CELLS];
        let wide = Launch { size: [64, 64], bound: 512, groups: [8, 8], ..USUAL };
        for side in [2u32; 20].into_iter().chain([8]) {
            let grid = device.buffer_from(&[side, side, 1]).expect("a grid");
            let launch = kernel.launch().set("table.columns", 64u32).set("table.rows", 64u32);
            let launch = launch.set("table.more", 2f32).set("table.round", 0u32);
            launch.bind("cells", cells.slice_mut(..512)).indirect(&grid, 0).expect("a launch");
            Launch { groups: [side, side], ..wide }.expect(&mut expected);
            settled(device);
        }
        assert!(*cells.read().expect("the cells") == *expected, "{}", device.selector());
    });
}

#[test]
fn grids_above_the_limit_have_variants() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(WIDE).expect("a kernel");
        let limit = device.caps().limits.workgroups_per_dimension;
        if limit > 1 << 20 {
            return;
        }
        let mut cells = device.buffer::<u32>(1 << 18).expect("memory");
        // Other launches must not write beyond the last cell or workgroup of the variant.
        for (times, groups, bound) in
            [(16, limit + 5, 1 << 17), (2, limit + 5, 1 << 17), (1, limit + 5, 1 << 16), (1, limit + 9, 1 << 17)]
        {
            for _ in 0..times {
                cells.fill(0).expect("zeros");
                let launch = kernel.launch().set("step", 1u32).bind("cells", cells.slice_mut(..bound));
                launch.groups(groups).expect("a launch");
            }
            settled(device);
            let expected = |at: usize| u32::from(at < bound && at < groups as usize) * (at as u32 + 1);
            let cells = cells.read().expect("the cells");
            assert!(cells.iter().enumerate().all(|(at, cell)| *cell == expected(at)), "{}", device.selector());
        }
        let stats = device.variant_stats();
        assert_eq!((stats.made, stats.launches), (1, 2), "{}", device.selector());
    });
}

#[test]
fn threads_share_variants() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        thread::scope(|scope| {
            for seed in 0..4u32 {
                let kernel = &kernel;
                scope.spawn(move || {
                    let launches: Vec<_> =
                        (0..40).map(|turn| (1, Launch { round: (seed + turn) % 2, bound: 256, ..USUAL })).collect();
                    check(device, kernel, &launches);
                });
            }
        });
    });
}

#[test]
fn a_device_closes_during_a_compilation() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let mut cells = device.buffer::<u32>(256).expect("memory");
        (0..16).for_each(|_| USUAL.run(&kernel, &mut cells));
        // The variant is still being compiled when the test ends.
    });
}

#[test]
fn sizes_that_change_have_one_variant_in_common() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        // No two of them have all numbers in common, but a table never has more cells than are bound.
        let launches: Vec<_> = (0..60)
            .map(|at| {
                let size = [5 + at % 11, 4 + at % 9];
                (1, Launch { size, round: at, bound: 256 + 4 * at as usize, ..USUAL })
            })
            .collect();
        check(device, &kernel, &launches);
        let stats = device.variant_stats();
        assert_eq!((stats.made, stats.launches), (1, 60 - 16), "{}", device.selector());
    });
}

#[test]
fn each_launch_is_asked_for_what_a_variant_needs() {
    on_each(Variants::AtOnceByConditions, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let launches = [
            (USUAL, true),
            (Launch { bound: 255, ..USUAL }, false),
            (Launch { size: [17, 16], bound: 272, groups: [3, 2], ..USUAL }, true),
            (Launch { size: [17, 16], bound: 271, groups: [3, 2], ..USUAL }, false),
            (Launch { size: [0, 5], bound: 4, ..USUAL }, true),
            // Products that wrap: 0 in the kernel's numbers, and 2^32 - 2.
            (Launch { size: [1 << 16, 1 << 16], bound: 512, groups: [4, 4], ..USUAL }, false),
            (Launch { size: [1 << 20, 1 << 12], bound: 512, groups: [4, 4], ..USUAL }, false),
            (Launch { size: [u32::MAX, 2], bound: 512, groups: [4, 1], ..USUAL }, false),
            (Launch { size: [32, 32], bound: 1024, groups: [4, 4], round: 9, more: 3.0 }, true),
        ];
        for (number, (launch, runs)) in launches.into_iter().enumerate() {
            let before = device.variant_stats().launches;
            check(device, &kernel, &[(1, launch)]);
            let taken = device.variant_stats().launches - before;
            assert_eq!(taken, u64::from(runs), "{}: launch {number}", device.selector());
        }
        assert_eq!(device.variant_stats().made, 1, "{}", device.selector());
    });
}

#[test]
fn slices_count_with_their_own_length() {
    on_each(Variants::AtOnceByConditions, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let mut cells = device.buffer::<u32>(CELLS).expect("memory");
        for (elements, runs) in [(256, true), (255, false), (256, true)] {
            cells.fill(0).expect("zeros");
            let before = device.variant_stats().launches;
            let launch = kernel.launch().set("table.columns", 16u32).set("table.rows", 16u32);
            let launch = launch.set("table.more", 1f32).set("table.round", 0u32);
            launch.bind("cells", cells.slice_mut(64..64 + elements)).groups((2, 2)).expect("a launch");
            let expected = |at: usize| u32::from((64..64 + elements).contains(&at));
            let found = cells.read().expect("the cells");
            assert!(found.iter().enumerate().all(|(at, cell)| *cell == expected(at)), "{}", device.selector());
            let taken = device.variant_stats().launches - before;
            assert_eq!(taken, u64::from(runs), "{}: {elements} elements", device.selector());
        }
    });
}

#[test]
fn what_the_host_does_not_know_meets_nothing() {
    on_each(Variants::AtOnceByConditions, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        let mut cells = device.buffer::<u32>(CELLS).expect("memory");
        let words = [16, 16, 2f32.to_bits(), 0].map(u32::to_le_bytes);
        let table = device.buffer_from(words.as_flattened()).expect("a table");
        for _ in 0..3 {
            let launch = kernel.launch().bind("table", &table).bind("cells", cells.slice_mut(..256));
            launch.groups((2, 2)).expect("a launch");
        }
        assert_eq!(cells.read().expect("the cells")[255], 6);
        // The grid of a kernel that compares nothing.
        let kernel = device.kernel(WIDE).expect("a kernel");
        let grid = device.buffer_from(&[64u32, 1, 1]).expect("a grid");
        let launch = kernel.launch().set("step", 1u32).bind("cells", cells.slice_mut(..64));
        launch.indirect(&grid, 0).expect("a launch");
        assert_eq!(cells.read().expect("the cells")[..66], (1..=64).chain([6, 6]).collect::<Vec<u32>>());
        assert_eq!((device.variant_stats().made, device.variant_stats().launches), (0, 0), "{}", device.selector());
        // Known, it is taken for as many as there are.
        for (groups, runs) in [(64u32, true), (65, false), (63, true)] {
            cells.fill(0).expect("zeros");
            let before = device.variant_stats().launches;
            let launch = kernel.launch().set("step", 1u32).bind("cells", cells.slice_mut(..64));
            launch.groups(groups).expect("a launch");
            let expected: Vec<u32> = (1..=64).map(|cell| if cell <= groups { cell } else { 0 }).chain([0, 0]).collect();
            assert_eq!(cells.read().expect("the cells")[..66], expected, "{}", device.selector());
            let taken = device.variant_stats().launches - before;
            assert_eq!(taken, u64::from(runs), "{}: {groups} groups", device.selector());
        }
    });
}

#[test]
fn negative_sizes_meet_nothing() {
    const SIGNED: &str = "
        struct Table { columns: i32, rows: i32, first: i32 }
        @group(0) @binding(0) var<uniform> table: Table;
        @group(0) @binding(1) var<storage, read_write> cells: array<u32>;
        @compute @workgroup_size(8, 8)
        fn count(@builtin(global_invocation_id) id: vec3<u32>) {
            let at = vec2<i32>(id.xy);
            if at.y < table.rows && at.x < 4 { cells[table.first + at.y * table.columns + at.x] = 1u + id.x; }
        }";
    on_each(Variants::AtOnceByConditions, |device| {
        let kernel = device.kernel(SIGNED).expect("a kernel");
        let table = [
            ([4, 8, 0], 32, true),
            ([5, 4, 12], 32, true),
            ([5, 4, 13], 32, true),
            ([5, 4, 14], 32, false),
            ([-4, 8, 28], 32, false),
            ([4, 8, -1], 32, false),
            ([i32::MIN, 2, 0], 32, false),
            ([1 << 30, 5, 0], 32, false),
            // No row is less than that, so nothing is accessed.
            ([4, -8, 0], 32, true),
        ];
        for (number, (sizes @ [columns, rows, first], elements, runs)) in table.into_iter().enumerate() {
            let mut cells = device.buffer::<u32>(64).expect("memory");
            let before = device.variant_stats().launches;
            let launch = kernel.launch().set("table.columns", columns).set("table.rows", rows);
            let launch = launch.set("table.first", first).bind("cells", cells.slice_mut(..elements));
            launch.groups((1, 1)).expect("a launch");
            let mut expected = vec![0u32; 64];
            for y in 0..rows.clamp(0, 8) {
                for x in 0..4 {
                    let at = first.wrapping_add(y.wrapping_mul(columns)).wrapping_add(x);
                    // A negative index is beyond the end, too.
                    if let Ok(at @ 0..32) = usize::try_from(at) {
                        expected[at] = x as u32 + 1;
                    }
                }
            }
            let found = cells.read().expect("the cells");
            // Several may write to one cell.
            let overlap = columns.unsigned_abs() < 4 || columns == 1 << 30 || columns == i32::MIN;
            let same = |(found, expected): (&u32, &u32)| found == expected || overlap && *found <= 4;
            assert!(found.iter().zip(&expected).all(same), "{}: {sizes:?}: {found:?}", device.selector());
            // Where a grid may be so large that an id is negative as an `i32`, less is proven.
            let taken = device.variant_stats().launches - before;
            assert!(taken <= u64::from(runs), "{}: launch {number}", device.selector());
        }
    });
}

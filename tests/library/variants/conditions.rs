//! Variants for launches that meet the same conditions.

use anywarp::Variants;

use super::{ADD, CELLS, Launch, USUAL, WIDE, check, on_each};

#[test]
fn sizes_that_change_have_one_variant_in_common() {
    on_each(Variants::InBackground, |device| {
        let kernel = device.kernel(ADD).expect("a kernel");
        // No two launches have all values in common, but in each launch the table has at most as many cells as are
        // bound.
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
            // The products of the sizes wrap in `u32`: to 0, 0 and 2^32 - 2.
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
        // The host does not know the values of an indirect grid; this kernel does not compare its index with any size.
        let kernel = device.kernel(WIDE).expect("a kernel");
        let grid = device.buffer_from(&[64u32, 1, 1]).expect("a grid");
        let launch = kernel.launch().set("step", 1u32).bind("cells", cells.slice_mut(..64));
        launch.indirect(&grid, 0).expect("a launch");
        assert_eq!(cells.read().expect("the cells")[..66], (1..=64).chain([6, 6]).collect::<Vec<u32>>());
        assert_eq!((device.variant_stats().made, device.variant_stats().launches), (0, 0), "{}", device.selector());
        // A launch with a known grid runs the variant if it has at most as many workgroups as there are cells.
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
            // No row number is below a negative number of rows, so nothing is accessed.
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
                    // A negative index counts as beyond the end, too.
                    if let Ok(at @ 0..32) = usize::try_from(at) {
                        expected[at] = x as u32 + 1;
                    }
                }
            }
            let found = cells.read().expect("the cells");
            // Several invocations may write to the same cell.
            let overlap = columns.unsigned_abs() < 4 || columns == 1 << 30 || columns == i32::MIN;
            let same = |(found, expected): (&u32, &u32)| found == expected || overlap && *found <= 4;
            assert!(found.iter().zip(&expected).all(same), "{}: {sizes:?}: {found:?}", device.selector());
            let taken = device.variant_stats().launches - before;
            // Where a grid may be so large that an id is negative as an `i32`, fewer conditions are proven.
            if u64::from(device.caps().limits.workgroups_per_dimension) * 8 > i32::MAX as u64 {
                assert!(taken <= u64::from(runs), "{}: launch {number}", device.selector());
            } else {
                assert_eq!(taken, u64::from(runs), "{}: launch {number}", device.selector());
            }
        }
    });
}

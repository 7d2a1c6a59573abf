//! Variants with each way to launch a kernel.

use std::thread;

use anywarp::Variants;

use super::{ADD, CELLS, Launch, USUAL, WIDE, check, on_each, settled};

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
        // The variant is wrong for the other launches: it would write beyond the last cell or workgroup.
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
        // The device closes here, while the variant is still being compiled.
    });
}

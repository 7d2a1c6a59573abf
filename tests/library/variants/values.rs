//! Variants for launches with the same values.

use anywarp::{Device, DeviceOptions, Variants};

use super::{ADD, Launch, PROVEN, USUAL, check, on_each, settled};

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
        // For these launches the usual variant would be wrong; the flag says whether they still run another variant.
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
        // With 100 cells the index may be out of range, so that a variant would save nothing.
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
        // Before the last variant is compiled, 15 launches run a variant for conditions, which is made because they
        // differ from earlier launches.
        assert_eq!((stats.made, stats.launches), (3, 4 + 4 + 4 + 15), "{}", device.selector());
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
        // Eight variants are for values, and one is for conditions between the values.
        let stats = device.variant_stats();
        assert_eq!((stats.made, stats.launches), (9, 100), "{}", device.selector());
    });
}

/// A kernel in which a loop becomes a sum of products, once its iterations are known.
const SUMS: &str = "
    @group(0) @binding(0) var<uniform> n: u32;
    @group(0) @binding(1) var<storage, read> x: array<f32>;
    @group(0) @binding(2) var<storage, read_write> sums: array<f32>;
    @compute @workgroup_size(8)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var sum = 0f;
        var other = x[id.x];
        for (var k = 0u; k < n; k++) {
            sum += x[id.x + k] * x[k];
            other = x[k] * other + x[id.x];
        }
        sums[id.x] = sum - other * x[n];
    }";

/// The CPU fuses products with sums. It decides so before a variant is made, so that a variant has the same rounding.
#[test]
fn variants_have_the_same_bits() {
    let run = |variants, launches: usize| -> (Vec<u32>, u64) {
        let options = DeviceOptions::default().selector("cpu").variants(variants);
        let device = Device::open_with(&options).expect("a CPU device");
        let kernel = device.kernel(SUMS).expect("a kernel");
        let values: Vec<f32> = (1..20u16).map(|n| 1.0 / f32::from(n)).collect();
        let x = device.buffer_from(&values).expect("memory");
        let mut sums = device.buffer::<f32>(8).expect("memory");
        for _ in 0..launches {
            let launch = kernel.launch().set("n", 5u32).bind("x", &x).bind("sums", &mut sums);
            launch.groups(1).expect("the launch is valid");
        }
        let sums = sums.read().expect("the launches end");
        (sums.iter().map(|sum| sum.to_bits()).collect(), device.variant_stats().launches)
    };
    let (plain, variants) = run(Variants::Never, 1);
    assert_eq!(variants, 0);
    let (special, variants) = run(Variants::AtOnce, 1);
    assert!(variants > 0, "a variant runs");
    assert_eq!(special, plain);
}

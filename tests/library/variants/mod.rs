//! Variants of kernels, specialised for similar launches: all launches have the same results as without variants.

mod conditions;
mod values;
mod ways;

use std::thread;
use std::time::{Duration, Instant};

use anywarp::{Device, DeviceOptions, Kernel, UnifiedBuffer, Variants};
use anywarp_testing::hanging;

/// The time after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(100);

/// A kernel that adds to each cell of a table. Accesses at `at` cannot be proven in range without the table's size.
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

/// A kernel whose indices are proven in range without a variant, and that has no division.
const PROVEN: &str = "
    @group(0) @binding(0) var<uniform> more: u32;
    @group(0) @binding(1) var<storage, read_write> cells: array<u32>;
    @compute @workgroup_size(64)
    fn add(@builtin(global_invocation_id) id: vec3<u32>) {
        cells[min(id.x, arrayLength(&cells) - 1u)] += more;
    }";

/// A kernel with one workgroup for each cell.
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

/// A launch of [`ADD`] with `groups` workgroups over the first `bound` cells.
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

    /// Adds the expected results to `cells`; accesses out of range write nothing.
    fn expect(self, cells: &mut [u32]) {
        let more = (self.more as u32).wrapping_add(1000 * self.round);
        for y in 0..self.size[1].min(8 * self.groups[1]) {
            for x in 0..self.size[0].min(8 * self.groups[0]) {
                let at = y.wrapping_mul(self.size[0]).wrapping_add(x) as usize;
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

/// Runs each launch the given number of times, and compares all cells after each launch.
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

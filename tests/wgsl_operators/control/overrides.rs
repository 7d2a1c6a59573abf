//! Overrides in values, array sizes and workgroup sizes.

use anywarp::Device;

use crate::operator_suite::program::Program;
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, same};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for width in [1u32, 5, 33, 64, 200] {
        cases.push(Case::new(format!("control::overrides::sizes_{width}"), move |device| sizes(device, width)));
    }
    cases.push(Case::new("control::overrides::values", values));
    cases
}

/// One override can set both the size of workgroup memory and the size of the workgroup.
fn sizes(device: &Device, width: u32) -> TestResult {
    let program = Program::new(
        "override width: u32 = 16u;
         override twice: u32 = width * 2u;
         @group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<workgroup> cells: array<u32, twice>;
         @compute @workgroup_size(width)
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) at: u32) {
             cells[at] = at + group.x;
             cells[at + width] = 1000u;
             workgroupBarrier();
             var sum = 0u;
             for (var n = 0u; n < twice; n++) { sum += cells[n] * select(1u, n, n == at); }
             result[group.x * width + at] = sum;
         }",
    );
    let got = program.set_override("width", f64::from(width)).run(device, 3 * width as usize, 3)?;
    let wanted: Vec<u32> = (0..3 * width)
        .map(|i| {
            let (group, at) = (i / width, i % width);
            let sum: u32 = (0..width).map(|n| (n + group) * if n == at { n } else { 1 }).sum();
            sum + 1000 * width
        })
        .collect();
    same(&got, &wanted, "sums")
}

fn values(device: &Device) -> TestResult {
    let program = Program::new(
        "override a: f32 = 2.5;
         @id(7) override b: i32 = -3;
         override c: bool = false;
         override d: u32 = u32(b + 10);
         const E = 4u;
         override f: f32 = a * 2.0;
         @group(0) @binding(0) var<storage, read_write> result: array<u32>;
         @compute @workgroup_size(1) fn main() {
             result[0] = bitcast<u32>(a);
             result[1] = bitcast<u32>(b);
             result[2] = select(0u, 1u, c);
             result[3] = d + E;
             result[4] = bitcast<u32>(f);
         }",
    );
    let defaults = [2.5f32.to_bits(), -3i32 as u32, 0, 7 + 4, 5.0f32.to_bits()];
    same(&program.run(device, 5, 1)?, &defaults, "defaults")?;
    let program = program.set_override("a", -0.5).set_override("7", 20.0).set_override("c", 1.0);
    same(&program.run(device, 5, 1)?, &[(-0.5f32).to_bits(), 20, 1, 34, (-1.0f32).to_bits()], "given values")
}

//! `workgroupUniformLoad`: every invocation reads the value that one invocation wrote, with the necessary barriers.

use anywarp::Device;

use crate::operator_suite::program::Program;
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, same};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for size in [1u32, 7, 33, 64, 256] {
        cases.push(Case::new(format!("control::workgroupUniformLoad::scalar_{size}"), move |device| {
            scalar(device, size)
        }));
        cases.push(Case::new(format!("control::workgroupUniformLoad::loop_{size}"), move |device| loops(device, size)));
    }
    cases.push(Case::new("control::workgroupUniformLoad::struct", structs));
    cases
}

fn scalar(device: &Device, size: u32) -> TestResult {
    let program = Program::new(format!(
        "@group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<workgroup> chosen: u32;
         @compute @workgroup_size({size})
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) at: u32) {{
             if at == {size}u / 2u {{ chosen = group.x * 1000u + at; }}
             let first = workgroupUniformLoad(&chosen);
             if at == 0u {{ chosen = first + 5u; }}
             let second = workgroupUniformLoad(&chosen);
             result[group.x * {size}u + at] = first * 7u + second;
         }}"
    ));
    let got = program.run(device, 4 * size as usize, 4)?;
    let wanted: Vec<u32> = (0..4 * size).map(|i| (i / size * 1000 + size / 2) * 8 + 5).collect();
    same(&got, &wanted, "first and second load")
}

/// The loaded value can control the loop that contains the load.
fn loops(device: &Device, size: u32) -> TestResult {
    let program = Program::new(format!(
        "@group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<workgroup> left: u32;
         @compute @workgroup_size({size})
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) at: u32) {{
             if at == 0u {{ left = group.x * 3u + 1u; }}
             var rounds = 0u;
             loop {{
                 let now = workgroupUniformLoad(&left);
                 if now == 0u {{ break; }}
                 rounds += now * at;
                 if at == {size}u - 1u {{ left = now - 1u; }}
             }}
             result[group.x * {size}u + at] = rounds;
         }}"
    ));
    let got = program.run(device, 4 * size as usize, 4)?;
    let sum = |group: u32| (1..=group * 3 + 1).sum::<u32>();
    let wanted: Vec<u32> = (0..4 * size).map(|i| sum(i / size) * (i % size)).collect();
    same(&got, &wanted, "rounds")
}

fn structs(device: &Device) -> TestResult {
    let program = Program::new(
        "struct Part { a: u32, b: vec3<f32>, c: array<u32, 3> }
         @group(0) @binding(0) var<storage, read_write> result: array<u32>;
         var<workgroup> part: Part;
         @compute @workgroup_size(33) fn main(@builtin(local_invocation_index) at: u32) {
             if at == 9u { part = Part(4u, vec3<f32>(1.0, 2.0, 3.0), array<u32, 3>(10u, 20u, 30u)); }
             let seen = workgroupUniformLoad(&part);
             var c = seen.c;
             result[at] = seen.a + u32(seen.b.y * seen.b.z) + c[at % 3u];
         }",
    );
    let wanted: Vec<u32> = (0..33).map(|at| 4 + 6 + (at % 3 + 1) * 10).collect();
    same(&program.run(device, 33, 1)?, &wanted, "parts of a struct")
}

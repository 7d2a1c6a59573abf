//! The built-in ids of invocations, over grids of three dimensions.

use anywarp::Device;

use crate::operator_suite::program::Program;
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, equal, fail};

const SIZES: &[[u32; 3]] = &[[1, 1, 1], [64, 1, 1], [4, 3, 5], [8, 8, 1], [1, 7, 2], [3, 1, 11]];
const GRIDS: &[[u32; 3]] = &[[1, 1, 1], [5, 1, 1], [3, 4, 5], [1, 6, 1], [2, 1, 7]];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for size in SIZES {
        for grid in GRIDS {
            let name = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
            cases.push(Case::new(format!("control::ids::{}_by_{}", name(*grid), name(*size)), move |device| {
                every_id(device, *size, *grid)
            }));
        }
    }
    cases.push(Case::new("control::ids::threads_with_remainders", threads_with_remainders));
    cases
}

/// Each invocation has the right built-in values: it writes them at an index computed from them.
fn every_id(device: &Device, size: [u32; 3], grid: [u32; 3]) -> TestResult {
    let [x, y, z] = size;
    let program = Program::new(format!(
        "struct Seen {{ global: vec3<u32>, index: u32, local: vec3<u32>, times: u32, group: vec3<u32>, unused: u32, count: vec3<u32> }}
         @group(0) @binding(0) var<storage, read_write> result: array<Seen>;
         struct Given {{ @builtin(local_invocation_id) local: vec3<u32>, @builtin(num_workgroups) count: vec3<u32> }}
         @compute @workgroup_size({x}, {y}, {z})
         fn main(@builtin(global_invocation_id) global: vec3<u32>, @builtin(local_invocation_index) index: u32,
                 @builtin(workgroup_id) group: vec3<u32>, given: Given) {{
             let at = ((group.z * given.count.y + group.y) * given.count.x + group.x) * {}u + index;
             let times = result[at].times + 1u;
             result[at] = Seen(global, index, given.local, times, group, 0u, given.count);
         }}",
        x * y * z
    ));
    let per_group = x * y * z;
    let total = per_group * grid.iter().product::<u32>();
    let got = program.run(device, 16 * total as usize, grid)?;
    for (at, seen) in got.chunks(16).enumerate() {
        let at = at as u32;
        let (group, index) = (at / per_group, at % per_group);
        let group = [group % grid[0], group / grid[0] % grid[1], group / grid[0] / grid[1]];
        let local = [index % x, index / x % y, index / x / y];
        let global = [0, 1, 2].map(|axis| group[axis] * size[axis] + local[axis]);
        let wanted = [&global[..], &[index], &local, &[1], &group, &[0], &grid].concat();
        if seen[..15] != wanted[..] {
            return fail(format!(
                "invocation {at} of {size:?} by {grid:?}: global, index, local, times, group, num_workgroups\n    expected {wanted:?}\n    got      {:?}",
                &seen[..15]
            ));
        }
    }
    Ok(())
}

/// Each element is written once if the threads do not fill the last workgroups and the kernel checks the bounds.
fn threads_with_remainders(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Params { extent: vec3<u32> }
         @group(0) @binding(0) var<uniform> params: Params;
         @group(0) @binding(1) var<storage, read_write> result: array<u32>;
         @compute @workgroup_size(4, 3, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if any(id >= params.extent) { return; }
             result[(id.z * params.extent.y + id.y) * params.extent.x + id.x] += id.x + 100u * id.y + 10000u * id.z + 1u;
         }",
    )?;
    for extent in [[1u32, 1, 1], [4, 3, 2], [5, 4, 3], [31, 2, 9], [3, 50, 1]] {
        let [x, y, z] = extent;
        let mut result = device.buffer::<u32>((x * y * z) as usize)?;
        let launch = kernel.launch().set("params.extent", extent);
        launch.bind("result", &mut result).threads(extent)?;
        let wanted: Vec<u32> =
            (0..x * y * z).map(|at| at % x + 100 * (at / x % y) + 10000 * (at / x / y) + 1).collect();
        equal(result.read()?.to_vec(), wanted, &format!("threads {extent:?}"))?;
    }
    Ok(())
}

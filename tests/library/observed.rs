//! The device `cpu:observed`: counts of accesses, branches and instructions, against those worked out by hand.

use anywarp::Device;
use anywarp::backend::{ObservedAccess, ObservedKernel, ObservedSpace};

/// The position of warps of 32 in arrays of counts.
const WARPS: usize = 2;

/// Runs `groups` workgroups of a kernel with one buffer `data` of `length` words; returns its counts and results.
fn observed(source: &str, groups: u32, length: usize) -> (ObservedKernel, Vec<u32>) {
    let device = Device::open("cpu:observed").unwrap();
    let kernel = device.kernel(source).unwrap();
    let mut data = device.buffer_from(&vec![0; length]).unwrap();
    kernel.launch().bind("data", &mut data).groups(groups).unwrap();
    let observations = device.observations();
    let counts = observations.iter().next().expect("one kernel ran").clone();
    (counts, data.read().unwrap().to_vec())
}

/// A kernel of workgroups of 64 with this body, in which `i` is the global and `t` the local invocation index.
fn kernel(globals: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
{globals}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {{
    let i = id.x;
{body}
}}"
    )
}

fn at_line(kernel: &ObservedKernel, line: u32) -> &ObservedAccess {
    let found: Vec<&ObservedAccess> = kernel.accesses.iter().filter(|access| access.at.line == line).collect();
    assert_eq!(found.len(), 1, "{:#?}", kernel.accesses);
    found[0]
}

#[test]
fn strides_of_buffers() {
    for (stride, sectors) in [(0, 1), (1, 4), (2, 8), (4, 16), (8, 32), (9, 32), (32, 32)] {
        let (counts, _) = observed(&kernel("", &format!("    data[i * {stride}u] = i;")), 1, 64 * 32);
        let access = at_line(&counts, 6);
        let [narrow, _, warps, wide] = access.counts;
        assert_eq!((warps.requests, warps.sectors), (2, 2 * sectors), "stride {stride}");
        assert_eq!((wide.requests, wide.lanes), (1, 64), "stride {stride}");
        assert_eq!(narrow.requests, 8, "stride {stride}");
        assert_eq!(warps.ideal_sectors, if stride == 0 { 2 } else { 8 }, "stride {stride}");
        assert_eq!(access.stride, Some(4 * stride), "stride {stride}");
        assert_eq!((access.space, &*access.variable), (ObservedSpace::Storage, "data"));
    }
}

#[test]
fn banks_of_workgroup_memory() {
    for (width, wavefronts) in [(32, 32), (33, 1), (34, 2), (36, 4)] {
        let globals = format!("var<workgroup> tile: array<u32, {}>;", width * 32);
        let body = format!("    if (t < 32u) {{\n        tile[t * {width}u] = t;\n    }}\n    data[i] = i;");
        let (counts, _) = observed(&kernel(&globals, &body), 1, 64);
        let access = at_line(&counts, 7);
        assert_eq!(access.space, ObservedSpace::Workgroup);
        let warps = access.counts[WARPS];
        assert_eq!((warps.requests, warps.wavefronts, warps.ideal_wavefronts), (1, wavefronts, 1), "{width} words");
    }
}

#[test]
fn divergent_branches_and_the_lanes_that_they_lose() {
    let body = "    if (t % 2u == 0u) {\n        data[i] = i * i;\n    } else {\n        data[i] = i;\n    }";
    let (counts, data) = observed(&kernel("", body), 2, 128);
    assert_eq!((data[2], data[3]), (4, 3));
    let branch = &counts.branches[0];
    assert_eq!((branch.at.line, branch.is_loop), (6, false));
    assert_eq!((branch.counts[WARPS].warps, branch.counts[WARPS].diverged), (4, 4));
    // Sixteen of 32 lanes wait in each of the two sides, for at least a multiplication and a store in the first.
    assert!(branch.counts[WARPS].lost >= 4 * 16 * 3, "{branch:?}");
    assert!(counts.lanes[WARPS].efficiency() < 1.0);

    let uniform = "    if (t < 32u) {\n        data[i] = i * i;\n    } else {\n        data[i] = i;\n    }";
    let (counts, _) = observed(&kernel("", uniform), 2, 128);
    let branch = &counts.branches[0].counts;
    assert_eq!((branch[WARPS].warps, branch[WARPS].diverged, branch[WARPS].lost), (4, 0, 0));
    assert_eq!((branch[3].warps, branch[3].diverged), (2, 2), "warps of 64 diverge");
    assert!((counts.lanes[WARPS].efficiency() - 1.0).abs() < 1e-12);
}

#[test]
fn loops_of_different_lengths_are_put_together_by_iteration() {
    // Lane t makes t % 32 + 1 iterations, so iteration k has 32 - k lanes of each warp.
    let body = "    var sum = 0u;\n    for (var k = 0u; k <= t % 32u; k++) {\n        sum += data[k];\n    }\n    data[64u + i] = sum;";
    let (counts, _) = observed(&kernel("", body), 1, 128);
    let read = at_line(&counts, 8);
    let warps = read.counts[WARPS];
    assert_eq!((warps.requests, warps.lanes, warps.sectors), (64, 2 * 528, 64), "all lanes read the same word");
    assert_eq!(warps.uniform, 62, "alone, a lane shares with no other");
    assert_eq!(read.invocations, 2 * 528);
    let turns = counts.branches.iter().find(|branch| branch.is_loop).unwrap();
    assert_eq!(turns.at.line, 7);
    let warps = turns.counts[WARPS];
    // The last iteration tests the condition only: the warp begins 33, of which all but the first lack some lanes.
    assert_eq!((warps.warps, warps.diverged), (66, 62), "{turns:?}");
    assert!(warps.lost > 0);
}

#[test]
fn nested_loops_and_barriers() {
    let globals = "var<workgroup> tile: array<u32, 64>;";
    let body = "    var sum = 0u;
    for (var k = 0u; k < 3u; k++) {
        tile[t] = data[k * 64u + t];
        workgroupBarrier();
        for (var j = 0u; j < 64u; j++) {
            sum += tile[j];
        }
        workgroupBarrier();
    }
    data[i] = sum;";
    let (counts, _) = observed(&kernel(globals, body), 1, 192);
    let tile = at_line(&counts, 11);
    let warps = tile.counts[WARPS];
    assert_eq!((warps.requests, warps.wavefronts, warps.uniform), (2 * 3 * 64, 2 * 3 * 64, 2 * 3 * 64));
    let rows: Vec<_> = counts.accesses.iter().filter(|access| access.at.line == 8).collect();
    assert_eq!(rows.len(), 2, "{rows:#?}");
    assert!(rows.iter().all(|access| access.counts[WARPS].requests == 6));
    assert!((counts.lanes[WARPS].efficiency() - 1.0).abs() < 1e-12);
}

#[test]
fn long_loops_are_scaled_and_large_dispatches_sampled() {
    let body = "    var sum = 0u;\n    for (var k = 0u; k < 5000u; k++) {\n        sum += data[k % 64u];\n    }\n    data[i % 64u] = sum;";
    let (counts, _) = observed(&kernel("", body), 100, 64);
    assert_eq!((counts.workgroups, counts.observed), (100, 32));
    let read = at_line(&counts, 8);
    assert_eq!(read.invocations, 32 * 64 * 5000);
    assert_eq!(read.counts[WARPS].requests, 32 * 2 * 5000);
    assert_eq!(read.counts[WARPS].sectors, 32 * 2 * 5000);
}

#[test]
fn atomics_on_one_word() {
    let (counts, data) = observed(
        &kernel("", "    data[i] = i;")
            .replace("data: array<u32>", "data: array<atomic<u32>>")
            .replace("data[i] = i;", "atomicAdd(&data[i / 16u], 1u);"),
        1,
        64,
    );
    assert_eq!(data[..5], [16, 16, 16, 16, 0]);
    let access = at_line(&counts, 6);
    assert_eq!((access.touch.name(), access.counts[WARPS].contention), ("atomic", 2 * 16));
}

#[test]
fn kernels_compute_the_same_and_other_devices_count_nothing() {
    let source = kernel("", "    if (i > 3u) {\n        data[i] = i;\n    }");
    let (counts, data) = observed(&source, 3, 192);
    assert_eq!(counts.dispatches, 1);
    let expected: Vec<u32> = (0..192).map(|i| if i > 3 { i } else { 0 }).collect();
    assert_eq!(data, expected);
    let plain = Device::open("cpu").unwrap();
    let kernel = plain.kernel(source.as_str()).unwrap();
    let mut data = plain.buffer_from(&[0u32; 192]).unwrap();
    kernel.launch().bind("data", &mut data).groups(3).unwrap();
    assert!(plain.observations().is_empty());
}

#[test]
fn counts_are_returned_once_and_add_up() {
    let device = Device::open("cpu:observed").unwrap();
    let kernel = device.kernel(kernel("", "    data[i] = i;").as_str()).unwrap();
    let mut data = device.buffer_from(&[0u32; 128]).unwrap();
    for groups in [1, 2] {
        kernel.launch().bind("data", &mut data).groups(groups).unwrap();
    }
    let counts = device.observations();
    let counts = counts.iter().next().unwrap();
    assert_eq!((counts.dispatches, counts.workgroups, counts.accesses[0].counts[WARPS].requests), (2, 3, 6));
    assert_eq!(counts.mix.written, 3 * 64 * 4);
    assert!(device.observations().is_empty());
}

//! The places that access sites touch: their first and last bytes, and whether all invocations share them.

use anywarp::Device;
use anywarp::backend::ObservedAccess;

use super::micro::Micro;
use super::run;

/// The access of `z` in a kernel that reads it at `index` in nine turns of a loop, `k`. All workgroups are observed.
fn access(device: &Device, index: &str) -> ObservedAccess {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<storage, read> z: array<vec2<u32>, 4096>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {{
    let i = id.x;
    let turns = (x[i] >> 31u) + 9u;
    var sum = 0u;
    for (var k = 0u; k < turns; k++) {{ sum += z[{index}].y; }}
    y[i] = sum;
}}"
    );
    let micro = Micro { name: index.into(), source, groups: 4, input: 256, output: 256 };
    let observations = run(device, &micro);
    let kernel = observations.iter().next().unwrap();
    let of_z = |access: &&ObservedAccess| access.variable.starts_with('z');
    let found = kernel.accesses.iter().find(of_z).unwrap_or_else(|| panic!("{index}: {:?}", kernel.accesses));
    assert_eq!(found.invocations, 4 * 64 * 9, "{index}");
    found.clone()
}

#[test]
fn extents_and_shared_places_are_those_of_the_index() {
    let device = Device::open("cpu:observed").unwrap();
    // The first element, the last one, and whether all invocations read the same in the same turn.
    for (index, first, last, common) in [
        ("k + 3u", 3, 11, true),
        ("(k & 1u) * 100u", 0, 100, true),
        ("k + i / 64u", 0, 11, false),
        ("k + t / 32u", 0, 9, false),
        ("i + k / 64u", 0, 255, false),
        ("200u + k - k / 8u * 8u", 200, 207, true),
    ] {
        let access = access(&device, index);
        assert_eq!((access.extent, access.common), ([first * 8 + 4, last * 8 + 8], common), "{index}: {access:?}");
    }
}

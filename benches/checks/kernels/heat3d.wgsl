// A step of heat conduction in a cuboid; a neighbour outside the cuboid has the temperature of the nearest cell inside.
struct Params {
    size: vec3<u32>,
    rate: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> after: array<f32>;

fn cell(at: vec3<u32>) -> u32 {
    return (at.z * params.size.y + at.y) * params.size.x + at.x;
}

@compute @workgroup_size(64, 2, 2)
fn heat3d(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id >= params.size) {
        return;
    }
    let own = before[cell(id)];
    var flow = 0.0;
    for (var axis = 0u; axis < 3u; axis++) {
        var lower = id;
        var upper = id;
        lower[axis] = max(id[axis], 1u) - 1u;
        upper[axis] = min(id[axis] + 1u, params.size[axis] - 1u);
        flow += before[cell(lower)] + before[cell(upper)] - 2.0 * own;
    }
    after[cell(id)] = own + params.rate * flow;
}

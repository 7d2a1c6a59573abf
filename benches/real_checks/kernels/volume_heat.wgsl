// A step of heat conduction through a volume; outside of it the temperature is that of the surface.
struct Params { width: u32, height: u32, depth: u32, rate: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> after: array<f32>;

fn at(x: u32, y: u32, z: u32) -> u32 {
    return (z * params.height + y) * params.width + x;
}

@compute @workgroup_size(16, 4, 2)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height || id.z >= params.depth { return; }
    let own = before[at(id.x, id.y, id.z)];
    let flow = before[at(max(id.x, 1u) - 1u, id.y, id.z)] + before[at(min(id.x + 1u, params.width - 1u), id.y, id.z)]
        + before[at(id.x, max(id.y, 1u) - 1u, id.z)] + before[at(id.x, min(id.y + 1u, params.height - 1u), id.z)]
        + before[at(id.x, id.y, max(id.z, 1u) - 1u)] + before[at(id.x, id.y, min(id.z + 1u, params.depth - 1u))];
    after[at(id.x, id.y, id.z)] = own + params.rate * (flow - 6.0 * own);
}

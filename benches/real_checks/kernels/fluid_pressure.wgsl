// A step towards the pressure of a fluid on a grid; the values at the border do not change.
struct Params { width: u32, height: u32, step: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> divergence: array<f32>;
@group(0) @binding(2) var<storage, read> before: array<f32>;
@group(0) @binding(3) var<storage, read_write> after: array<f32>;

fn cell(x: u32, y: u32) -> u32 {
    return y * params.width + x;
}

@compute @workgroup_size(16, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height { return; }
    let at = cell(id.x, id.y);
    if id.x == 0u || id.y == 0u || id.x + 1u >= params.width || id.y + 1u >= params.height {
        after[at] = before[at];
        return;
    }
    let around = before[cell(id.x - 1u, id.y)] + before[cell(id.x + 1u, id.y)]
        + before[cell(id.x, id.y - 1u)] + before[cell(id.x, id.y + 1u)];
    after[at] = (around - divergence[at]) * 0.25;
}

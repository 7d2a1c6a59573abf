// One step of diffusion on a grid whose edge stays as it is. Values rise faster than they fall.
struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> next: array<f32>;

@compute @workgroup_size(16, 16)
fn step(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let at = id.y * params.width + id.x;
    let own = values[at];
    if id.x == 0u || id.y == 0u || id.x == params.width - 1u || id.y == params.height - 1u {
        next[at] = own;
    } else {
        let beside = values[at - 1u] + values[at + 1u];
        let change = 0.25 * (beside + values[at - params.width] + values[at + params.width]) - own;
        if change > 0.0 {
            next[at] = own + 0.75 * change;
        } else {
            next[at] = own + 0.5 * change;
        }
    }
}

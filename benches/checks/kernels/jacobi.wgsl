// A step of Jacobi's method for Poisson's equation on a square; the values at the edge do not change.
struct Params {
    side: u32,
    spacing: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> density: array<f32>;
@group(0) @binding(2) var<storage> before: array<f32>;
@group(0) @binding(3) var<storage, read_write> after: array<f32>;

@compute @workgroup_size(32, 8)
fn jacobi(@builtin(global_invocation_id) id: vec3<u32>) {
    let side = params.side;
    if id.x >= side || id.y >= side {
        return;
    }
    let at = id.y * side + id.x;
    if id.x == 0u || id.y == 0u || id.x == side - 1u || id.y == side - 1u {
        after[at] = before[at];
        return;
    }
    let around = before[at - 1u] + before[at + 1u] + before[at - side] + before[at + side];
    after[at] = 0.25 * (around - params.spacing * params.spacing * density[at]);
}

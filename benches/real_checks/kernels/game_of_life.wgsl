// A generation of the game of life on a torus.
struct Params { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> after: array<u32>;

fn alive(x: u32, y: u32) -> u32 {
    return before[(y % params.height) * params.width + x % params.width];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height { return; }
    let left = id.x + params.width - 1u;
    let above = id.y + params.height - 1u;
    let around = alive(left, above) + alive(id.x, above) + alive(id.x + 1u, above)
        + alive(left, id.y) + alive(id.x + 1u, id.y)
        + alive(left, id.y + 1u) + alive(id.x, id.y + 1u) + alive(id.x + 1u, id.y + 1u);
    let own = alive(id.x, id.y);
    after[id.y * params.width + id.x] = u32(around == 3u || around == 2u && own == 1u);
}

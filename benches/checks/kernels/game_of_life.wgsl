// A generation of Conway's Game of Life on a torus.
struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> after: array<u32>;

@compute @workgroup_size(16, 16)
fn life(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    var neighbours = 0u;
    for (var dy = 0u; dy < 3u; dy++) {
        for (var dx = 0u; dx < 3u; dx++) {
            if dx == 1u && dy == 1u {
                continue;
            }
            let x = (id.x + dx + params.width - 1u) % params.width;
            let y = (id.y + dy + params.height - 1u) % params.height;
            neighbours += before[y * params.width + x];
        }
    }
    let at = id.y * params.width + id.x;
    let lives = neighbours == 3u || (neighbours == 2u && before[at] == 1u);
    after[at] = select(0u, 1u, lives);
}

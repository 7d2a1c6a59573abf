// A 7x7 convolution of an image of one channel, from a tile in workgroup memory with a border of three pixels; the
// image's edge pixels are repeated outwards.
const SIDE = 16u;
const RADIUS = 3u;
const FILTER = 2u * RADIUS + 1u;
const TILE = SIDE + 2u * RADIUS;

struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> weights: array<f32, FILTER * FILTER>;
@group(0) @binding(2) var<storage> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> convolved: array<f32>;

var<workgroup> tile: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(SIDE, SIDE)
fn conv7x7(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let corner = vec2<i32>(group.xy * SIDE) - i32(RADIUS);
    let last = vec2(i32(params.width), i32(params.height)) - 1;
    for (var at = thread; at < TILE * TILE; at += SIDE * SIDE) {
        let row = at / TILE;
        let column = at % TILE;
        let pixel = vec2<u32>(clamp(corner + vec2(i32(column), i32(row)), vec2(0), last));
        tile[row][column] = source[pixel.y * params.width + pixel.x];
    }
    workgroupBarrier();
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    var sum = 0.0;
    for (var row = 0u; row < FILTER; row++) {
        for (var column = 0u; column < FILTER; column++) {
            sum += weights[row * FILTER + column] * tile[local.y + row][local.x + column];
        }
    }
    convolved[id.y * params.width + id.x] = sum;
}

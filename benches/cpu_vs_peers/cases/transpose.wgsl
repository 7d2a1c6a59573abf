// A 32x32 tile per workgroup: read row by row, written row by row.
const TILE = 32u;
const ROWS = 8u;

struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> transposed: array<f32>;

// One column more than is used, so that a column of the tile is distributed over all banks.
var<workgroup> tile: array<array<f32, TILE + 1u>, TILE>;

@compute @workgroup_size(TILE, ROWS)
fn transpose(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let corner = group.xy * TILE;
    for (var row = local.y; row < TILE; row += ROWS) {
        let at = corner + vec2(local.x, row);
        if at.x < params.width && at.y < params.height {
            tile[row][local.x] = source[at.y * params.width + at.x];
        }
    }
    workgroupBarrier();
    for (var row = local.y; row < TILE; row += ROWS) {
        let at = corner.yx + vec2(local.x, row);
        if at.x < params.height && at.y < params.width {
            transposed[at.y * params.height + at.x] = tile[local.x][row];
        }
    }
}

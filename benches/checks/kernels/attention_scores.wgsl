// Scaled dot products of every query with every key that is not after it; the scores of later keys are very small.
const WIDTH = 64u;
const TILE = 16u;

struct Params {
    length: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> queries: array<f32>;
@group(0) @binding(2) var<storage> keys: array<f32>;
@group(0) @binding(3) var<storage, read_write> scores: array<f32>;

var<workgroup> query_tile: array<array<f32, WIDTH>, TILE>;
// Each row has one element more than is used, so that a column is distributed over all memory banks.
var<workgroup> key_tile: array<array<f32, WIDTH + 1u>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn attention_scores(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let query = group.y * TILE + local.y;
    let key = group.x * TILE + local.x;
    for (var i = local.x; i < WIDTH; i += TILE) {
        query_tile[local.y][i] = 0.0;
        key_tile[local.y][i] = 0.0;
        if query < params.length {
            query_tile[local.y][i] = queries[query * WIDTH + i];
        }
        let loaded = group.x * TILE + local.y;
        if loaded < params.length {
            key_tile[local.y][i] = keys[loaded * WIDTH + i];
        }
    }
    workgroupBarrier();
    if query >= params.length || key >= params.length {
        return;
    }
    var sum = 0.0;
    for (var i = 0u; i < WIDTH; i++) {
        sum += query_tile[local.y][i] * key_tile[local.x][i];
    }
    scores[query * params.length + key] = select(-1e9, sum * 0.125, key <= query);
}

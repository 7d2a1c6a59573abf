// A tiled matrix product in plain loops: each invocation computes 8 x 8 results, in arrays that the loops index.
// pass: optimise

struct Sizes { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
var<workgroup> tile_a: array<f32, 1024>;
var<workgroup> tile_b: array<f32, 1024>;
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    var sums: array<array<f32, 8>, 8>;
    var from_a: array<f32, 8>;
    var from_b: array<f32, 8>;
    for (var k0 = 0u; k0 < sizes.k; k0 += 8u) {
        for (var l = 0u; l < 4u; l++) {
            let i = at + l * 256u;
            tile_a[i] = a[(group.y * 128u + i / 8u) * sizes.k + k0 + i % 8u];
            tile_b[i] = b[(k0 + i / 128u) * sizes.n + group.x * 128u + i % 128u];
        }
        workgroupBarrier();
        for (var k = 0u; k < 8u; k++) {
            for (var i = 0u; i < 8u; i++) {
                from_a[i] = tile_a[(id.y * 8u + i) * 8u + k];
                from_b[i] = tile_b[k * 128u + id.x * 8u + i];
            }
            for (var i = 0u; i < 8u; i++) {
                for (var j = 0u; j < 8u; j++) {
                    sums[i][j] += from_a[i] * from_b[j];
                }
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 8u; i++) {
        for (var j = 0u; j < 8u; j++) {
            c[(group.y * 128u + id.y * 8u + i) * sizes.n + group.x * 128u + id.x * 8u + j] = sums[i][j];
        }
    }
}

// No array is left, and only one loop: that over tiles. The variables are 64 sums and the counter of the tiles.
// count 0: array<
// count 1: loop {
// count 65: var
// Each sum is written once per tile, and each factor is read once.
// count 1: sums_7_7_ = (
// count 64: = tile_a[

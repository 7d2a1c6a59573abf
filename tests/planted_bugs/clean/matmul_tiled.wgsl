//! groups 2,2
//! buffer a 1024 iota
//! buffer b 1024 iota
//! buffer c 1024
var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    var sum: f32;
    sum = 0.0;
    for (var k = 0u; k < 32u; k += 16u) {
        tile_a[at.y][at.x] = a[id.y * 32u + k + at.x];
        tile_b[at.y][at.x] = b[(k + at.y) * 32u + id.x];
        workgroupBarrier();
        for (var n = 0u; n < 16u; n++) { sum += tile_a[at.y][n] * tile_b[n][at.x]; }
        workgroupBarrier();
    }
    c[id.y * 32u + id.x] = sum;
}

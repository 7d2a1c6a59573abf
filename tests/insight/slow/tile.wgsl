// A transposition through a tile without padding: the second kernel of the same article.
override N: u32 = 256;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<workgroup> tile: array<u32, 33 * 32>;

@compute @workgroup_size(32, 8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    if group.y % 4 != 0 { return; }
    let corner = vec2(group.x * 32, group.y / 4 * 32);
    for (var row = at.y; row < 32; row += 8) {
        tile[row * 32 + at.x] = x[(corner.y + row) * N + corner.x + at.x];
    }
    workgroupBarrier();
    for (var row = at.y; row < 32; row += 8) {
        y[(corner.x + row) * N + corner.y + at.x] = tile[at.x * 32 + row]; // here
    }
}

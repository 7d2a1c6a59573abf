//! buffer data 256
var<workgroup> tile: array<array<u32, 17>, 16>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    tile[id.y][id.x] = data[id.y * 16u + id.x];
    data[id.x * 16u + id.y] = tile[id.y][id.x] + //~ race data
        tile[id.x][id.y]; //~ race tile
}

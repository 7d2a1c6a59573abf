// c = a b for row-major matrices of n x n, in two ways.
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// Every factor is read from the buffers: each element of a and b is fetched n times.
@compute @workgroup_size(16, 16)
fn naive(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= n || at.y >= n {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < n; k++) {
        sum += a[at.y * n + k] * b[k * n + at.x];
    }
    c[at.y * n + at.x] = sum;
}

var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

// A workgroup fetches tiles of 16 x 16 together: each element of a and b is fetched n / 16 times.
@compute @workgroup_size(16, 16)
fn tiled(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32>) {
    var sum = 0.0;
    for (var first = 0u; first < n; first += 16) {
        // One element of each tile, zero beyond the edge.
        tile_a[own.y][own.x] = element_of_a(at.y, first + own.x);
        tile_b[own.y][own.x] = element_of_b(first + own.y, at.x);
        workgroupBarrier(); // all have fetched before any multiplies
        for (var k = 0u; k < 16; k++) {
            sum += tile_a[own.y][k] * tile_b[k][own.x];
        }
        workgroupBarrier(); // all have multiplied before any fetches the next tile
    }
    if at.x < n && at.y < n {
        c[at.y * n + at.x] = sum;
    }
}

fn element_of_a(row: u32, column: u32) -> f32 {
    if row < n && column < n {
        return a[row * n + column];
    }
    return 0.0;
}

fn element_of_b(row: u32, column: u32) -> f32 {
    if row < n && column < n {
        return b[row * n + column];
    }
    return 0.0;
}

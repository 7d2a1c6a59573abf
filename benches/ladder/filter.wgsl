// A 3x3 filter with an invocation for each element; outside of the matrix, the nearest element of the edge counts.
struct Sizes {
    side: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

fn element(row: i32, column: i32) -> f32 {
    let last = i32(sizes.side) - 1;
    return x[clamp(row, 0, last) * i32(sizes.side) + clamp(column, 0, last)];
}

@compute @workgroup_size(16, 16)
fn filter_3x3(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.side || id.y >= sizes.side {
        return;
    }
    var sum = 0.0;
    for (var row = 0; row < 3; row++) {
        for (var column = 0; column < 3; column++) {
            sum += f32(3 * row + column + 1) * element(i32(id.y) + row - 1, i32(id.x) + column - 1);
        }
    }
    y[id.y * sizes.side + id.x] = sum;
}

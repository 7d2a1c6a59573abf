// c = a b in f32, row-major matrices.
import package::shared::tile_product::{
    Block, add_products, deep, stride_a, stride_b, tile, tile_a, tile_b,
    lower_left, lower_right, upper_left, upper_right,
};
import package::shared::tiles::{row_starts, sizes};

@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// Zeros behind the last depth.
fn from_a(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = starts + depth;
    return vec4(a[at.x], a[at.y], a[at.z], a[at.w]);
}

fn from_b(columns: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = columns + depth * sizes.n;
    return vec4(b[at.x], b[at.y], b[at.z], b[at.w]);
}

fn store(row: u32, column: u32, values: vec4<f32>) {
    if row >= sizes.m {
        return;
    }
    let at = sizes.first_of_c + row * sizes.n + column;
    if column < sizes.n {
        c[at] = values.x;
    }
    if column + 1u < sizes.n {
        c[at + 1u] = values.y;
    }
    if column + 2u < sizes.n {
        c[at + 2u] = values.z;
    }
    if column + 3u < sizes.n {
        c[at + 3u] = values.w;
    }
}

fn store_block(row: u32, column: u32, block: Block) {
    store(row, column, block.row_0);
    store(row + 1u, column, block.row_1);
    store(row + 2u, column, block.row_2);
    store(row + 3u, column, block.row_3);
}

@compute @workgroup_size(8, 8)
fn matmul(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) place: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let corner = group.xy * tile;
    // An invocation fetches 4 times 4 rows of a at one depth, and 4 columns of b at 4 depths.
    let at_a = vec2(index / deep, index % deep);
    let rows_0 = row_starts(corner.y + at_a.x * 4u);
    let rows_1 = row_starts(corner.y + at_a.x * 4u + 16u);
    let rows_2 = row_starts(corner.y + at_a.x * 4u + 32u);
    let rows_3 = row_starts(corner.y + at_a.x * 4u + 48u);
    let at_b = vec2(index % stride_b, index / stride_b);
    let columns = vec4(corner.x + at_b.x * 4u) + vec4(0u, 1u, 2u, 3u);
    let columns_of_b = min(columns, vec4(sizes.n - 1u)) + sizes.first_of_b;

    let steps = sizes.k / deep + select(0u, 1u, sizes.k % deep != 0u);
    for (var step = 0u; step < steps; step++) {
        let first = step * deep;
        let into_a = at_a.y * stride_a + at_a.x;
        tile_a[into_a] = from_a(rows_0, first + at_a.y);
        tile_a[into_a + 4u] = from_a(rows_1, first + at_a.y);
        tile_a[into_a + 8u] = from_a(rows_2, first + at_a.y);
        tile_a[into_a + 12u] = from_a(rows_3, first + at_a.y);
        let into_b = at_b.y * stride_b + at_b.x;
        tile_b[into_b] = from_b(columns_of_b, first + at_b.y);
        tile_b[into_b + 4u * stride_b] = from_b(columns_of_b, first + at_b.y + 4u);
        tile_b[into_b + 8u * stride_b] = from_b(columns_of_b, first + at_b.y + 8u);
        tile_b[into_b + 12u * stride_b] = from_b(columns_of_b, first + at_b.y + 12u);
        workgroupBarrier();
        add_products(place.xy);
        workgroupBarrier();
    }

    let row = corner.y + place.y * 4u;
    let column = corner.x + place.x * 4u;
    store_block(row, column, upper_left);
    store_block(row, column + 32u, upper_right);
    store_block(row + 32u, column, lower_left);
    store_block(row + 32u, column + 32u, lower_right);
}

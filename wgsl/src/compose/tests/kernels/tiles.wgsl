// c = a b in f32, matrices row after row.
//
// A workgroup computes 64x64 elements of c, an invocation four blocks of 4x4. What they need of a
// and b goes through workgroup memory, 16 columns of a and rows of b at a time.
struct Sizes {
    rows: u32,
    columns: u32,
    depth: u32,
    // Where the matrices begin in what is bound.
    first_of_a: u32,
    first_of_b: u32,
    first_of_c: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

const tile = 64u;
const deep = 16u;
// One more than there are, so that columns of a fall into different banks.
const stride_a = 17u;
const stride_b = 16u;

// Four rows of a, or four columns of b, at one depth.
var<workgroup> tile_a: array<vec4<f32>, 272>;
var<workgroup> tile_b: array<vec4<f32>, 256>;

// Four rows of four columns. Named, not indexed: so they stay in registers.
struct Block {
    row_0: vec4<f32>,
    row_1: vec4<f32>,
    row_2: vec4<f32>,
    row_3: vec4<f32>,
}

var<private> upper_left = Block();
var<private> upper_right = Block();
var<private> lower_left = Block();
var<private> lower_right = Block();

// Where four rows of a begin; rows behind the last one are the last one, and never stored.
fn row_starts(row: u32) -> vec4<u32> {
    let last = vec4(sizes.rows - 1u);
    return min(vec4(row) + vec4(0u, 1u, 2u, 3u), last) * sizes.depth + sizes.first_of_a;
}

// Zeros behind the last depth.
fn from_a(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.depth {
        return vec4(0.0);
    }
    let at = starts + depth;
    return vec4(a[at.x], a[at.y], a[at.z], a[at.w]);
}

fn from_b(columns: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.depth {
        return vec4(0.0);
    }
    let at = columns + depth * sizes.columns;
    return vec4(b[at.x], b[at.y], b[at.z], b[at.w]);
}

fn add_products(place: vec2<u32>) {
    for (var at = 0u; at < deep; at++) {
        let upper = tile_a[at * stride_a + place.y];
        let lower = tile_a[at * stride_a + place.y + 8u];
        let left = tile_b[at * stride_b + place.x];
        let right = tile_b[at * stride_b + place.x + 8u];
        upper_left.row_0 += upper.x * left;
        upper_left.row_1 += upper.y * left;
        upper_left.row_2 += upper.z * left;
        upper_left.row_3 += upper.w * left;
        upper_right.row_0 += upper.x * right;
        upper_right.row_1 += upper.y * right;
        upper_right.row_2 += upper.z * right;
        upper_right.row_3 += upper.w * right;
        lower_left.row_0 += lower.x * left;
        lower_left.row_1 += lower.y * left;
        lower_left.row_2 += lower.z * left;
        lower_left.row_3 += lower.w * left;
        lower_right.row_0 += lower.x * right;
        lower_right.row_1 += lower.y * right;
        lower_right.row_2 += lower.z * right;
        lower_right.row_3 += lower.w * right;
    }
}

fn store(row: u32, column: u32, values: vec4<f32>) {
    if row >= sizes.rows {
        return;
    }
    let at = sizes.first_of_c + row * sizes.columns + column;
    if column < sizes.columns {
        c[at] = values.x;
    }
    if column + 1u < sizes.columns {
        c[at + 1u] = values.y;
    }
    if column + 2u < sizes.columns {
        c[at + 2u] = values.z;
    }
    if column + 3u < sizes.columns {
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
    // Of a, an invocation fetches 4 times 4 rows at one depth; of b, 4 columns at 4 depths.
    let at_a = vec2(index / deep, index % deep);
    let rows_0 = row_starts(corner.y + at_a.x * 4u);
    let rows_1 = row_starts(corner.y + at_a.x * 4u + 16u);
    let rows_2 = row_starts(corner.y + at_a.x * 4u + 32u);
    let rows_3 = row_starts(corner.y + at_a.x * 4u + 48u);
    let at_b = vec2(index % stride_b, index / stride_b);
    let columns = vec4(corner.x + at_b.x * 4u) + vec4(0u, 1u, 2u, 3u);
    let columns_of_b = min(columns, vec4(sizes.columns - 1u)) + sizes.first_of_b;

    let steps = sizes.depth / deep + select(0u, 1u, sizes.depth % deep != 0u);
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

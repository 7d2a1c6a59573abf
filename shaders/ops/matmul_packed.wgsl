// c = a b in f16 or bf16, row-major matrices, two elements in a word; summed in f32, rounded to the nearest, ties to
// even. Does not need f16 in WGSL.
import package::shared::halves::{rounded, unpacked};
import package::shared::tile_product::{
    Block, add_products, deep, stride_a, stride_b, tile, tile_a, tile_b,
    lower_left, lower_right, upper_left, upper_right,
};
import package::shared::tiles::{row_starts, sizes};

@group(0) @binding(1) var<storage> a: array<u32>;
@group(0) @binding(2) var<storage> b: array<u32>;
// Atomic, because two invocations may each own one half of a word.
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;

fn element_of_a(at: u32) -> f32 {
    let pair = unpacked(a[at / 2u]);
    return select(pair.x, pair.y, at % 2u == 1u);
}

// Zeros behind the last depth.
fn from_a(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = starts + depth;
    return vec4(element_of_a(at.x), element_of_a(at.y), element_of_a(at.z), element_of_a(at.w));
}

// Columns behind the last one read the next row's elements; their results are never stored.
fn from_b(column: u32, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = sizes.first_of_b + depth * sizes.n + column;
    let words = min(vec3(at / 2u) + vec3(0u, 1u, 2u), vec3(arrayLength(&b) - 1u));
    var pairs = vec2(b[words.x], b[words.y]);
    if at % 2u == 1u {
        pairs = (pairs >> vec2(16u)) | (vec2(pairs.y, b[words.z]) << vec2(16u));
    }
    return vec4(unpacked(pairs.x), unpacked(pairs.y));
}

fn store_half(at: u32, bits: u32) {
    let shift = at % 2u * 16u;
    // Keeps the other half, also if another invocation changes it between the two operations.
    atomicAnd(&c[at / 2u], ~(0xffffu << shift));
    atomicOr(&c[at / 2u], bits << shift);
}

fn store(row: u32, column: u32, values: vec4<f32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    let bits = rounded(values);
    let at = sizes.first_of_c + row * sizes.n + column;
    let count = sizes.n - column;
    if at % 2u == 0u && count >= 4u {
        atomicStore(&c[at / 2u], bits.x | (bits.y << 16u));
        atomicStore(&c[at / 2u + 1u], bits.z | (bits.w << 16u));
        return;
    }
    store_half(at, bits.x);
    if count > 1u {
        store_half(at + 1u, bits.y);
    }
    if count > 2u {
        store_half(at + 2u, bits.z);
    }
    if count > 3u {
        store_half(at + 3u, bits.w);
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
    let column_of_b = corner.x + at_b.x * 4u;

    let steps = sizes.k / deep + select(0u, 1u, sizes.k % deep != 0u);
    for (var step = 0u; step < steps; step++) {
        let first = step * deep;
        let into_a = at_a.y * stride_a + at_a.x;
        tile_a[into_a] = from_a(rows_0, first + at_a.y);
        tile_a[into_a + 4u] = from_a(rows_1, first + at_a.y);
        tile_a[into_a + 8u] = from_a(rows_2, first + at_a.y);
        tile_a[into_a + 12u] = from_a(rows_3, first + at_a.y);
        let into_b = at_b.y * stride_b + at_b.x;
        tile_b[into_b] = from_b(column_of_b, first + at_b.y);
        tile_b[into_b + 4u * stride_b] = from_b(column_of_b, first + at_b.y + 4u);
        tile_b[into_b + 8u * stride_b] = from_b(column_of_b, first + at_b.y + 8u);
        tile_b[into_b + 12u * stride_b] = from_b(column_of_b, first + at_b.y + 12u);
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

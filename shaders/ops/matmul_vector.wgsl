// c = activation(alpha a b + beta c + bias) + residual where one factor is thin: a has few rows, or b few columns. Each
// element of the other, large factor is read once. Floats are f32, or, with `packed`, two in a word. With `vectors`,
// lines of both factors are multiples of four elements, and the lines of the thin factor run along the depth. With
// `split`, the sums of a part of the depth are stored.
import package::shared::product::{a_is_deep, b_is_deep, batch_of, depths_of, sizes, start_of_c};
@if(split)
import package::shared::product_parts::{store, store_one};
@else
import package::shared::product_result::{store, store_one};
@if(packed)
import package::shared::halves::{element_in, unpacked};

@if(vectors && packed)
alias Cell = vec2<u32>;
@if(vectors && !packed)
alias Cell = vec4<f32>;
@if(!vectors && packed)
alias Cell = u32;
@if(!vectors && !packed)
alias Cell = f32;

@group(0) @binding(1) var<storage> a: array<Cell>;
@group(0) @binding(2) var<storage> b: array<Cell>;

// Whether a is the thin factor; the number of its rows, or else of the columns of b: at most 8.
override a_is_thin: bool = true;
override thin: u32 = 1u;
// The number of invocations of a workgroup: at most 64, a power of two.
override lanes: u32 = 64u;

const first_four = vec4<u32>(0u, 1u, 2u, 3u);

@if(vectors && packed)
fn four_in(cell: Cell) -> vec4<f32> {
    return vec4(unpacked(cell.x), unpacked(cell.y));
}

@if(vectors && !packed)
fn four_in(cell: Cell) -> vec4<f32> {
    return cell;
}

// Returns four elements at a distance from each other; elements from number `count` on are zeros.
@if(vectors)
fn four_of_a(at: u32, distance: u32, count: u32) -> vec4<f32> {
    return four_in(a[at / 4u]);
}

@if(vectors)
fn four_of_b(at: u32, distance: u32, count: u32) -> vec4<f32> {
    return four_in(b[at / 4u]);
}

@if(!vectors && packed)
fn element_of_a(at: u32) -> f32 {
    return element_in(a[at / 2u], at);
}

@if(!vectors && packed)
fn element_of_b(at: u32) -> f32 {
    return element_in(b[at / 2u], at);
}

@if(!vectors && !packed)
fn element_of_a(at: u32) -> f32 {
    return a[at];
}

@if(!vectors && !packed)
fn element_of_b(at: u32) -> f32 {
    return b[at];
}

@if(!vectors)
fn places(at: u32, distance: u32, count: u32) -> vec4<u32> {
    return at + min(first_four, vec4(count - 1u)) * distance;
}

@if(!vectors)
fn four_of_a(at: u32, distance: u32, count: u32) -> vec4<f32> {
    let spots = places(at, distance, count);
    let four = vec4(element_of_a(spots.x), element_of_a(spots.y), element_of_a(spots.z), element_of_a(spots.w));
    return select(vec4(0.0), four, first_four < vec4(count));
}

@if(!vectors)
fn four_of_b(at: u32, distance: u32, count: u32) -> vec4<f32> {
    let spots = places(at, distance, count);
    let four = vec4(element_of_b(spots.x), element_of_b(spots.y), element_of_b(spots.z), element_of_b(spots.w));
    return select(vec4(0.0), four, first_four < vec4(count));
}

// Returns four neighbouring elements of the large factor.
fn large_four(at: u32, count: u32) -> vec4<f32> {
    if a_is_thin {
        return four_of_b(at, 1u, count);
    }
    return four_of_a(at, 1u, count);
}

// Returns `large_four` of a row of the large factor, or zeros outside. With `vectors`, there is always a row.
@if(vectors)
fn row_of_large(at: u32, count: u32, is_inside: bool) -> vec4<f32> {
    return large_four(at, count);
}

@if(!vectors)
fn row_of_large(at: u32, count: u32, is_inside: bool) -> vec4<f32> {
    return select(vec4(0.0), large_four(at, count), is_inside);
}

// Returns the index of the first element of the large factor in a batch.
fn start_of_large(batch: u32) -> u32 {
    if a_is_thin {
        return sizes.first_of_b + batch * sizes.batch_of_b;
    }
    return sizes.first_of_a + batch * sizes.batch_of_a;
}

fn line_of_large() -> u32 {
    return select(sizes.line_of_a, sizes.line_of_b, a_is_thin);
}

// Returns the number of rows of a, or columns of b, of the large factor.
fn sides() -> u32 {
    return select(sizes.m, sizes.n, a_is_thin);
}

// Returns row or column `side` of the thin factor at four depths.
fn thin_four(batch: u32, side: u32, depth: u32, count: u32) -> vec4<f32> {
    if a_is_thin {
        let start = sizes.first_of_a + batch * sizes.batch_of_a;
        if a_is_deep {
            return four_of_a(start + side * sizes.line_of_a + depth, 1u, count);
        }
        return four_of_a(start + side + depth * sizes.line_of_a, sizes.line_of_a, count);
    }
    let start = sizes.first_of_b + batch * sizes.batch_of_b;
    if b_is_deep {
        return four_of_b(start + side * sizes.line_of_b + depth, 1u, count);
    }
    return four_of_b(start + side + depth * sizes.line_of_b, sizes.line_of_b, count);
}

// Stores the sums for one row or column of the thin factor and four of the large factor.
fn store_four(slot: u32, thin_side: u32, side: u32, sums: vec4<f32>) {
    if a_is_thin {
        store(slot, thin_side, side, sums);
        return;
    }
    let at = start_of_c(slot) + side * sizes.line_of_c + thin_side;
    let count = sizes.m - side;
    store_one(at, thin_side, sums.x);
    if count > 1u {
        store_one(at + sizes.line_of_c, thin_side, sums.y);
    }
    if count > 2u {
        store_one(at + 2u * sizes.line_of_c, thin_side, sums.z);
    }
    if count > 3u {
        store_one(at + 3u * sizes.line_of_c, thin_side, sums.w);
    }
}

// The sums of all invocations, for each row or column of the thin factor.
var<workgroup> all_sums: array<vec4<f32>, 512>;

// For lines of the large factor along the depth: a workgroup adds up the products of four lines.
@compute @workgroup_size(lanes)
fn lines(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let batch = batch_of(group.y);
    let depths = depths_of(group.y);
    let side = group.x * 4u;
    // Lines behind the last line repeat the last line, and their sums are never stored.
    let starts = start_of_large(batch) + min(side + first_four, vec4(sides() - 1u)) * line_of_large();
    var sums = array<vec4<f32>, 8>();
    for (var depth = depths.x + index * 4u; depth < depths.y; depth += lanes * 4u) {
        let count = depths.y - depth;
        let line_0 = large_four(starts.x + depth, count);
        let line_1 = large_four(starts.y + depth, count);
        let line_2 = large_four(starts.z + depth, count);
        let line_3 = large_four(starts.w + depth, count);
        for (var at = 0u; at < thin; at++) {
            let four = thin_four(batch, at, depth, count);
            sums[at] += vec4(dot(line_0, four), dot(line_1, four), dot(line_2, four), dot(line_3, four));
        }
    }
    for (var at = 0u; at < thin; at++) {
        all_sums[at * lanes + index] = sums[at];
    }
    workgroupBarrier();
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        if index < half {
            for (var at = 0u; at < thin; at++) {
                all_sums[at * lanes + index] += all_sums[at * lanes + index + half];
            }
        }
        workgroupBarrier();
    }
    if index < thin {
        store_four(group.y, index, side, all_sums[index * lanes]);
    }
}

// For lines of the large factor across the depth: an invocation adds up the products of four rows or columns.
@compute @workgroup_size(lanes)
fn columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let batch = batch_of(group.y);
    let depths = depths_of(group.y);
    let side = (group.x * lanes + index) * 4u;
    if side >= sides() {
        return;
    }
    let count = sides() - side;
    let start = start_of_large(batch) + side;
    let line = line_of_large();
    var sums = array<vec4<f32>, 8>();
    for (var depth = depths.x; depth < depths.y; depth += 4u) {
        let deep = min(depth + first_four, vec4(depths.y - 1u));
        let is_inside = depth + first_four < vec4(depths.y);
        let row_0 = row_of_large(start + deep.x * line, count, is_inside.x);
        let row_1 = row_of_large(start + deep.y * line, count, is_inside.y);
        let row_2 = row_of_large(start + deep.z * line, count, is_inside.z);
        let row_3 = row_of_large(start + deep.w * line, count, is_inside.w);
        for (var at = 0u; at < thin; at++) {
            let four = thin_four(batch, at, depth, depths.y - depth);
            sums[at] += four.x * row_0 + four.y * row_1 + four.z * row_2 + four.w * row_3;
        }
    }
    for (var at = 0u; at < thin; at++) {
        store_four(group.y, at, side, sums[at]);
    }
}

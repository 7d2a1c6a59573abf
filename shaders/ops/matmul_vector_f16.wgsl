// c = activation(alpha a b + beta c + bias) + residual in f16 where one factor is thin: a has few rows, or b few columns.
// Each element of the other, large factor is read once. Sums are f32. Lines of both factors are multiples of four
// elements, and the lines of the thin factor run along the depth. With `split`, the sums of a part of the depth are
// stored.
enable f16;
import package::shared::product::{batch_of, depths_of, sizes, start_of_c};
@if(split)
import package::shared::product_parts::{store, store_one};
@else
import package::shared::product_result::{store, store_one};

@group(0) @binding(1) var<storage> a: array<vec4<f16>>;
@group(0) @binding(2) var<storage> b: array<vec4<f16>>;

// Whether a is the thin factor; the number of its rows, or else of the columns of b: at most 8.
override a_is_thin: bool = true;
override thin: u32 = 1u;
// The number of invocations of a workgroup: at most 64, a power of two.
override lanes: u32 = 64u;

const first_four = vec4<u32>(0u, 1u, 2u, 3u);

// Returns four neighbouring elements of the large factor, from the number of their cell.
fn large_four(cell: u32) -> vec4<f32> {
    if a_is_thin {
        return vec4<f32>(b[cell]);
    }
    return vec4<f32>(a[cell]);
}

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

// Returns the first cell of a row or column of the thin factor.
fn thin_line(batch: u32, side: u32) -> u32 {
    if a_is_thin {
        return (sizes.first_of_a + batch * sizes.batch_of_a + side * sizes.line_of_a) / 4u;
    }
    return (sizes.first_of_b + batch * sizes.batch_of_b + side * sizes.line_of_b) / 4u;
}

fn thin_four(cell: u32) -> vec4<f32> {
    if a_is_thin {
        return vec4<f32>(a[cell]);
    }
    return vec4<f32>(b[cell]);
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

// For lines of the large factor along the depth: a workgroup adds up the products of four lines. An invocation has two
// cells of each line on their way at a time, as a cell has 8 bytes only.
@compute @workgroup_size(lanes)
fn lines(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let batch = batch_of(group.y);
    let depths = depths_of(group.y) / 4u;
    let side = group.x * 4u;
    // Lines behind the last line repeat the last line, and their sums are never stored.
    let line = line_of_large();
    let starts = (start_of_large(batch) + min(side + first_four, vec4(sides() - 1u)) * line) / 4u;
    var sums = array<vec4<f32>, 8>();
    for (var depth = depths.x + index; depth < depths.y; depth += lanes * 2u) {
        // A cell behind the last one repeats it, and does not count.
        let far = min(depth + lanes, depths.y - 1u);
        let near_0 = large_four(starts.x + depth);
        let near_1 = large_four(starts.y + depth);
        let near_2 = large_four(starts.z + depth);
        let near_3 = large_four(starts.w + depth);
        let far_0 = large_four(starts.x + far);
        let far_1 = large_four(starts.y + far);
        let far_2 = large_four(starts.z + far);
        let far_3 = large_four(starts.w + far);
        for (var at = 0u; at < thin; at++) {
            let first = thin_line(batch, at);
            let near = thin_four(first + depth);
            sums[at] += vec4(dot(near_0, near), dot(near_1, near), dot(near_2, near), dot(near_3, near));
            if depth + lanes < depths.y {
                let more = thin_four(first + far);
                sums[at] += vec4(dot(far_0, more), dot(far_1, more), dot(far_2, more), dot(far_3, more));
            }
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

// For lines of the large factor across the depth: an invocation adds up the products of four rows or columns, eight
// depths at a time.
@compute @workgroup_size(lanes)
fn columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let batch = batch_of(group.y);
    let depths = depths_of(group.y);
    let side = (group.x * lanes + index) * 4u;
    if side >= sides() {
        return;
    }
    let line = line_of_large() / 4u;
    let start = (start_of_large(batch) + side) / 4u;
    var sums = array<vec4<f32>, 8>();
    for (var depth = depths.x; depth < depths.y; depth += 8u) {
        // Four depths behind the last ones repeat them, and do not count.
        let far = min(depth + 4u, depths.y - 4u);
        let at_near = start + depth * line;
        let at_far = start + far * line;
        let row_0 = large_four(at_near);
        let row_1 = large_four(at_near + line);
        let row_2 = large_four(at_near + 2u * line);
        let row_3 = large_four(at_near + 3u * line);
        let row_4 = large_four(at_far);
        let row_5 = large_four(at_far + line);
        let row_6 = large_four(at_far + 2u * line);
        let row_7 = large_four(at_far + 3u * line);
        for (var at = 0u; at < thin; at++) {
            let first = thin_line(batch, at);
            let near = thin_four(first + depth / 4u);
            sums[at] += near.x * row_0 + near.y * row_1 + near.z * row_2 + near.w * row_3;
            if depth + 4u < depths.y {
                let more = thin_four(first + far / 4u);
                sums[at] += more.x * row_4 + more.y * row_5 + more.z * row_6 + more.w * row_7;
            }
        }
    }
    for (var at = 0u; at < thin; at++) {
        store_four(group.y, at, side, sums[at]);
    }
}

// c = activation(alpha a b + beta c + bias) + residual in f32, in tiles of 128 x 128. For devices with more than 16 KiB
// of workgroup memory.
import package::shared::product::{a_is_deep, b_is_deep, sizes, starts_of_a, starts_of_b, tile_of};
import package::shared::product_f32::{from_a, from_b};
import package::shared::product_result::store_block;
import package::shared::tile_product::{
    lower_left, lower_right, upper_left, upper_right,
};

const tile = 128u;
const deep = 8u;
// The number of vectors from one depth to the next in workgroup memory. It is one more than needed, so that invocations
// that write different depths at the same time write to different banks.
const stride = 33u;
const step_vectors = 264u;

// Each vector has four rows of a, or four columns of b, at one depth.
var<workgroup> tile_a: array<vec4<f32>, 528>;
var<workgroup> tile_b: array<vec4<f32>, 528>;

// Returns the group of four rows or columns that an invocation fetches, and the depth: neighbours read neighbours.
fn spot(is_deep: bool, index: u32) -> vec2<u32> {
    return select(vec2(index % 32u, index / 32u), vec2(index / deep, index % deep), is_deep);
}

@compute @workgroup_size(256)
fn matmul(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let corner = tile_of(group.x) * tile;
    // Thirty-two invocations compute 32 rows of 64 columns.
    let lane = index % 32u;
    let part = index / 32u;
    let place = vec2(part % 2u * 16u + lane % 8u, part / 2u * 8u + lane / 8u);

    let at_a = spot(a_is_deep, index);
    let at_b = spot(b_is_deep, index);
    let starts_a = starts_of_a(corner.y + at_a.x * 4u, group.y);
    let starts_b = starts_of_b(corner.x + at_b.x * 4u, group.y);
    let kept_a = at_a.y * stride + at_a.x;
    let kept_b = at_b.y * stride + at_b.x;

    tile_a[kept_a] = from_a(starts_a, at_a.y);
    tile_b[kept_b] = from_b(starts_b, at_b.y);
    workgroupBarrier();
    let steps = (sizes.k + deep - 1u) / deep;
    for (var step = 0u; step < steps; step++) {
        // Fetches the next step while the current step is multiplied.
        let next = step + 1u;
        let next_a = from_a(starts_a, next * deep + at_a.y);
        let next_b = from_b(starts_b, next * deep + at_b.y);
        let here = step % 2u * step_vectors;
        for (var at = 0u; at < deep; at++) {
            let upper = tile_a[here + at * stride + place.y];
            let lower = tile_a[here + at * stride + place.y + 4u];
            let left = tile_b[here + at * stride + place.x];
            let right = tile_b[here + at * stride + place.x + 8u];
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
        let there = next % 2u * step_vectors;
        tile_a[there + kept_a] = next_a;
        tile_b[there + kept_b] = next_b;
        workgroupBarrier();
    }

    let row = corner.y + place.y * 4u;
    let column = corner.x + place.x * 4u;
    store_block(group.y, row, column, upper_left);
    store_block(group.y, row, column + 32u, upper_right);
    store_block(group.y, row + 16u, column, lower_left);
    store_block(group.y, row + 16u, column + 32u, lower_right);
}

// The product of two tiles of 64 rows or columns and a depth of 16, in workgroup memory.
//
// A workgroup computes 64x64 elements, an invocation four blocks of 4x4.
const tile = 64u;
const deep = 16u;
// `stride_a` is one more than needed, so that columns of a are in different banks.
const stride_a = 17u;
const stride_b = 16u;

// Each vector has four rows of a, or four columns of b, at one depth.
var<workgroup> tile_a: array<vec4<f32>, 272>;
var<workgroup> tile_b: array<vec4<f32>, 256>;

// Four rows of four columns. Named members, not an array, so that they stay in registers.
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

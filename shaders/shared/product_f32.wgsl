// The factors of a product in f32.
import package::shared::product::{depth_in_a, depth_in_b, sizes};

@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;

// Returns four elements at a depth; zeros beyond the last depth.
fn from_a(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = starts + depth_in_a(depth);
    return vec4(a[at.x], a[at.y], a[at.z], a[at.w]);
}

fn from_b(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = starts + depth_in_b(depth);
    return vec4(b[at.x], b[at.y], b[at.z], b[at.w]);
}

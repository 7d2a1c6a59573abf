// The factors of a product in f16 or bf16, two elements in a word.
import package::shared::halves::{element_in, unpacked};
import package::shared::product::{b_is_deep, depth_in_a, depth_in_b, sizes};

@group(0) @binding(1) var<storage> a: array<u32>;
@group(0) @binding(2) var<storage> b: array<u32>;

fn element_of_a(at: u32) -> f32 {
    return element_in(a[at / 2u], at);
}

fn element_of_b(at: u32) -> f32 {
    return element_in(b[at / 2u], at);
}

// Returns four elements at a depth; zeros beyond the last depth.
fn from_a(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = starts + depth_in_a(depth);
    return vec4(element_of_a(at.x), element_of_a(at.y), element_of_a(at.z), element_of_a(at.w));
}

fn from_b(starts: vec4<u32>, depth: u32) -> vec4<f32> {
    if depth >= sizes.k {
        return vec4(0.0);
    }
    let at = starts + depth_in_b(depth);
    if b_is_deep || at.w - at.x != 3u {
        return vec4(element_of_b(at.x), element_of_b(at.y), element_of_b(at.z), element_of_b(at.w));
    }
    // Four neighbouring elements are in two words, or in three.
    let words = min(vec3(at.x / 2u) + vec3(0u, 1u, 2u), vec3(arrayLength(&b) - 1u));
    var pairs = vec2(b[words.x], b[words.y]);
    if at.x % 2u == 1u {
        pairs = (pairs >> vec2(16u)) | (vec2(pairs.y, b[words.z]) << vec2(16u));
    }
    return vec4(unpacked(pairs.x), unpacked(pairs.y));
}

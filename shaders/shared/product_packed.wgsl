// The matrices of a product in f16 or bf16, two elements in a word.
import package::shared::halves::{rounded, unpacked};
import package::shared::product::{b_is_deep, depth_in_a, depth_in_b, sizes, start_of_c};
import package::shared::tile_product::Block;

@group(0) @binding(1) var<storage> a: array<u32>;
@group(0) @binding(2) var<storage> b: array<u32>;
// Atomic, because two invocations may each own one half of a word.
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;

fn element_of_a(at: u32) -> f32 {
    let pair = unpacked(a[at / 2u]);
    return select(pair.x, pair.y, at % 2u == 1u);
}

fn element_of_b(at: u32) -> f32 {
    let pair = unpacked(b[at / 2u]);
    return select(pair.x, pair.y, at % 2u == 1u);
}

// Zeros behind the last depth.
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
    // Four neighbours are in two words, or in three.
    let words = min(vec3(at.x / 2u) + vec3(0u, 1u, 2u), vec3(arrayLength(&b) - 1u));
    var pairs = vec2(b[words.x], b[words.y]);
    if at.x % 2u == 1u {
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

fn element_of_c(at: u32) -> f32 {
    let pair = unpacked(atomicLoad(&c[at / 2u]));
    return select(pair.x, pair.y, at % 2u == 1u);
}

fn store(batch: u32, row: u32, column: u32, values: vec4<f32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    let at = start_of_c(batch) + row * sizes.n + column;
    let count = sizes.n - column;
    var result = sizes.alpha * values;
    if sizes.beta != 0.0 {
        // Elements behind the last one are never stored.
        let old = vec4(element_of_c(at), element_of_c(at + 1u), element_of_c(at + 2u), element_of_c(at + 3u));
        result += sizes.beta * old;
    }
    let bits = rounded(result);
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

fn store_block(batch: u32, row: u32, column: u32, block: Block) {
    store(batch, row, column, block.row_0);
    store(batch, row + 1u, column, block.row_1);
    store(batch, row + 2u, column, block.row_2);
    store(batch, row + 3u, column, block.row_3);
}

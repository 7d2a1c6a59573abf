// The matrices of a product in f32.
import package::shared::product::{depth_in_a, depth_in_b, sizes, start_of_c};
import package::shared::tile_product::Block;

@group(0) @binding(1) var<storage> a: array<f32>;
@group(0) @binding(2) var<storage> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// Zeros behind the last depth.
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

fn store_one(at: u32, sum: f32) {
    var result = sizes.alpha * sum;
    if sizes.beta != 0.0 {
        result += sizes.beta * c[at];
    }
    c[at] = result;
}

fn store(batch: u32, row: u32, column: u32, values: vec4<f32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    let at = start_of_c(batch) + row * sizes.n + column;
    let count = sizes.n - column;
    store_one(at, values.x);
    if count > 1u {
        store_one(at + 1u, values.y);
    }
    if count > 2u {
        store_one(at + 2u, values.z);
    }
    if count > 3u {
        store_one(at + 3u, values.w);
    }
}

fn store_block(batch: u32, row: u32, column: u32, block: Block) {
    store(batch, row, column, block.row_0);
    store(batch, row + 1u, column, block.row_1);
    store(batch, row + 2u, column, block.row_2);
    store(batch, row + 3u, column, block.row_3);
}

// The sums of parts of a product's depth, in f32: a matrix for each slot. Those of the whole depth can be the result.
import package::shared::product::{sizes, start_of_c};
import package::shared::tile_product::Block;

@group(0) @binding(3) var<storage, read_write> c: array<f32>;

fn store_one(at: u32, column: u32, sum: f32) {
    c[at] = sum;
}

// Stores up to four neighbouring sums of a row.
fn store(slot: u32, row: u32, column: u32, sums: vec4<f32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    let at = start_of_c(slot) + row * sizes.line_of_c + column;
    let count = sizes.n - column;
    c[at] = sums.x;
    if count > 1u {
        c[at + 1u] = sums.y;
    }
    if count > 2u {
        c[at + 2u] = sums.z;
    }
    if count > 3u {
        c[at + 3u] = sums.w;
    }
}

fn store_block(slot: u32, row: u32, column: u32, block: Block) {
    store(slot, row, column, block.row_0);
    store(slot, row + 1u, column, block.row_1);
    store(slot, row + 2u, column, block.row_2);
    store(slot, row + 3u, column, block.row_3);
}

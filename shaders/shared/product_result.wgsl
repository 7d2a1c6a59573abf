// The results of a product: c = activation(alpha a b + beta c + bias) + residual. Floats are f32, or, with `packed`, two
// in a word.
import package::shared::epilogue::activated;
import package::shared::product::{has_bias, has_residual, sizes, start_of_c};
import package::shared::tile_product::Block;
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

// The words are atomic, because two invocations may each write one half of a word.
@if(packed)
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;
@else
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@group(0) @binding(4) var<storage> bias: array<Cell>;
@group(0) @binding(5) var<storage> residual: array<Cell>;

@if(packed)
fn old_element(at: u32) -> f32 {
    return element_in(atomicLoad(&c[at / 2u]), at);
}

@if(!packed)
fn old_element(at: u32) -> f32 {
    return c[at];
}

@if(packed)
fn element_of_bias(at: u32) -> f32 {
    return element_in(bias[at / 2u], at);
}

@if(!packed)
fn element_of_bias(at: u32) -> f32 {
    return bias[at];
}

@if(packed)
fn element_of_residual(at: u32) -> f32 {
    return element_in(residual[at / 2u], at);
}

@if(!packed)
fn element_of_residual(at: u32) -> f32 {
    return residual[at];
}

// Returns a sum times alpha, plus the old element times beta.
fn scaled(sum: f32, at: u32) -> f32 {
    if sizes.beta != 0.0 {
        return sizes.alpha * sum + sizes.beta * old_element(at);
    }
    return sizes.alpha * sum;
}

// Returns the result at index `at` of c, in a column, from the scaled sum `value`.
fn finished(value: f32, at: u32, column: u32) -> f32 {
    var result = value;
    if has_bias {
        result += element_of_bias(sizes.first_of_bias + column);
    }
    result = activated(result);
    if has_residual {
        result += element_of_residual(at - sizes.first_of_c + sizes.first_of_residual);
    }
    return result;
}

@if(packed)
fn store_half(at: u32, bits: u32) {
    let shift = at % 2u * 16u;
    // Keeps the other half of the word, also if another invocation changes it between the two operations.
    atomicAnd(&c[at / 2u], ~(0xffffu << shift));
    atomicOr(&c[at / 2u], bits << shift);
}

// Stores the results of up to four neighbouring sums of a row.
@if(packed)
fn store(slot: u32, row: u32, column: u32, sums: vec4<f32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    let at = start_of_c(slot) + row * sizes.line_of_c + column;
    let count = sizes.n - column;
    // Sums beyond the last column take the index of the last column; their results are never stored.
    let steps = min(vec4(0u, 1u, 2u, 3u), vec4(count - 1u));
    let result = vec4(
        finished(scaled(sums.x, at), at, column),
        finished(scaled(sums.y, at + steps.y), at + steps.y, column + steps.y),
        finished(scaled(sums.z, at + steps.z), at + steps.z, column + steps.z),
        finished(scaled(sums.w, at + steps.w), at + steps.w, column + steps.w),
    );
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

// Stores the result of a sum.
@if(packed)
fn store_one(at: u32, column: u32, sum: f32) {
    store_half(at, rounded(vec4(finished(scaled(sum, at), at, column))).x);
}

@if(!packed)
fn store_one(at: u32, column: u32, sum: f32) {
    c[at] = finished(scaled(sum, at), at, column);
}

@if(!packed)
fn store(slot: u32, row: u32, column: u32, sums: vec4<f32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    let at = start_of_c(slot) + row * sizes.line_of_c + column;
    let count = sizes.n - column;
    store_one(at, column, sums.x);
    if count > 1u {
        store_one(at + 1u, column + 1u, sums.y);
    }
    if count > 2u {
        store_one(at + 2u, column + 2u, sums.z);
    }
    if count > 3u {
        store_one(at + 3u, column + 3u, sums.w);
    }
}

fn store_block(slot: u32, row: u32, column: u32, block: Block) {
    store(slot, row, column, block.row_0);
    store(slot, row + 1u, column, block.row_1);
    store(slot, row + 2u, column, block.row_2);
    store(slot, row + 3u, column, block.row_3);
}

// The elements that a selection keeps, and the results that it writes for them: here, elements with a flag are kept.
// The operator replaces this file.
import package::shared::scan_sizes::sizes;

@group(0) @binding(9) var<storage> x: array<u32>;
@group(0) @binding(11) var<storage, read_write> y: array<u32>;
@group(0) @binding(10) var<storage> heads: array<u32>;

fn is_kept(i: u32) -> bool {
    return heads[sizes.first_of_heads + i] != 0u;
}

// Writes element i as the kept element with the index `to`.
fn put(to: u32, i: u32) {
    if to < sizes.capacity {
        y[sizes.first_of_y + to] = x[sizes.first_of_x + i];
    }
}

// Whether `put_rest` writes element i, which is not kept, as the element with the index `to` of those.
const puts_rest = false;

fn put_rest(to: u32, i: u32) {
}

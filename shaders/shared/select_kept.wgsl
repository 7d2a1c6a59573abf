// The elements that a selection keeps, and the results that it writes for them: here, elements with a flag are kept.
// The operator replaces this file.
import package::shared::scan_sizes::sizes;

@group(0) @binding(9) var<storage> x: array<u32>;
@group(0) @binding(11) var<storage, read_write> y: array<u32>;
@group(0) @binding(10) var<storage> heads: array<u32>;

fn is_kept(i: u32) -> bool {
    return is_kept_at(sizes.first_of_heads + i);
}

// Whether the element with the place `at` is kept. Places are indices in the binding of the flags; where a condition
// decides, in that of the elements.
fn is_kept_at(at: u32) -> bool {
    return heads[at] != 0u;
}

// The place of the first element, and the place after those of the elements before `end`.
fn first_place() -> u32 {
    return sizes.first_of_heads;
}

fn last_place(end: u32) -> u32 {
    return min(sizes.first_of_heads + end, arrayLength(&heads));
}

// Whether one value is written for each kept element: then `move_to` writes that of the element with the place `at` to
// a place in y.
const moves_one = true;

fn move_to(to: u32, at: u32) {
    y[to] = x[at - sizes.first_of_heads + sizes.first_of_x];
}

// The place in y after those of the kept elements before `end`, as far as y has them.
fn room_in_y(end: u32) -> u32 {
    return min(sizes.first_of_y + min(end, sizes.capacity), arrayLength(&y));
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

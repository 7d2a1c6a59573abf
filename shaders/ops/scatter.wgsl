// Elements of x, written to the places of y that indices give.
//
// Where several indices give one place, the last one wins: each claims its place by its number, and only the highest
// number writes.
import package::shared::elements::{load, store};
import package::shared::indices::{Indices, place_of};

struct Sizes {
    // The cells of x, and the numbers of indices.
    count: u32,
    numbers: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The cells behind a place of the axis, and those of an index: one index for all of them, or for each element.
    inner: u32,
    each_index: u32,
    // The indices of a line along the axis, or of all lines if they share them.
    lines: u32,
    @align(16) indices: Indices,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// The highest number of an index, counted from 1, for each place.
@group(0) @binding(4) var<storage, read_write> claims: array<atomic<u32>>;

// Whether all lines along the axis have the same indices.
override shared_indices: bool = true;
// Whether the places of all indices differ, so that nothing is claimed.
override unique: bool = false;

struct Place {
    // The number of the index.
    index: u32,
    // The place among those that can be claimed.
    claimed: u32,
    at: u32,
    inside: bool,
}

fn place(number: u32) -> Place {
    let line = number / sizes.inner;
    let within = number - line * sizes.inner;
    let outer = line / sizes.lines;
    var index = line - outer * sizes.lines;
    if !shared_indices {
        index = line * (sizes.inner / sizes.each_index) + within / sizes.each_index;
    }
    let found = place_of(index, sizes.indices);
    let at = (outer * sizes.indices.size + found) * sizes.inner + within;
    let claimed = select(at / sizes.each_index, found, shared_indices);
    return Place(index, claimed, at, found < sizes.indices.size);
}

// An invocation has an index.
@compute @workgroup_size(256)
fn claim(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.numbers {
        let number = select(id.x * sizes.each_index, id.x * sizes.inner, shared_indices);
        let found = place(number);
        if found.inside {
            atomicMax(&claims[found.claimed], found.index + 1u);
        }
    }
}

// An invocation has a cell.
@compute @workgroup_size(256)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let found = place(id.x);
        if found.inside && (unique || atomicLoad(&claims[found.claimed]) == found.index + 1u) {
            store(sizes.first_of_y + found.at, load(sizes.first_of_x + id.x));
        }
    }
}

// Writes elements of x to the positions of y that indices select.
//
// If several indices select one position, the last index wins: each index claims its position by its number, and only
// the element of the highest number is written.
import package::shared::elements::{load, store};
import package::shared::indices::{Indices, place_of};

struct Sizes {
    // The number of cells of x, and the number of indices.
    count: u32,
    numbers: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The number of cells at a position of the axis, and of an element, which has an index unless `shared_indices`.
    inner: u32,
    each_index: u32,
    // The number of indices of a line along the axis, which all lines may share.
    lines: u32,
    @align(16) indices: Indices,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// For each position, the highest number of an index that selects it, counted from 1.
@group(0) @binding(4) var<storage, read_write> claims: array<atomic<u32>>;

// Whether all lines along the axis have the same indices.
override shared_indices: bool = true;
// Whether all indices select different positions, so that none has to be claimed.
override unique: bool = false;

struct Place {
    // The number of the index.
    index: u32,
    // The index of the position in `claims`.
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

// Each invocation claims the position of one index.
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

// Each invocation writes one cell.
@compute @workgroup_size(256)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let found = place(id.x);
        if found.inside && (unique || atomicLoad(&claims[found.claimed]) == found.index + 1u) {
            store(sizes.first_of_y + found.at, load(sizes.first_of_x + id.x));
        }
    }
}

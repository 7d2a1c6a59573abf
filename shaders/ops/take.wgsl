// Writes elements of x along an axis, at the positions that indices select.
import package::shared::elements::{Cell, cell_of, load, store};
@if(packed)
import package::shared::elements::{bits, merge};
import package::shared::indices::{Indices, place_of};

struct Sizes {
    // The number of cells of y.
    count: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The number of cells at a position of the axis, and the number of cells of an element; unless `shared_indices`,
    // each element has its own index.
    inner: u32,
    each_index: u32,
    // The number of elements of y in a line along the axis.
    lines: u32,
    // The number of cells after which the fill value repeats.
    period: u32,
    @align(16) indices: Indices,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// The fill value, with one cell in each vector.
@group(0) @binding(4) var<uniform> fill: array<vec4<u32>, 16>;

// Whether all lines along the axis have the same indices.
override shared_indices: bool = true;
// Whether an element of y is left unchanged if its index is outside the axis.
override keep: bool = false;

struct Place {
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
    return Place((outer * sizes.indices.size + found) * sizes.inner + within, found < sizes.indices.size);
}

fn cell_at(found: Place, number: u32) -> Cell {
    if found.inside {
        return load(sizes.first_of_x + found.at);
    }
    return cell_of(fill[number % sizes.period]);
}

@if(!packed)
@compute @workgroup_size(256)
fn take(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let found = place(id.x);
        if !keep || found.inside {
            store(sizes.first_of_y + id.x, cell_at(found, id.x));
        }
    }
}

// Each invocation writes a word of y.
@if(packed)
@compute @workgroup_size(256)
fn take(@builtin(global_invocation_id) id: vec3<u32>) {
    let each = 32u / bits;
    let skip = sizes.first_of_y % each;
    if id.x * each >= skip + sizes.count {
        return;
    }
    var word = 0u;
    var mask = 0u;
    for (var k = 0u; k < each; k++) {
        // Elements before the array have negative numbers, which wrap around to large ones.
        let number = id.x * each + k - skip;
        if number < sizes.count {
            let found = place(number);
            if !keep || found.inside {
                word |= cell_at(found, number) << (k * bits);
                mask |= (0xffffffffu >> (32u - bits)) << (k * bits);
            }
        }
    }
    merge(sizes.first_of_y / each + id.x, word, mask);
}

// Writes a row for each index: one value at the position of the index, another value at all other positions.
import package::shared::elements::{Cell, cell_of, store};
@if(packed)
import package::shared::elements::{bits, merge};
import package::shared::indices::{Indices, place_of};

struct Sizes {
    // The number of cells of y.
    count: u32,
    first_of_y: u32,
    // The number of cells of an element.
    period: u32,
    @align(16) indices: Indices,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
// The two values, with one cell of a value in each vector.
@group(0) @binding(4) var<uniform> hot: array<vec4<u32>, 16>;
@group(0) @binding(5) var<uniform> cold: array<vec4<u32>, 16>;

fn cell_at(number: u32) -> Cell {
    let element = number / sizes.period;
    let row = element / sizes.indices.size;
    if place_of(row, sizes.indices) == element - row * sizes.indices.size {
        return cell_of(hot[number % sizes.period]);
    }
    return cell_of(cold[number % sizes.period]);
}

@if(!packed)
@compute @workgroup_size(256)
fn one_hot(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        store(sizes.first_of_y + id.x, cell_at(id.x));
    }
}

// Each invocation writes a word of y.
@if(packed)
@compute @workgroup_size(256)
fn one_hot(@builtin(global_invocation_id) id: vec3<u32>) {
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
            word |= cell_at(number) << (k * bits);
            mask |= (0xffffffffu >> (32u - bits)) << (k * bits);
        }
    }
    merge(sizes.first_of_y / each + id.x, word, mask);
}

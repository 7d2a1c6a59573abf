// Combines elements of x with the elements of y at the positions that indices select.
import package::shared::combine::{bits, combined, kind, narrowed, operation, widened};
import package::shared::indices::{Indices, place_of};
import package::shared::longs::combined_longs;

struct Sizes {
    count: u32,
    // The index of the first element of x and of y, in words if elements have 64 bits.
    first_of_x: u32,
    first_of_y: u32,
    // The number of elements at a position of the axis.
    inner: u32,
    // The number of indices of a line along the axis, which all lines may share.
    lines: u32,
    @align(16) indices: Indices,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
// The positions of all elements; the sorted positions; the combined elements, in the order of the sorted positions.
@group(0) @binding(4) var<storage, read_write> places: array<u32>;
@group(0) @binding(5) var<storage> sorted: array<u32>;
@group(0) @binding(6) var<storage> sums: array<u32>;

// Whether all lines along the axis have the same indices.
override shared_indices: bool = true;
// The atomic operation of the device on unsigned integers: 1 adds, 2 takes the greatest, 3 the least; 0 if there is none.
override atomic_kind: u32 = 0u;

const nowhere = 0xffffffffu;

// Returns the position in y of an element of x; `nowhere` if its index is outside the axis.
fn place(number: u32) -> u32 {
    let line = number / sizes.inner;
    let within = number - line * sizes.inner;
    let outer = line / sizes.lines;
    let index = select(number, line - outer * sizes.lines, shared_indices);
    let found = place_of(index, sizes.indices);
    return select(nowhere, (outer * sizes.indices.size + found) * sizes.inner + within, found < sizes.indices.size);
}

// Returns the bits of an element of up to 32 bits; the bits above the element have no meaning.
fn element(number: u32) -> u32 {
    let each = max(32u / bits, 1u);
    let at = sizes.first_of_x + number;
    return x[at / each] >> (at % each * bits);
}

// Combines a number with the element at a position, whose word may have other elements that change at the same time.
fn combine(found: u32, own: u32) {
    let each = max(32u / bits, 1u);
    let at = (sizes.first_of_y + found) / each;
    let shift = (sizes.first_of_y + found) % each * bits;
    let mask = (0xffffffffu >> (32u - min(bits, 32u))) << shift;
    var old = atomicLoad(&y[at]);
    // An attempt fails only if another invocation has succeeded, so that the bound is never reached.
    for (var attempt = 0u; attempt < 0xffffffffu; attempt++) {
        let new_element = narrowed(combined(widened(old >> shift), own));
        let new_bits = (old & ~mask) | ((new_element << shift) & mask);
        if new_bits == old {
            return;
        }
        let exchange = atomicCompareExchangeWeak(&y[at], old, new_bits);
        if exchange.exchanged {
            return;
        }
        old = exchange.old_value;
    }
}

@compute @workgroup_size(256)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let found = place(id.x);
    if found == nowhere {
        return;
    }
    if bits == 64u {
        // Sums of integers: each carry is added by the element that causes it, whatever the order.
        let from_at = sizes.first_of_x + 2u * id.x;
        let at = sizes.first_of_y + 2u * found;
        let low = x[from_at];
        let old = atomicAdd(&y[at], low);
        atomicAdd(&y[at + 1u], x[from_at + 1u] + select(0u, 1u, old + low < low));
        return;
    }
    let own = element(id.x);
    let at = sizes.first_of_y + found;
    if atomic_kind == 1u {
        atomicAdd(&y[at], own);
    } else if atomic_kind == 2u {
        atomicMax(&y[at], own);
    } else if atomic_kind == 3u {
        atomicMin(&y[at], own);
    } else {
        combine(found, widened(own));
    }
}

// Finds the positions of all elements, which are sorted afterwards.
@compute @workgroup_size(256)
fn find(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        places[id.x] = place(id.x);
    }
}

// The last sum of each position is the sum of all its elements. Sums have 32 bits, or 64 bits for longer elements.
@compute @workgroup_size(256)
fn add_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let own = sorted[id.x];
    let last = id.x + 1u == sizes.count || sorted[min(id.x + 1u, sizes.count - 1u)] != own;
    if own == nowhere || !last {
        return;
    }
    if bits == 64u {
        let at = sizes.first_of_y + 2u * own;
        let old = vec2(atomicLoad(&y[at]), atomicLoad(&y[at + 1u]));
        let new_bits = combined_longs(old, vec2(sums[2u * id.x], sums[2u * id.x + 1u]), kind, operation);
        atomicStore(&y[at], new_bits.x);
        atomicStore(&y[at + 1u], new_bits.y);
    } else {
        combine(own, sums[id.x]);
    }
}

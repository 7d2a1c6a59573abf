// Elements of x, combined with the elements of y at the places that indices give.
import package::shared::combine::{combined, kind};
import package::shared::indices::{Indices, place_of};

struct Sizes {
    count: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The elements behind a place of the axis.
    inner: u32,
    // The indices of a line along the axis, or of all lines if they share them.
    lines: u32,
    @align(16) indices: Indices,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
// In order of their places: the number of the place for each element, and the combined elements.
@group(0) @binding(4) var<storage, read_write> places: array<u32>;
@group(0) @binding(5) var<storage> sorted: array<u32>;
@group(0) @binding(6) var<storage> sums: array<u32>;

// Whether all lines along the axis have the same indices.
override shared_indices: bool = true;
// The atomic operation of the device on unsigned integers: 1 adds, 2 takes the greatest, 3 the least; 0 if there is none.
override atomic_kind: u32 = 0u;

const nowhere = 0xffffffffu;

// The place in y.
fn place(number: u32) -> u32 {
    let line = number / sizes.inner;
    let within = number - line * sizes.inner;
    let outer = line / sizes.lines;
    let index = select(number, line - outer * sizes.lines, shared_indices);
    let found = place_of(index, sizes.indices);
    return select(nowhere, (outer * sizes.indices.size + found) * sizes.inner + within, found < sizes.indices.size);
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
    let at = sizes.first_of_y + found;
    let own = x[sizes.first_of_x + id.x];
    if atomic_kind == 1u {
        atomicAdd(&y[at], own);
    } else if atomic_kind == 2u {
        atomicMax(&y[at], own);
    } else if atomic_kind == 3u {
        atomicMin(&y[at], own);
    } else {
        var old = atomicLoad(&y[at]);
        // An attempt fails only if another one has succeeded, so that the bound is never reached.
        for (var attempt = 0u; attempt < 0xffffffffu; attempt++) {
            let new_bits = combined(old, own);
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
}

// The places of all elements, to be sorted.
@compute @workgroup_size(256)
fn find(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        places[id.x] = place(id.x);
    }
}

// The last sum of each place is that of all its elements.
@compute @workgroup_size(256)
fn add_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let own = sorted[id.x];
    let last = id.x + 1u == sizes.count || sorted[min(id.x + 1u, sizes.count - 1u)] != own;
    if own != nowhere && last {
        let at = sizes.first_of_y + own;
        atomicStore(&y[at], combined(atomicLoad(&y[at]), sums[id.x]));
    }
}

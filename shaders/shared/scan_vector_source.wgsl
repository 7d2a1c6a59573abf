// The elements of a scan as vectors of four, in its order.
import package::shared::scan_monoid::{A, T, identity, loaded};
import package::shared::scan_order::reverse;
import package::shared::scan_sizes::sizes;

@group(0) @binding(1) var<storage> x: array<vec4<T>>;

// The place of a vector in memory.
fn place(i: u32) -> u32 {
    return select(i, sizes.length / 4u - 1u - i, reverse);
}

// The elements of a vector; identities beyond the end.
fn vector(i: u32) -> vec4<A> {
    if i >= sizes.length / 4u {
        return vec4(identity());
    }
    let v = x[sizes.first_of_x + place(i)];
    let ordered = vec4(loaded(v.x), loaded(v.y), loaded(v.z), loaded(v.w));
    return select(ordered, ordered.wzyx, reverse);
}

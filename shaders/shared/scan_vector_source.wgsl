// The elements of a scan as vectors of four, in the order of the scan.
import package::shared::scan_monoid::{A, identity, loaded};
import package::shared::scan_order::reverse;
import package::shared::scan_sizes::sizes;
import package::shared::scan_vector_input::at;

// Returns the index in memory of a vector.
fn place(i: u32) -> u32 {
    return select(i, sizes.length / 4u - 1u - i, reverse);
}

// Returns the elements of a vector; identities beyond the end.
fn vector(i: u32) -> vec4<A> {
    if i >= sizes.length / 4u {
        return vec4(identity());
    }
    let v = at(place(i));
    let ordered = vec4(loaded(v.x), loaded(v.y), loaded(v.z), loaded(v.w));
    return select(ordered, ordered.wzyx, reverse);
}

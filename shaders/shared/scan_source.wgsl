// The elements of a scan, in the order of the scan. Selections replace this file by a file that reads flags as numbers.
import package::shared::scan_heads::is_head;
import package::shared::scan_input::at;
import package::shared::scan_monoid::{A, identity, loaded};
import package::shared::scan_order::reverse;
import package::shared::scan_sizes::sizes;

// Returns the index in memory of an element.
fn place(i: u32) -> u32 {
    return select(i, sizes.length - 1u - i, reverse);
}

// Returns the value of an element; the identity beyond the end.
fn element(i: u32) -> A {
    if i < sizes.length {
        return loaded(at(place(i)));
    }
    return identity();
}

// Whether a segment begins with an element, in the order of the scan.
fn begins(i: u32) -> bool {
    if i >= sizes.length {
        return false;
    }
    if !reverse {
        return is_head(i);
    }
    // The last element of a segment in memory is the element before a head.
    return i != 0u && is_head(sizes.length - i);
}

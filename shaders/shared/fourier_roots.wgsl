// The powers of the first root of 1 of a length, from a table of two levels, whose size is about the square root of the
// length.
import package::shared::complex::{Complex, times};

struct Roots {
    // The first root in the binding, and the first power of the second level.
    first: u32,
    second: u32,
    // The low bits of an exponent, which choose a root of the first level; the other bits choose one of the second.
    bits: u32,
}

// Whether the table has a second level.
override levels: bool = false;

@group(0) @binding(3) var<storage> roots: array<Complex>;
@group(0) @binding(4) var<uniform> table: Roots;

fn root(exponent: u32) -> Complex {
    if !levels {
        return roots[table.first + exponent];
    }
    let low = roots[table.first + (exponent & ((1u << table.bits) - 1u))];
    return times(low, roots[table.second + (exponent >> table.bits)]);
}

// The sizes of a product of two matrices, for elements of each type.
struct Sizes {
    // Rows of a and c, columns of a and rows of b, columns of b and c.
    m: u32,
    k: u32,
    n: u32,
    // The first element of each matrix in its binding.
    first_of_a: u32,
    first_of_b: u32,
    first_of_c: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;

// The first elements of four rows of a; rows behind the last one repeat it, and their results are never stored.
fn row_starts(row: u32) -> vec4<u32> {
    let last = vec4(sizes.m - 1u);
    return min(vec4(row) + vec4(0u, 1u, 2u, 3u), last) * sizes.k + sizes.first_of_a;
}

// The sizes of the matrices of a product, and their positions in memory.
struct Sizes {
    // The number of rows of a and c, of columns of a and rows of b, of columns of b and c.
    m: u32,
    k: u32,
    n: u32,
    // The number of tiles of c in a row, and in a column.
    tiles_x: u32,
    tiles_y: u32,
    // The index of each matrix's first element in its binding.
    first_of_a: u32,
    first_of_b: u32,
    first_of_c: u32,
    // The number of elements from one line to the next. Lines are rows, or columns of a transposed factor.
    line_of_a: u32,
    line_of_b: u32,
    line_of_c: u32,
    // The number of elements from one matrix of a batch to the next; 0 if all products share one matrix.
    batch_of_a: u32,
    batch_of_b: u32,
    batch_of_c: u32,
    // c = activation(alpha a b + beta c + bias) + residual
    alpha: f32,
    beta: f32,
    // The index of the first element of the bias and of the residual in their bindings.
    first_of_bias: u32,
    first_of_residual: u32,
    // The number of elements of c in all batches, without gaps between lines.
    elements_of_c: u32,
    batches: u32,
    // The number of parts into which the depth is divided, and the depth of a part. The sums of the parts are added
    // later.
    parts: u32,
    depth_of_part: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;

// Whether the lines of a factor run along the depth: rows of a, and columns of a transposed b.
override a_is_deep: bool = true;
override b_is_deep: bool = false;

// Whether a value for each column of c is added, and whether a value for each element of c is added.
override has_bias: bool = false;
override has_residual: bool = false;

// The number of rows of tiles in a panel. In panels, concurrent workgroups share lines of both factors in the cache.
const panel = 8u;

// Returns the column and the row of a tile, from the number of its workgroup.
fn tile_of(group: u32) -> vec2<u32> {
    let of_panel = panel * sizes.tiles_x;
    let first = group / of_panel * panel;
    let height = min(panel, sizes.tiles_y - first);
    let at = group % of_panel;
    return vec2(at / height, first + at % height);
}

// Returns the indices of the elements of four rows of a, or of four columns of b, at depth 0. Beyond the last row or
// column, the last one is repeated; the results for repeated ones are never stored.
fn starts_of(is_deep: bool, side: u32, most: u32, line: u32, first: u32) -> vec4<u32> {
    let sides = min(vec4(side) + vec4(0u, 1u, 2u, 3u), vec4(most - 1u));
    return first + sides * select(1u, line, is_deep);
}

fn starts_of_a(row: u32, batch: u32) -> vec4<u32> {
    return starts_of(a_is_deep, row, sizes.m, sizes.line_of_a, sizes.first_of_a + batch * sizes.batch_of_a);
}

fn starts_of_b(column: u32, batch: u32) -> vec4<u32> {
    return starts_of(b_is_deep, column, sizes.n, sizes.line_of_b, sizes.first_of_b + batch * sizes.batch_of_b);
}

// Returns the batch of a slot. There is a slot for each batch and part: all batches of the first part, then all batches
// of the next part. With one part, slots are batches.
fn batch_of(slot: u32) -> u32 {
    return slot % sizes.batches;
}

// Returns the first depth of a slot's part, and the depth one past its last.
fn depths_of(slot: u32) -> vec2<u32> {
    let first = min(slot / sizes.batches * sizes.depth_of_part, sizes.k);
    return vec2(first, first + min(sizes.k - first, sizes.depth_of_part));
}

// Returns the distance of an element at a depth from the element at depth 0.
fn depth_in_a(depth: u32) -> u32 {
    return depth * select(sizes.line_of_a, 1u, a_is_deep);
}

fn depth_in_b(depth: u32) -> u32 {
    return depth * select(sizes.line_of_b, 1u, b_is_deep);
}

fn start_of_c(slot: u32) -> u32 {
    return sizes.first_of_c + slot * sizes.batch_of_c;
}

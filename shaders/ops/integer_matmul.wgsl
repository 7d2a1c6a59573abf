// c = (a - zero of a) (b - zero of b) for integers of 8 bits, four in a word, in tiles of 64 x 64; sums have 32 bits and
// wrap around. With z_a and z_b for the zeros, an element is sum(a b) - z_b sum(a) - z_a sum(b) + k z_a z_b.
struct Sizes {
    // The number of rows of a and c, of columns of a and rows of b, of columns of b and c; of tiles of c in a row.
    m: u32,
    k: u32,
    n: u32,
    tiles_x: u32,
    // The index of each matrix's first element in its binding.
    first_of_a: u32,
    first_of_b: u32,
    first_of_c: u32,
    // The number of elements from one line of a factor to the next. Lines are rows, or columns of a transposed factor.
    line_of_a: u32,
    line_of_b: u32,
    // The number of elements from one matrix of a batch to the next; 0 if all products share one matrix.
    batch_of_a: u32,
    batch_of_b: u32,
    // The bits of the zeros.
    zero_of_a: u32,
    zero_of_b: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> a: array<u32>;
@group(0) @binding(2) var<storage> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> c: array<u32>;

// Whether the lines of a factor run along the depth.
override a_is_deep: bool = true;
override b_is_deep: bool = false;
// Whether both factors are multiplied as unsigned integers; otherwise both as signed ones.
override is_unsigned: bool = false;
// Whether 128 is subtracted from the elements of a factor, so that unsigned integers become signed ones.
override shifts_a: bool = false;
override shifts_b: bool = false;
// Whether a zero is not 0.
override has_zeros: bool = false;

const tile = 64u;
// The words of a line in a tile, each of four depths; and one vector more than a row of a tile has, so that the rows begin
// in different banks.
const deep = 8u;
const stride = 17u;

// Each vector has the words of four rows of a, or of four columns of b.
var<workgroup> tile_a: array<vec4<u32>, 136>;
var<workgroup> tile_b: array<vec4<u32>, 136>;

// Four rows of four columns. Named members, not an array, so that they stay in registers.
struct Block {
    row_0: vec4<u32>,
    row_1: vec4<u32>,
    row_2: vec4<u32>,
    row_3: vec4<u32>,
}

var<private> upper_left = Block();
var<private> upper_right = Block();
var<private> lower_left = Block();
var<private> lower_right = Block();
// The sums of the elements of rows of a, and of columns of b.
var<private> upper_sums = vec4(0u);
var<private> lower_sums = vec4(0u);
var<private> left_sums = vec4(0u);
var<private> right_sums = vec4(0u);

// Joins the ends of two words to the four bytes that begin at a byte of the first.
fn joined(low: u32, high: u32, at: u32) -> u32 {
    let shift = at % 4u * 8u;
    return select((low >> shift) | (high << (32u - max(shift, 8u))), low, shift == 0u);
}

fn bytes_of_a(at: u32) -> u32 {
    return joined(a[at / 4u], a[min(at / 4u + 1u, arrayLength(&a) - 1u)], at);
}

fn bytes_of_b(at: u32) -> u32 {
    return joined(b[at / 4u], b[min(at / 4u + 1u, arrayLength(&b) - 1u)], at);
}

fn byte_in(word: u32, at: u32) -> u32 {
    return (word >> (at % 4u * 8u)) & 0xffu;
}

// Returns the bytes at four places in one word.
fn gathered_from_a(at: vec4<u32>) -> u32 {
    if at.w - at.x == 3u {
        return bytes_of_a(at.x);
    }
    return byte_in(a[at.x / 4u], at.x) | (byte_in(a[at.y / 4u], at.y) << 8u)
        | (byte_in(a[at.z / 4u], at.z) << 16u) | (byte_in(a[at.w / 4u], at.w) << 24u);
}

fn gathered_from_b(at: vec4<u32>) -> u32 {
    if at.w - at.x == 3u {
        return bytes_of_b(at.x);
    }
    return byte_in(b[at.x / 4u], at.x) | (byte_in(b[at.y / 4u], at.y) << 8u)
        | (byte_in(b[at.z / 4u], at.z) << 16u) | (byte_in(b[at.w / 4u], at.w) << 24u);
}

// Returns four words that each have one byte of each argument.
fn transposed(x: u32, y: u32, z: u32, w: u32) -> vec4<u32> {
    let shifts = vec4(0u, 8u, 16u, 24u);
    let low = ((vec4(x) >> shifts) & vec4(0xffu)) | (((vec4(y) >> shifts) & vec4(0xffu)) << vec4(8u));
    let high = ((vec4(z) >> shifts) & vec4(0xffu)) | (((vec4(w) >> shifts) & vec4(0xffu)) << vec4(8u));
    return low | (high << vec4(16u));
}

// Returns the indices of the elements of four rows of a, or of four columns of b, at depth 0. Lines behind the last
// line repeat the last line, and their results are never stored.
fn starts_of(is_deep: bool, side: u32, most: u32, line: u32, first: u32) -> vec4<u32> {
    let sides = min(vec4(side) + vec4(0u, 1u, 2u, 3u), vec4(most - 1u));
    return first + sides * select(1u, line, is_deep);
}

// Returns the words of a factor as they are multiplied: shifted, and with zeros behind the last depth.
fn prepared(words: vec4<u32>, shifts: bool, depth: u32) -> vec4<u32> {
    let kept = min(sizes.k - depth, 4u);
    return select(words, words ^ vec4(0x80808080u), shifts) & vec4(0xffffffffu >> (32u - kept * 8u));
}

// Returns the words of four depths for each of four rows or columns.
fn from_a(starts: vec4<u32>, depth: u32) -> vec4<u32> {
    if depth >= sizes.k {
        return vec4(0u);
    }
    if a_is_deep {
        let at = starts + depth;
        return prepared(vec4(bytes_of_a(at.x), bytes_of_a(at.y), bytes_of_a(at.z), bytes_of_a(at.w)), shifts_a, depth);
    }
    let depths = min(vec4(depth) + vec4(0u, 1u, 2u, 3u), vec4(sizes.k - 1u)) * sizes.line_of_a;
    let words = transposed(
        gathered_from_a(starts + depths.x),
        gathered_from_a(starts + depths.y),
        gathered_from_a(starts + depths.z),
        gathered_from_a(starts + depths.w),
    );
    return prepared(words, shifts_a, depth);
}

fn from_b(starts: vec4<u32>, depth: u32) -> vec4<u32> {
    if depth >= sizes.k {
        return vec4(0u);
    }
    if b_is_deep {
        let at = starts + depth;
        return prepared(vec4(bytes_of_b(at.x), bytes_of_b(at.y), bytes_of_b(at.z), bytes_of_b(at.w)), shifts_b, depth);
    }
    let depths = min(vec4(depth) + vec4(0u, 1u, 2u, 3u), vec4(sizes.k - 1u)) * sizes.line_of_b;
    let words = transposed(
        gathered_from_b(starts + depths.x),
        gathered_from_b(starts + depths.y),
        gathered_from_b(starts + depths.z),
        gathered_from_b(starts + depths.w),
    );
    return prepared(words, shifts_b, depth);
}

// Returns the group of four lines, and the word, that an invocation fetches: neighbours in memory by neighbours.
fn spot(is_deep: bool, number: u32) -> vec2<u32> {
    if is_deep {
        return vec2(number / deep, number % deep);
    }
    return vec2(number % 16u, number / 16u);
}

fn product(x: u32, y: u32) -> u32 {
    if is_unsigned {
        return dot4U8Packed(x, y);
    }
    return bitcast<u32>(dot4I8Packed(x, y));
}

fn products(x: u32, y: vec4<u32>) -> vec4<u32> {
    return vec4(product(x, y.x), product(x, y.y), product(x, y.z), product(x, y.w));
}

fn add_products(place: vec2<u32>) {
    for (var word = 0u; word < deep; word++) {
        let upper = tile_a[word * stride + place.y];
        let lower = tile_a[word * stride + place.y + 8u];
        let left = tile_b[word * stride + place.x];
        let right = tile_b[word * stride + place.x + 8u];
        upper_left.row_0 += products(upper.x, left);
        upper_left.row_1 += products(upper.y, left);
        upper_left.row_2 += products(upper.z, left);
        upper_left.row_3 += products(upper.w, left);
        upper_right.row_0 += products(upper.x, right);
        upper_right.row_1 += products(upper.y, right);
        upper_right.row_2 += products(upper.z, right);
        upper_right.row_3 += products(upper.w, right);
        lower_left.row_0 += products(lower.x, left);
        lower_left.row_1 += products(lower.y, left);
        lower_left.row_2 += products(lower.z, left);
        lower_left.row_3 += products(lower.w, left);
        lower_right.row_0 += products(lower.x, right);
        lower_right.row_1 += products(lower.y, right);
        lower_right.row_2 += products(lower.z, right);
        lower_right.row_3 += products(lower.w, right);
        if has_zeros {
            upper_sums += products(0x01010101u, upper);
            lower_sums += products(0x01010101u, lower);
            left_sums += products(0x01010101u, left);
            right_sums += products(0x01010101u, right);
        }
    }
}

// Stores up to four neighbouring elements of a row, from the products, the sum of the row of a, and the sums of the
// columns of b.
fn store(batch: u32, row: u32, column: u32, elements: vec4<u32>, of_a: u32, of_b: vec4<u32>) {
    if row >= sizes.m || column >= sizes.n {
        return;
    }
    var sums = elements;
    if has_zeros {
        sums += sizes.k * sizes.zero_of_a * sizes.zero_of_b - sizes.zero_of_b * of_a - sizes.zero_of_a * of_b;
    }
    let at = sizes.first_of_c + (batch * sizes.m + row) * sizes.n + column;
    let count = sizes.n - column;
    c[at] = sums.x;
    if count > 1u {
        c[at + 1u] = sums.y;
    }
    if count > 2u {
        c[at + 2u] = sums.z;
    }
    if count > 3u {
        c[at + 3u] = sums.w;
    }
}

fn store_block(batch: u32, row: u32, column: u32, block: Block, of_a: vec4<u32>, of_b: vec4<u32>) {
    store(batch, row, column, block.row_0, of_a.x, of_b);
    store(batch, row + 1u, column, block.row_1, of_a.y, of_b);
    store(batch, row + 2u, column, block.row_2, of_a.z, of_b);
    store(batch, row + 3u, column, block.row_3, of_a.w, of_b);
}

@compute @workgroup_size(8, 8)
fn multiply(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) place: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let corner = vec2(group.x % sizes.tiles_x, group.x / sizes.tiles_x) * tile;
    let batch = group.y;
    // Each invocation fetches two vectors of each tile.
    let a_0 = spot(a_is_deep, index);
    let a_1 = spot(a_is_deep, index + 64u);
    let b_0 = spot(b_is_deep, index);
    let b_1 = spot(b_is_deep, index + 64u);
    let first_of_a = sizes.first_of_a + batch * sizes.batch_of_a;
    let first_of_b = sizes.first_of_b + batch * sizes.batch_of_b;
    let rows_0 = starts_of(a_is_deep, corner.y + a_0.x * 4u, sizes.m, sizes.line_of_a, first_of_a);
    let rows_1 = starts_of(a_is_deep, corner.y + a_1.x * 4u, sizes.m, sizes.line_of_a, first_of_a);
    let columns_0 = starts_of(b_is_deep, corner.x + b_0.x * 4u, sizes.n, sizes.line_of_b, first_of_b);
    let columns_1 = starts_of(b_is_deep, corner.x + b_1.x * 4u, sizes.n, sizes.line_of_b, first_of_b);

    let steps = sizes.k / 32u + select(0u, 1u, sizes.k % 32u != 0u);
    for (var step = 0u; step < steps; step++) {
        let first = step * 32u;
        tile_a[a_0.y * stride + a_0.x] = from_a(rows_0, first + a_0.y * 4u);
        tile_a[a_1.y * stride + a_1.x] = from_a(rows_1, first + a_1.y * 4u);
        tile_b[b_0.y * stride + b_0.x] = from_b(columns_0, first + b_0.y * 4u);
        tile_b[b_1.y * stride + b_1.x] = from_b(columns_1, first + b_1.y * 4u);
        workgroupBarrier();
        add_products(place.xy);
        workgroupBarrier();
    }

    let row = corner.y + place.y * 4u;
    let column = corner.x + place.x * 4u;
    store_block(batch, row, column, upper_left, upper_sums, left_sums);
    store_block(batch, row, column + 32u, upper_right, upper_sums, right_sums);
    store_block(batch, row + 32u, column, lower_left, lower_sums, left_sums);
    store_block(batch, row + 32u, column + 32u, lower_right, lower_sums, right_sums);
}

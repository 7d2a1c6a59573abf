// Products of a sparse matrix in CSR and a dense matrix: y = alpha * a * x + beta * y.
//
// Tiles have equal numbers of items, which are the entries and the ends of rows in their order (Merrill and Garland,
// 'Merge-Based Parallel Sparse Matrix-Vector Multiplication', 2016).
@if(wide)
alias Number = f64;
@else
alias Number = f32;

struct Product {
    alpha: Number,
    beta: Number,
    rows: u32,
    entries: u32,
    // The number of columns of x and y.
    width: u32,
    // The number of tiles, and of items of a tile.
    tiles: u32,
    tile: u32,
    // The indices of the first elements in the bindings.
    first_of_offsets: u32,
    first_of_columns: u32,
    first_of_values: u32,
    first_of_x: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> product: Product;
@group(0) @binding(1) var<storage> offsets: array<u32>;
@group(0) @binding(2) var<storage> columns: array<u32>;
@group(0) @binding(3) var<storage> values: array<Number>;
@group(0) @binding(4) var<storage> x: array<Number>;
@group(0) @binding(5) var<storage, read_write> y: array<Number>;
// For each tile and column: the sum of the row that continues after the tile, then the same number of sums of rows that
// began before their tile and end in it.
@group(0) @binding(6) var<storage, read_write> sums: array<Number>;
// For each tile: the row that began before the tile and ends in it.
@group(0) @binding(7) var<storage, read_write> cut: array<u32>;
// For each tile, and for the end of the last one: the number of rows that end before its first item.
@group(0) @binding(8) var<storage, read_write> rows_of_tiles: array<u32>;
// For each workgroup of `blocks_and_dot`: DOTS sums of products of its elements of x and y.
@group(0) @binding(9) var<storage, read_write> dots: array<Number>;

// The number of invocations that compute a row together; a power of two.
override lanes: u32 = 1u;
// The numbers of rows and columns of a dense block.
override block_rows: u32 = 1u;
override block_columns: u32 = 1u;
// Whether all arrays begin with their bindings, and x and y have one column.
override plain: bool = false;
// Whether the old elements of y are used.
override accumulate: bool = false;

const GROUP: u32 = 256u;
const FINISH: u32 = 64u;
// The greatest number of items of a tile of a workgroup.
const TILE: u32 = 1024u;
// The number of terms of neighbouring rows that are in workgroup memory at a time; a multiple of 4 * GROUP.
const BLOCK: u32 = 2048u;
// The number of sums of products of a workgroup.
const DOTS: u32 = 16u;
// The number of rows of a slice.
const SLICE: u32 = 32u;
// Stands for no row in `cut`, and for no column in a slice.
const NONE: u32 = 0xffffffffu;

var<workgroup> partial: array<Number, GROUP>;
var<workgroup> terms: array<Number, TILE>;
var<workgroup> block: array<Number, BLOCK>;

fn offset(row: u32) -> u32 {
    return offsets[product.first_of_offsets + row];
}

fn term(at: u32, column: u32) -> Number {
    let row_of_x = columns[product.first_of_columns + at];
    return values[product.first_of_values + at] * x[product.first_of_x + row_of_x * product.width + column];
}

// Returns the sum of every `step`-th term from `begin` on.
fn sum_of(begin: u32, end: u32, step: u32, column: u32) -> Number {
    var sum = Number();
    for (var at = begin; at < end; at += step) {
        sum += term(at, column);
    }
    return sum;
}

fn store(row: u32, column: u32, sum: Number) -> Number {
    let at = product.first_of_y + row * product.width + column;
    var result = product.alpha * sum;
    if accumulate {
        result += product.beta * y[at];
    }
    y[at] = result;
    return result;
}

// Each invocation computes an element of y.
@compute @workgroup_size(64)
fn lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= product.rows * product.width {
        return;
    }
    let row = id.x / product.width;
    let column = id.x - row * product.width;
    _ = store(row, column, sum_of(offset(row), offset(row + 1u), 1u, column));
}

// Returns the term of a place in a slice, which is 0 where a row has no entry.
fn term_of_place(at: u32, column: u32) -> Number {
    let row_of_x = columns[product.first_of_columns + at];
    if row_of_x == NONE {
        return Number();
    }
    return values[product.first_of_values + at] * x[product.first_of_x + row_of_x * product.width + column];
}

// Each invocation computes an element of y from a matrix in slices of rows. `offsets` are those of slices.
@compute @workgroup_size(64)
fn slices(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= product.rows * product.width {
        return;
    }
    let row = id.x / product.width;
    let column = id.x - row * product.width;
    let end = offset(row / SLICE + 1u);
    var at = offset(row / SLICE) + row % SLICE;
    var sum = Number();
    // Four terms at a time, as each of them waits for memory twice.
    for (; at + 3u * SLICE < end; at += 4u * SLICE) {
        let first = term_of_place(at, column);
        let second = term_of_place(at + SLICE, column);
        let third = term_of_place(at + 2u * SLICE, column);
        let fourth = term_of_place(at + 3u * SLICE, column);
        sum += first;
        sum += second;
        sum += third;
        sum += fourth;
    }
    for (; at < end; at += SLICE) {
        sum += term_of_place(at, column);
    }
    _ = store(row, column, sum);
}

// Each invocation computes an element of y from a matrix of dense blocks. `offsets` are those of rows of blocks, and
// `columns` count columns of blocks.
@compute @workgroup_size(64)
fn dense_blocks(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= product.rows * product.width {
        return;
    }
    let row = id.x / product.width;
    let column = id.x - row * product.width;
    let row_of_block = row % block_rows;
    let end = offset(row / block_rows + 1u);
    var sum = Number();
    for (var number = offset(row / block_rows); number < end; number += 1u) {
        let element = product.first_of_values + (number * block_rows + row_of_block) * block_columns;
        let row_of_x = columns[product.first_of_columns + number] * block_columns;
        for (var at = 0u; at < block_columns; at += 1u) {
            sum += values[element + at] * x[product.first_of_x + (row_of_x + at) * product.width + column];
        }
    }
    _ = store(row, column, sum);
}

// `lanes` invocations compute an element of y.
@compute @workgroup_size(256)
fn teams(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x * (GROUP / lanes) + local / lanes;
    let lane = local % lanes;
    let is_inside = number < product.rows * product.width;
    let row = number / product.width;
    let column = number - row * product.width;
    var sum = Number();
    if is_inside {
        sum = sum_of(offset(row) + lane, offset(row + 1u), lanes, column);
    }
    partial[local] = sum;
    for (var step = lanes / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step {
            partial[local] += partial[local + step];
        }
    }
    if is_inside && lane == 0u {
        _ = store(row, column, partial[local]);
    }
}

// Computes as many rows as a workgroup has invocations, whose terms pass through workgroup memory: neighbouring invocations
// read neighbouring entries, and each invocation adds up its row (Greathouse and Daga, 'Efficient Sparse Matrix-Vector
// Multiplication on GPUs using the CSR Storage Format', 2014). Returns the element of y, or 0 behind the last row.
fn block_row(group: u32, local: u32) -> Number {
    let number = group / product.width;
    let column = group - number * product.width;
    let first_row = number * GROUP;
    let row = first_row + local;
    let end = offset(min(first_row + GROUP, product.rows));
    let stop = offset(min(row + 1u, product.rows));
    var at = offset(min(row, product.rows));
    var sum = Number();
    for (var begin = offset(first_row); begin < end; begin += BLOCK) {
        let limit = min(begin + BLOCK, end);
        // Four terms at a time, as each of them waits for memory twice. Those behind the limit repeat the last one.
        for (var entry = begin + local; entry < limit; entry += 4u * GROUP) {
            let place = entry - begin;
            let first = term(entry, column);
            let second = term(min(entry + GROUP, limit - 1u), column);
            let third = term(min(entry + 2u * GROUP, limit - 1u), column);
            let fourth = term(min(entry + 3u * GROUP, limit - 1u), column);
            block[place] = first;
            block[place + GROUP] = second;
            block[place + 2u * GROUP] = third;
            block[place + 3u * GROUP] = fourth;
        }
        workgroupBarrier();
        for (; at < min(stop, limit); at += 1u) {
            sum += block[at - begin];
        }
        workgroupBarrier();
    }
    if row < product.rows {
        return store(row, column, sum);
    }
    return Number();
}

@compute @workgroup_size(256)
fn blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x / product.width * GROUP < product.rows {
        _ = block_row(group.x, local);
    }
}

// As blocks with a single column, with sums of x * y of the rows of each workgroup.
@compute @workgroup_size(256)
fn blocks_and_dot(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x * GROUP >= product.rows {
        return;
    }
    let row = group.x * GROUP + local;
    let result = block_row(group.x, local);
    var share = Number();
    if row < product.rows {
        share = result * x[product.first_of_x + row];
    }
    block[local] = share;
    workgroupBarrier();
    // A tree to a single sum would have as many barriers again as the product.
    if local < DOTS {
        var sum = Number();
        for (var at = 0u; at < GROUP / DOTS; at += 1u) {
            sum += block[local + at * DOTS];
        }
        dots[group.x * DOTS + local] = sum;
    }
}

// Returns the number of rows that end before an item.
fn rows_before(item: u32) -> u32 {
    var low = 0u;
    var high = product.rows;
    while low < high {
        let middle = low + (high - low) / 2u;
        if offset(middle + 1u) + middle < item {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

fn first_item(tile: u32) -> u32 {
    return min(tile * product.tile, product.rows + product.entries);
}

// Each invocation finds the rows at the beginning of a tile, as a workgroup would wait for a search of its own.
@compute @workgroup_size(64)
fn divide(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x <= product.tiles {
        rows_of_tiles[id.x] = rows_before(first_item(id.x));
    }
}

// A tile: its first entry and the entry after its last one, the row of the first item, and the row that continues after
// the tile.
struct Tile {
    begin: u32,
    end: u32,
    first: u32,
    last: u32,
}

fn starts_before(tile: Tile) -> bool {
    return tile.first < tile.last && offset(tile.first) < tile.begin;
}

// Stores the sum of the entries of a row in a tile.
fn put(number: u32, tile: Tile, row: u32, column: u32, sum: Number) {
    if row == tile.last {
        sums[number * product.width + column] = sum;
    } else if row == tile.first && offset(row) < tile.begin {
        sums[(product.tiles + number) * product.width + column] = sum;
    } else {
        _ = store(row, column, sum);
    }
}

fn put_cut(number: u32, tile: Tile, column: u32) {
    if column == 0u {
        cut[number] = select(NONE, tile.first, starts_before(tile));
    }
}

// Each workgroup computes a column of a tile. Invocations share the rows of the tile evenly.
@compute @workgroup_size(256)
fn tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x / product.width;
    let column = group.x - number * product.width;
    if number >= product.tiles {
        return;
    }
    let first = rows_of_tiles[number];
    let last = rows_of_tiles[number + 1u];
    let tile = Tile(first_item(number) - first, first_item(number + 1u) - last, first, last);
    for (var at = tile.begin + local; at < tile.end; at += GROUP) {
        terms[at - tile.begin] = term(at, column);
    }
    workgroupBarrier();
    let count = tile.last - tile.first + 1u;
    var team = 1u;
    while team * 2u * count <= GROUP {
        team *= 2u;
    }
    let lane = local % team;
    var sum = Number();
    // Teams of more than one invocation have one row each.
    for (var row = tile.first + local / team; row <= tile.last; row += GROUP / team) {
        var end = tile.end;
        if row < tile.last {
            end = offset(row + 1u);
        }
        sum = Number();
        for (var at = max(offset(row), tile.begin) + lane; at < end; at += team) {
            sum += terms[at - tile.begin];
        }
        if team == 1u {
            put(number, tile, row, column, sum);
        }
    }
    partial[local] = sum;
    for (var step = GROUP / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if step < team && lane < step {
            partial[local] += partial[local + step];
        }
    }
    let row = tile.first + local / team;
    if team > 1u && lane == 0u && row <= tile.last {
        put(number, tile, row, column, partial[local]);
    }
    if local == 0u {
        put_cut(number, tile, column);
    }
}

// Each invocation computes a column of a tile, item by item.
@compute @workgroup_size(64)
fn walk(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x / product.width;
    let column = id.x - number * product.width;
    if number >= product.tiles {
        return;
    }
    let start = first_item(number);
    let stop = first_item(number + 1u);
    let first = rows_before(start);
    let last = rows_before(stop);
    let tile = Tile(start - first, stop - last, first, last);
    var row = first;
    var at = tile.begin;
    var end = tile.end;
    if row < last {
        end = offset(row + 1u);
    }
    var sum = Number();
    // One loop over entries and ends of rows takes equally long for all invocations.
    for (var item = start; item < stop; item += 1u) {
        if at < end {
            sum += term(at, column);
            at += 1u;
        } else {
            put(number, tile, row, column, sum);
            sum = Number();
            row += 1u;
            end = tile.end;
            if row < last {
                end = offset(row + 1u);
            }
        }
    }
    put(number, tile, last, column, sum);
    put_cut(number, tile, column);
}

// Returns the sum of neighbouring terms.
fn sum_in_turns(begin: u32, end: u32, column: u32) -> Number {
    var sum = Number();
    if plain {
        // Indices that are below the lengths of their arrays need no checks.
        let limit = min(end, min(arrayLength(&values), arrayLength(&columns)));
        var at = begin;
        // Two sums in turns, as an addition waits for the one before.
        var other = Number();
        if limit >= 3u {
            let last = limit - 3u;
            for (; at < last; at += 4u) {
                sum += values[at] * x[columns[at]];
                other += values[at + 1u] * x[columns[at + 1u]];
                sum += values[at + 2u] * x[columns[at + 2u]];
                other += values[at + 3u] * x[columns[at + 3u]];
            }
        }
        // At most three terms are left.
        if limit >= 1u {
            if at < limit - 1u {
                sum += values[at] * x[columns[at]];
                other += values[at + 1u] * x[columns[at + 1u]];
                at += 2u;
            }
        }
        if at < limit {
            sum += values[at] * x[columns[at]];
        }
        return sum + other;
    }
    var at = begin;
    if end - begin >= 16u {
        var second = Number();
        var third = Number();
        var fourth = Number();
        for (; at + 3u < end; at += 4u) {
            sum += term(at, column);
            second += term(at + 1u, column);
            third += term(at + 2u, column);
            fourth += term(at + 3u, column);
        }
        sum = (sum + second) + (third + fourth);
    }
    for (; at < end; at += 1u) {
        sum += term(at, column);
    }
    return sum;
}

// Each invocation computes as many rows as a tile has items. Processors run an invocation without others fast, and keep
// in registers what so short a kernel needs.
@compute @workgroup_size(1)
fn runs(@builtin(workgroup_id) group: vec3<u32>) {
    let begin = group.x * product.tile;
    let stop = min(begin + product.tile, product.rows);
    if plain {
        let last = min(stop, min(arrayLength(&y), arrayLength(&offsets) - 1u));
        for (var row = begin; row < last; row += 1u) {
            var result = product.alpha * sum_in_turns(offsets[row], offsets[row + 1u], 0u);
            if accumulate {
                result += product.beta * y[row];
            }
            y[row] = result;
        }
        return;
    }
    for (var row = begin; row < stop; row += 1u) {
        for (var column = 0u; column < product.width; column += 1u) {
            _ = store(row, column, sum_in_turns(offset(row), offset(row + 1u), column));
        }
    }
}

// As runs, with tiles of equally many items.
@compute @workgroup_size(1)
fn walk_alone(@builtin(workgroup_id) group: vec3<u32>) {
    let number = group.x;
    if number >= product.tiles {
        return;
    }
    let start = first_item(number);
    let stop = first_item(number + 1u);
    let first = rows_before(start);
    let last = rows_before(stop);
    let tile = Tile(start - first, stop - last, first, last);
    for (var column = 0u; column < product.width; column += 1u) {
        // Only the first row of a tile may have begun before it, and only the last one may continue after it.
        var rest = tile.begin;
        if first < last {
            put(number, tile, first, column, sum_in_turns(tile.begin, offset(first + 1u), column));
            for (var row = first + 1u; row < last; row += 1u) {
                _ = store(row, column, sum_in_turns(offset(row), offset(row + 1u), column));
            }
            rest = offset(last);
        }
        sums[number * product.width + column] = sum_in_turns(rest, tile.end, column);
    }
    put_cut(number, tile, 0u);
}

// Each invocation completes the row that ends in its tile and began before.
@compute @workgroup_size(64)
fn finish_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x / product.width;
    let column = id.x - number * product.width;
    if number >= product.tiles {
        return;
    }
    let row = cut[number];
    if row == NONE {
        return;
    }
    var sum = Number();
    for (var tile = (offset(row) + row) / product.tile; tile < number; tile += 1u) {
        sum += sums[tile * product.width + column];
    }
    _ = store(row, column, sum + sums[(product.tiles + number) * product.width + column]);
}

// As finish_lines, with a workgroup in place of an invocation.
@compute @workgroup_size(64)
fn finish_teams(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = group.x / product.width;
    let column = group.x - number * product.width;
    if number >= product.tiles {
        return;
    }
    let row = cut[number];
    var sum = Number();
    if row != NONE {
        for (var tile = (offset(row) + row) / product.tile + local; tile < number; tile += FINISH) {
            sum += sums[tile * product.width + column];
        }
    }
    partial[local] = sum;
    for (var step = FINISH / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if local < step {
            partial[local] += partial[local + step];
        }
    }
    if row != NONE && local == 0u {
        _ = store(row, column, partial[0] + sums[(product.tiles + number) * product.width + column]);
    }
}

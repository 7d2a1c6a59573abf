// Convolutions of f32 of kernels of 3 x 3 in fewer products: Winograd's minimal filtering F(2 x 2, 3 x 3), by Lavin and Gray,
// 'Fast Algorithms for Convolutional Neural Networks' (CVPR 2016).
//
// y is divided into tiles of 2 x 2 positions. Kernels, and the 4 x 4 positions of x that a tile reads, are turned into 16
// numbers each. Number n of a tile of y is the sum over all channels of the products of numbers n, which is a matrix
// product for each n.
import package::shared::convolution::{bias_of, channels_last, load_weight, load_x};
import package::shared::convolution_sizes::conv;
import package::shared::epilogue::activated;

// The tiles of a launch, in the order of examples, rows and columns.
struct Tiles {
    first: u32,
    count: u32,
    // The number of tiles in a row, and in an example.
    in_row: u32,
    in_example: u32,
}

@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> tiles: Tiles;
// Arrays [16, groups, channels of y, channels of x] of kernels. Arrays of tiles are [16, groups, tiles, channels] where
// channels are the last axis, or else [16, groups, channels, tiles].
@group(0) @binding(6) var<storage, read_write> numbers: array<f32>;
@group(0) @binding(7) var<storage> sums: array<f32>;

// A kernel g becomes G g transpose(G), with the rows of G (1, 0, 0), (1, 1, 1) / 2, (1, -1, 1) / 2, (0, 0, 1).
fn turned_kernel(a: f32, b: f32, c: f32) -> vec4<f32> {
    return vec4(a, 0.5 * (a + b + c), 0.5 * (a - b + c), c);
}

@compute @workgroup_size(64)
fn turn_weights(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= conv.inputs {
        return;
    }
    var at = conv.first_of_weights + id.z * conv.in_weights.w + id.y * conv.in_weights.x + id.x * conv.in_weights.y;
    let tap = conv.in_weights.z;
    var rows: array<vec4<f32>, 3>;
    for (var row = 0u; row < 3u; row++) {
        rows[row] = turned_kernel(load_weight(at), load_weight(at + tap), load_weight(at + 2u * tap));
        at += 3u * tap;
    }
    let plane = conv.groups * conv.outputs * conv.inputs;
    var to = (id.z * conv.outputs + id.y) * conv.inputs + id.x;
    for (var column = 0u; column < 4u; column++) {
        let turned = turned_kernel(rows[0][column], rows[1][column], rows[2][column]);
        // Number 4 row + column: this one has the four rows of a column.
        for (var row = 0u; row < 4u; row++) {
            numbers[to + (4u * row + column) * plane] = turned[row];
        }
    }
}

struct Place {
    example: u32,
    // The first row and the first column of y.
    row: u32,
    column: u32,
}

fn place_of(tile: u32) -> Place {
    let example = tile / tiles.in_example;
    let within = tile - example * tiles.in_example;
    let row = within / tiles.in_row;
    return Place(example, 2u * row, 2u * (within - row * tiles.in_row));
}

// The four elements of a row of x from a column on. Positions before the first one wrap around.
fn row_of_x(origin: u32, row: u32, column: u32) -> vec4<f32> {
    let columns = vec4(column) + vec4(0u, 1u, 2u, 3u);
    let inside = columns < vec4(conv.extent.z);
    if row >= conv.extent.y {
        return vec4(0.0);
    }
    let at = vec4(origin + row * conv.in_x.y) + select(vec4(0u), columns, inside) * conv.in_x.z;
    return select(vec4(0.0), vec4(load_x(at.x), load_x(at.y), load_x(at.z), load_x(at.w)), inside);
}

// Elements d become transpose(B) d B, with the columns of B (1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1).
fn turned_row(d: vec4<f32>) -> vec4<f32> {
    return vec4(d.x - d.z, d.y + d.z, d.z - d.y, d.y - d.w);
}

@compute @workgroup_size(64)
fn turn_x(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = select(vec2(tiles.count, conv.inputs), vec2(conv.inputs, tiles.count), channels_last);
    if id.x >= size.x {
        return;
    }
    let tile = tiles.first + select(id.x, id.y, channels_last);
    let channel = id.z * conv.inputs + select(id.y, id.x, channels_last);
    let place = place_of(tile);
    let origin = conv.first_of_x + place.example * conv.example_in_x + channel * conv.in_x.w;
    let row = place.row + conv.offset.y;
    let column = place.column + conv.offset.z;
    let first = turned_row(row_of_x(origin, row, column));
    let second = turned_row(row_of_x(origin, row + 1u, column));
    let third = turned_row(row_of_x(origin, row + 2u, column));
    let fourth = turned_row(row_of_x(origin, row + 3u, column));
    let plane = conv.groups * size.x * size.y;
    let to = (id.z * size.y + id.y) * size.x + id.x;
    store_row(to, plane, first - third);
    store_row(to + 4u * plane, plane, second + third);
    store_row(to + 8u * plane, plane, third - second);
    store_row(to + 12u * plane, plane, second - fourth);
}

fn store_row(to: u32, plane: u32, four: vec4<f32>) {
    numbers[to] = four.x;
    numbers[to + plane] = four.y;
    numbers[to + 2u * plane] = four.z;
    numbers[to + 3u * plane] = four.w;
}

// The sums m of a tile become transpose(A) m A, with the columns of A (1, 1, 1, 0) and (0, 1, -1, -1): these are two
// results of a row of sums.
fn two_of_row(at: u32, plane: u32) -> vec2<f32> {
    let middle = vec2(sums[at + plane], sums[at + 2u * plane]);
    return vec2(sums[at] + middle.x + middle.y, middle.x - middle.y - sums[at + 3u * plane]);
}

@compute @workgroup_size(64)
fn turn_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = select(vec2(tiles.count, conv.outputs), vec2(conv.outputs, tiles.count), channels_last);
    if id.x >= size.x {
        return;
    }
    let plane = conv.groups * size.x * size.y;
    let at = (id.z * size.y + id.y) * size.x + id.x;
    let first = two_of_row(at, plane);
    let second = two_of_row(at + 4u * plane, plane);
    let third = two_of_row(at + 8u * plane, plane);
    let fourth = two_of_row(at + 12u * plane, plane);
    let channel = id.z * conv.outputs + select(id.y, id.x, channels_last);
    let begin = bias_of(channel);
    let upper = first + second + third + begin;
    let lower = second - third - fourth + begin;
    let place = place_of(tiles.first + select(id.x, id.y, channels_last));
    let to = conv.first_of_y + place.example * conv.example_in_y + channel * conv.in_y.w + place.row * conv.in_y.y
        + place.column * conv.in_y.z;
    let is_wide = place.column + 1u < conv.output.z;
    y[to] = activated(upper.x);
    if is_wide {
        y[to + conv.in_y.z] = activated(upper.y);
    }
    if place.row + 1u < conv.output.y {
        y[to + conv.in_y.y] = activated(lower.x);
        if is_wide {
            y[to + conv.in_y.y + conv.in_y.z] = activated(lower.y);
        }
    }
}

// Exchanges two axes through tiles in workgroup memory: the last axis of x becomes an axis of y other than the last.
//
// Rows of a tile have 33 elements, so that the elements of a column are in different banks.
@if(vectors && !packed)
import package::shared::elements::{x, y};
@if(packed || !vectors)
import package::shared::elements::{Cell, load};
@if(!packed && !vectors)
import package::shared::elements::store;
@if(packed)
import package::shared::elements::{bits, merge};

struct Batch {
    size: u32,
    in_x: u32,
    in_y: u32,
    spare: u32,
}

struct Planes {
    // The numbers of rows and columns of x: columns are adjacent in x, rows in y.
    rows: u32,
    columns: u32,
    // The distance between neighbouring rows in x, and between neighbouring columns in y.
    in_x: u32,
    in_y: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The numbers of tiles along rows and along columns.
    tiles_of_rows: u32,
    tiles_of_columns: u32,
    groups: u32,
    // The other axes, the last axis first.
    @align(16) batches: array<Batch, 8>,
}

override rank: u32 = 0u;

@group(0) @binding(0) var<uniform> planes: Planes;

@if(vectors && !packed)
var<workgroup> tile: array<u32, 1056>;
@if(packed || !vectors)
var<workgroup> tile: array<Cell, 1056>;

struct Tile {
    row: u32,
    column: u32,
    // The index of the first element of the tile's plane, in x and in y.
    x: u32,
    y: u32,
}

fn tile_of(group: u32) -> Tile {
    let columns = group / planes.tiles_of_columns;
    var rest = columns / planes.tiles_of_rows;
    let row = (columns - rest * planes.tiles_of_rows) * 32u;
    var found = Tile(row, (group - columns * planes.tiles_of_columns) * 32u, planes.first_of_x, planes.first_of_y);
    for (var at = 0u; at < rank; at++) {
        let batch = planes.batches[at];
        let above = rest / batch.size;
        let o = rest - above * batch.size;
        found.x += o * batch.in_x;
        found.y += o * batch.in_y;
        rest = above;
    }
    return found;
}

// Sizes, distances and first elements are multiples of 4.
@if(vectors && !packed)
@compute @workgroup_size(256)
fn transpose(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let own = tile_of(group.x);
    let live = group.x < planes.groups;
    let line = local / 8u;
    let at = local % 8u * 4u;
    if live && own.row + line < planes.rows && own.column + at < planes.columns {
        let four = x[(own.x + (own.row + line) * planes.in_x + own.column + at) / 4u];
        tile[line * 33u + at] = four.x;
        tile[line * 33u + at + 1u] = four.y;
        tile[line * 33u + at + 2u] = four.z;
        tile[line * 33u + at + 3u] = four.w;
    }
    workgroupBarrier();
    if live && own.column + line < planes.columns && own.row + at < planes.rows {
        let four = vec4(
            tile[at * 33u + line],
            tile[(at + 1u) * 33u + line],
            tile[(at + 2u) * 33u + line],
            tile[(at + 3u) * 33u + line],
        );
        y[(own.y + (own.column + line) * planes.in_y + own.row + at) / 4u] = four;
    }
}

@if(packed || !vectors)
@compute @workgroup_size(256)
fn transpose(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let own = tile_of(group.x);
    let live = group.x < planes.groups;
    let at = local % 32u;
    for (var line = local / 32u; line < 32u; line += 8u) {
        if live && own.row + line < planes.rows && own.column + at < planes.columns {
            tile[line * 33u + at] = load(own.x + (own.row + line) * planes.in_x + own.column + at);
        }
    }
    workgroupBarrier();
    if live {
        store_tile(own, local);
    }
}

@if(!packed && !vectors)
fn store_tile(own: Tile, local: u32) {
    let at = local % 32u;
    for (var line = local / 32u; line < 32u; line += 8u) {
        if own.column + line < planes.columns && own.row + at < planes.rows {
            store(own.y + (own.column + line) * planes.in_y + own.row + at, tile[at * 33u + line]);
        }
    }
}

// Stores whole words. A line of the tile has one word more if it does not begin with a word.
@if(packed)
fn store_tile(own: Tile, local: u32) {
    let each = 32u / bits;
    let words = bits + 1u;
    for (var at = local; at < 32u * words; at += 256u) {
        let line = at / words;
        if own.column + line < planes.columns {
            let begin = own.y + (own.column + line) * planes.in_y + own.row;
            let place = begin / each + at % words;
            var word = 0u;
            var mask = 0u;
            for (var k = 0u; k < each; k++) {
                // Elements before the array have negative numbers, which wrap around to large ones.
                let row = place * each + k - begin;
                if row < 32u && own.row + row < planes.rows {
                    word |= tile[row * 33u + line] << (k * bits);
                    mask |= (0xffffffffu >> (32u - bits)) << (k * bits);
                }
            }
            if mask != 0u {
                merge(place, word, mask);
            }
        }
    }
}

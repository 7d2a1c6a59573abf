// The selected elements of a tile.
import package::shared::scan_monoid::items;
import package::shared::scan_sizes::sizes;
import package::shared::scan_tile::{tile_length, values, width};
import package::shared::select_kept::{put, put_rest, puts_rest};

@group(0) @binding(8) var<storage, read_write> count: array<u32>;

// Returns the kept elements of an invocation, one bit for each element.
fn own_bits(local: u32) -> u32 {
    var bits = 0u;
    for (var k = 0u; k < items; k++) {
        bits |= values[local * items + k] << k;
    }
    return bits;
}

// Writes the elements of a tile: `carry` is the number of elements kept before the tile, `kept` that in the tile, and
// `before` that in the tile before the invocation's elements. All invocations must have read their bits from `values`,
// as this function overwrites it.
//
// The indices of the elements are gathered in workgroup memory, so that neighbouring invocations write neighbouring
// elements.
fn put_tile(tile: u32, local: u32, bits: u32, carry: u32, before: u32, kept: u32) {
    var to = before;
    for (var k = 0u; k < items; k++) {
        let at = local * items + k;
        if ((bits >> k) & 1u) != 0u {
            values[to] = at;
            to++;
        } else if puts_rest {
            // Elements that are not kept follow the kept elements, in order.
            values[kept + at - to] = at;
        }
    }
    workgroupBarrier();
    let begin = tile * tile_length;
    for (var k = local; k < kept; k += width) {
        put(carry + k, begin + values[k]);
    }
    if puts_rest {
        let length = min(tile_length, sizes.length - begin);
        for (var k = kept + local; k < length; k += width) {
            put_rest(begin - carry + k - kept, begin + values[k]);
        }
    }
    if local == 0u && tile == sizes.tiles - 1u {
        count[0] = carry + kept;
    }
}

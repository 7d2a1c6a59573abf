// The results of a tile, from the sums before it.
import package::shared::scan_heads::segmented;
import package::shared::scan_monoid::{A, combined, identity, items, stored};
import package::shared::scan_order::exclusive;
import package::shared::scan_part::Part;
import package::shared::scan_sizes::sizes;
import package::shared::scan_source::place;
import package::shared::scan_target::y;
import package::shared::scan_tile::{tile_length, values, width};

// Replaces the invocation's elements by their results. `carry` is the sum before the tile, `before` the sum of the
// tile's elements before the elements of the invocation, `heads` the heads among the latter.
fn place_results(local: u32, carry: A, before: Part, heads: u32) {
    var sum = before.sum;
    if !before.cut {
        sum = combined(carry, before.sum);
    }
    let first = local * items;
    for (var k = 0u; k < items; k++) {
        let next = values[first + k];
        let cut = segmented && ((heads >> k) & 1u) != 0u;
        if cut {
            sum = identity();
        }
        if exclusive {
            values[first + k] = sum;
        }
        if cut {
            sum = next;
        } else {
            sum = combined(sum, next);
        }
        if !exclusive {
            values[first + k] = sum;
        }
    }
}

// Writes the tile: neighbouring invocations write neighbouring elements.
fn store_tile(tile: u32, local: u32) {
    workgroupBarrier();
    let begin = tile * tile_length;
    for (var k = 0u; k < items; k++) {
        let at = k * width + local;
        if begin + at < sizes.length {
            y[sizes.first_of_y + place(begin + at)] = stored(values[at]);
        }
    }
}

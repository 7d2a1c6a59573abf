// A tile: consecutive elements that a workgroup scans in its memory. An invocation owns `items` of these elements.
import package::shared::scan_heads::segmented;
import package::shared::scan_monoid::{A, combined, identity, items};
import package::shared::scan_part::{Part, joined};
import package::shared::scan_source::{begins, element};

const width = 256u;
const tile_length = 256u * items;

var<workgroup> values: array<A, tile_length>;
// The heads among the elements of each invocation, one bit for each element.
var<workgroup> head_bits: array<atomic<u32>, 256>;
// The sum of each invocation, and of each row of 16 invocations.
var<workgroup> sums: array<A, 256>;
var<workgroup> row_sums: array<A, 16>;
var<workgroup> row_cuts: array<u32, 16>;

// Loads a tile: neighbouring invocations read neighbouring elements.
fn load_tile(tile: u32, local: u32) {
    if segmented {
        atomicStore(&head_bits[local], 0u);
        workgroupBarrier();
    }
    let begin = tile * tile_length;
    for (var k = 0u; k < items; k++) {
        let at = k * width + local;
        values[at] = element(begin + at);
        if segmented {
            if begins(begin + at) {
                atomicOr(&head_bits[at / items], 1u << (at % items));
            }
        }
    }
    workgroupBarrier();
}

// Returns the heads among an invocation's elements, one bit for each element.
fn own_heads(local: u32) -> u32 {
    if segmented {
        return atomicLoad(&head_bits[local]);
    }
    return 0u;
}

// Returns the sum of an invocation's elements since their last head.
fn own_sum(local: u32, heads: u32) -> A {
    let first = local * items;
    var sum = values[first];
    for (var k = 1u; k < items; k++) {
        let next = values[first + k];
        if segmented && ((heads >> k) & 1u) != 0u {
            sum = next;
        } else {
            sum = combined(sum, next);
        }
    }
    return sum;
}

// Returns the sum of elements in memory since their last head, for a tile that another workgroup has to scan.
fn sum_in_memory(begin: u32) -> Part {
    var sum = element(begin);
    var cut = segmented && begins(begin);
    for (var k = 1u; k < items; k++) {
        let next = element(begin + k);
        if segmented && begins(begin + k) {
            sum = next;
            cut = true;
        } else {
            sum = combined(sum, next);
        }
    }
    return Part(sum, cut);
}

fn is_cut(local: u32) -> bool {
    return own_heads(local) != 0u;
}

fn is_row_cut(row: u32) -> bool {
    if segmented {
        return row_cuts[row] != 0u;
    }
    return false;
}

// Writes the sums of all invocations, and of rows of 16 invocations. `head_bits` must be written before.
fn share_sums(local: u32, own: A) {
    sums[local] = own;
    workgroupBarrier();
    if local < 16u {
        var row = Part(sums[local * 16u], is_cut(local * 16u));
        for (var k = 1u; k < 16u; k++) {
            row = joined(row, Part(sums[local * 16u + k], is_cut(local * 16u + k)));
        }
        row_sums[local] = row.sum;
        if segmented {
            row_cuts[local] = u32(row.cut);
        }
    }
    workgroupBarrier();
}

// Returns the sum of all elements of the tile before the elements of an invocation. The loops have the same number of
// iterations in all invocations, so that their loads do not wait for each other.
fn sum_before(local: u32) -> Part {
    let row = local / 16u;
    var sum = Part(identity(), false);
    for (var k = 0u; k < 15u; k++) {
        if k < row {
            sum = joined(sum, Part(row_sums[k], is_row_cut(k)));
        }
    }
    for (var k = 0u; k < 15u; k++) {
        if k < local % 16u {
            sum = joined(sum, Part(sums[row * 16u + k], is_cut(row * 16u + k)));
        }
    }
    return sum;
}

// Returns the sum of the tile.
fn sum_of_tile() -> Part {
    var sum = Part(row_sums[0], is_row_cut(0u));
    for (var k = 1u; k < 16u; k++) {
        sum = joined(sum, Part(row_sums[k], is_row_cut(k)));
    }
    return sum;
}

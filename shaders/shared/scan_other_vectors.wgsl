// The sum of a tile that another workgroup has to scan, in registers: a variant of `scan_other`.
import package::shared::scan_monoid::{combined, identity};
import package::shared::scan_part::Part;
import package::shared::scan_vector_source::vector;
import package::shared::scan_vector_tile::{over_lanes, own, share, sum_of_tile, vectors, width};

// Returns the sum of a tile, combined in the same order as by the workgroup of the tile.
fn sum_of_other(tile: u32, local: u32) -> Part {
    let first = (tile * width + own.subgroup * own.size) * vectors + own.lane;
    var sum = identity();
    for (var k = 0u; k < vectors; k++) {
        let x = vector(first + k * own.size);
        let upto = over_lanes(combined(combined(combined(x.x, x.y), x.z), x.w));
        sum = combined(sum, subgroupShuffle(upto, own.size - 1u));
    }
    workgroupBarrier();
    share(sum);
    return sum_of_tile();
}

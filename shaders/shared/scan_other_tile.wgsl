// The sum of a tile that another workgroup has to scan, in workgroup memory: a variant of `scan_other`.
import package::shared::scan_heads::segmented;
import package::shared::scan_monoid::items;
import package::shared::scan_part::Part;
import package::shared::scan_tile::{head_bits, share_sums, sum_in_memory, sum_of_tile, tile_length};

// Returns the sum of a tile, combined in the same order as by the workgroup of the tile.
fn sum_of_other(tile: u32, local: u32) -> Part {
    let own = sum_in_memory(tile * tile_length + local * items);
    if segmented {
        atomicStore(&head_bits[local], u32(own.cut));
    }
    share_sums(local, own.sum);
    return sum_of_tile();
}

// A selection in one pass: a chained scan of the number of kept elements.
import package::shared::scan_look_back::{announce, next_tile, sum_before_tile};
import package::shared::scan_sizes::sizes;
import package::shared::scan_tile::{load_tile, share_sums, sum_before, sum_of_tile};
import package::shared::select_tile::{own_bits, put_tile};

@compute @workgroup_size(256)
fn select_chained(@builtin(local_invocation_index) local: u32) {
    let tile = next_tile(local);
    if tile >= sizes.tiles {
        return;
    }
    load_tile(tile, local);
    let bits = own_bits(local);
    share_sums(local, countOneBits(bits));
    let own = sum_of_tile();
    announce(tile, own, local);
    let before = sum_before(local);
    let carry = sum_before_tile(tile, own, local);
    put_tile(tile, local, bits, carry, before.sum, own.sum);
}

// A scan in one pass: each workgroup takes the next tile and looks back for the sum of all tiles before it.
import package::shared::scan_look_back::{announce, next_tile, sum_before_tile};
import package::shared::scan_results::{place_results, store_tile};
import package::shared::scan_sizes::sizes;
import package::shared::scan_tile::{load_tile, own_heads, own_sum, share_sums, sum_before, sum_of_tile};

@compute @workgroup_size(256)
fn scan_chained(@builtin(local_invocation_index) local: u32) {
    let tile = next_tile(local);
    if tile >= sizes.tiles {
        return;
    }
    load_tile(tile, local);
    let heads = own_heads(local);
    share_sums(local, own_sum(local, heads));
    let own = sum_of_tile();
    announce(tile, own, local);
    let before = sum_before(local);
    let carry = sum_before_tile(tile, own, local);
    place_results(local, carry, before, heads);
    store_tile(tile, local);
}

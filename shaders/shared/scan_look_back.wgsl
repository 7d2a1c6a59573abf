// The sum of all tiles before a tile, in the same launch: a chained scan with decoupled fallback (Smith, Levien, Owens,
// SPAA 2025), in two levels.
//
// A tile publishes its own sum. The last tile of a block of 32 publishes the sum of the block, as soon as it knows those
// of all its tiles. It looks back over the blocks to the first that has published the sum of all up to it, and publishes
// its own such sum. The other tiles read that of the block before theirs only: if all of them looked back, they would
// hinder each other, as they would read the same few words. A sum that is awaited too long is computed here: no workgroup
// depends on the progress of another one.
//
// A value is published in two words of 16 bits with flags each, so that no two words need an order: relaxed atomics
// suffice. The words are written once or repeatedly with the same value.
//
// Sums of floats have the same bits whatever was found first: tiles of a block are added from left to right, and blocks
// from left to right.
import package::shared::scan_monoid::{A, bits, combined, identity, value};
import package::shared::scan_other::sum_of_other;
import package::shared::scan_part::{Part, joined};
import package::shared::scan_sizes::sizes;

// The number of attempts before a sum is computed here.
override patience: u32 = 64;
// Whether tiles of odd number publish nothing, so that tests reach the fallback.
override silent: bool = false;

// The number of the next tile, and three words that are not used. Then two words for each tile. Then four for each block:
// its sum, and the sum of all up to it.
@group(0) @binding(4) var<storage, read_write> states: array<atomic<u32>>;

const flag = 0x10000u;
// Nothing before it matters: a segment begins there, or the elements themselves.
const last_flag = 0x20000u;
const nothing = 0xffffffffu;
// The number of tiles of a block, and of blocks that are looked at: an invocation for each.
override tiles_of_block: u32 = 32u;
override reach: u32 = 64u;
// The outcomes of an attempt.
const again = 0u;
const ready = 1u;
const farther = 2u;
const tile_missing = 3u;
const block_missing = 4u;
const wider = 5u;

// The sums of tiles of the block, then of blocks from the nearest.
var<workgroup> sums: array<A, 96>;
var<workgroup> number: u32;
var<workgroup> outcome: u32;
var<workgroup> missing: u32;
// The nearest tile of the block that nothing before it matters to, and the first that has not published its sum.
var<workgroup> last_cut: atomic<u32>;
var<workgroup> first_gap: atomic<u32>;
// The distances of the nearest block with the sum of all up to it, and of the nearest block without any.
var<workgroup> nearest_sum: atomic<u32>;
var<workgroup> nearest_gap: atomic<u32>;
// The sum of the tiles of the block before this tile, and the sum of all tiles before it.
var<workgroup> within: Part;
var<workgroup> carry: A;
var<workgroup> piece: State;
// Whether `within` is known; the invocation that judges knows it.
var<private> is_summed: bool;

// The state of a tile or of a block: 0 without a value, 1 with its own sum, 2 with the sum of all up to it.
struct State {
    found: u32,
    sum: A,
}

// A number for this workgroup. Tiles are numbered in the order in which workgroups start.
fn next_tile(local: u32) -> u32 {
    if local == 0u {
        number = atomicAdd(&states[0], 1u);
    }
    return workgroupUniformLoad(&number);
}

fn publish(at: u32, sum: Part) {
    let word = bits(sum.sum);
    let flags = select(flag, flag | last_flag, sum.cut);
    atomicMax(&states[at], flags | (word & 0xffffu));
    atomicMax(&states[at + 1u], flags | (word >> 16u));
}

fn publish_tile(tile: u32, own: Part) {
    publish(4u + 2u * tile, own);
}

fn place_of_block(block: u32) -> u32 {
    return 4u + 2u * sizes.tiles + 4u * block;
}

fn publish_block(block: u32, sum: Part) {
    publish(place_of_block(block), Part(sum.sum, sum.cut || block == 0u));
}

fn state_in(low: u32, high: u32) -> State {
    let both = low & high;
    let found = select(0u, select(1u, 2u, (both & last_flag) != 0u), (both & flag) != 0u);
    return State(found, value((low & 0xffffu) | (high << 16u)));
}

fn state_of_tile(tile: u32) -> State {
    let at = 4u + 2u * tile;
    return state_in(atomicLoad(&states[at]), atomicLoad(&states[at + 1u]));
}

fn state_of_block(block: u32) -> State {
    let at = place_of_block(block);
    // All at once, as each takes long.
    let low = atomicLoad(&states[at]);
    let high = atomicLoad(&states[at + 1u]);
    let low_up_to = atomicLoad(&states[at + 2u]);
    let high_up_to = atomicLoad(&states[at + 3u]);
    let up_to = state_in(low_up_to, high_up_to);
    if up_to.found == 2u {
        return up_to;
    }
    return state_in(low, high);
}

fn is_silent(tile: u32) -> bool {
    return silent && tile % 2u == 1u;
}

// Publishes this tile's sum. All invocations call it, as early as they can.
fn announce(tile: u32, own: Part, local: u32) {
    if local == 0u {
        if !is_silent(tile) {
            publish_tile(tile, own);
        }
        atomicStore(&last_cut, 0u);
        atomicStore(&first_gap, nothing);
        atomicStore(&nearest_sum, nothing);
        atomicStore(&nearest_gap, nothing);
        carry = identity();
        within = Part(identity(), false);
        is_summed = false;
        outcome = select(again, ready, tile == 0u);
    }
}

// The sum of all tiles before `tile`, since the last head. All invocations of the workgroup call it after `announce`.
fn sum_before_tile(tile: u32, own: Part, local: u32) -> A {
    let block = tile / tiles_of_block;
    let tiles = tile % tiles_of_block;
    // Blocks from `end` on are skipped.
    var end = block;
    var attempts = 0u;
    var known = 0u;
    // The number of blocks that are looked at.
    var blocks = select(1u, reach, tiles == tiles_of_block - 1u);
    loop {
        let verdict = workgroupUniformLoad(&outcome);
        if verdict == ready {
            break;
        }
        if verdict == farther {
            end -= reach;
            known = 0u;
        }
        if verdict == wider {
            blocks = reach;
        }
        if verdict == tile_missing {
            sum_tile(missing, local);
        }
        if verdict == block_missing {
            sum_block(missing, local);
        }
        if local < tiles_of_block {
            if local < tiles && known == 0u {
                let state = state_of_tile(block * tiles_of_block + local);
                known = state.found;
                sums[local] = state.sum;
                if known == 2u {
                    atomicMax(&last_cut, local + 1u);
                } else if known == 0u {
                    atomicMin(&first_gap, local);
                }
            }
        } else if local < tiles_of_block + reach {
            let distance = local - tiles_of_block;
            if distance < min(end, blocks) && known != 2u {
                let state = state_of_block(end - 1u - distance);
                known = state.found;
                sums[local] = state.sum;
                if known == 2u {
                    atomicMin(&nearest_sum, distance);
                } else if known == 0u {
                    atomicMin(&nearest_gap, distance);
                }
            }
        }
        workgroupBarrier();
        if local == 0u {
            attempts++;
            outcome = judged(tile, own, end, blocks, attempts);
            if outcome != again {
                attempts = 0u;
            }
        }
    }
    return carry;
}

// The outcome of an attempt, by one invocation.
fn judged(tile: u32, own: Part, end: u32, blocks: u32, attempts: u32) -> u32 {
    let block = tile / tiles_of_block;
    let tiles = tile % tiles_of_block;
    let ends_block = tiles == tiles_of_block - 1u && !is_silent(tile);
    let gap = atomicLoad(&first_gap);
    let hole = atomicLoad(&nearest_gap);
    atomicStore(&first_gap, nothing);
    atomicStore(&nearest_gap, nothing);
    if gap < tiles {
        if attempts < patience {
            return again;
        }
        missing = block * tiles_of_block + gap;
        return tile_missing;
    }
    if !is_summed {
        is_summed = true;
        if tiles > 0u {
            within = sum_within(tiles);
        }
        if ends_block {
            publish_block(block, joined(within, own));
        }
    }
    if block == 0u || within.cut {
        carry = within.sum;
        return ready;
    }
    let found = atomicLoad(&nearest_sum);
    if found < hole {
        let before = sum_of_blocks(found, end, block);
        let all = joined(within, own);
        if ends_block && !all.cut {
            publish(place_of_block(block) + 2u, Part(combined(before, all.sum), true));
        }
        carry = before;
        if tiles > 0u {
            carry = combined(before, within.sum);
        }
        return ready;
    }
    if attempts < patience {
        return again;
    }
    if blocks < reach {
        return wider;
    }
    if hole == nothing {
        // All these blocks have their own sums.
        return farther;
    }
    missing = end - 1u - hole;
    return block_missing;
}

// The sum of the first tiles of the block since the last head. Sixteen are loaded at a time, as a sum that waits for one
// load after the other is slow.
fn sum_within(tiles: u32) -> Part {
    let cut = atomicLoad(&last_cut);
    let first = max(cut, 1u) - 1u;
    var sum = sums[first];
    for (var done = 0u; done < tiles_of_block; done += 16u) {
        if first + done >= tiles {
            break;
        }
        for (var k = 1u; k <= 16u; k++) {
            if first + done + k < tiles {
                sum = combined(sum, sums[first + done + k]);
            }
        }
    }
    return Part(sum, cut != 0u);
}

// The sum of all blocks before `block`, where the one at a distance from `end` has the sum of all up to it.
fn sum_of_blocks(distance: u32, end: u32, block: u32) -> A {
    var sum = sums[tiles_of_block + distance];
    for (var done = 0u; done < reach; done += 16u) {
        if done >= distance {
            break;
        }
        for (var k = 1u; k <= 16u; k++) {
            if done + k <= distance {
                sum = combined(sum, sums[tiles_of_block + distance - done - k]);
            }
        }
    }
    // Blocks that were skipped have their own sums at least.
    for (var at = end; at < block; at++) {
        let state = state_of_block(at);
        if state.found == 2u {
            sum = state.sum;
        } else {
            sum = combined(sum, state.sum);
        }
    }
    return sum;
}

// Publishes the sum of another tile.
fn sum_tile(tile: u32, local: u32) {
    let sum = sum_of_other(tile, local);
    if local == 0u {
        publish_tile(tile, sum);
    }
    workgroupBarrier();
}

// Publishes the sum of another block.
fn sum_block(block: u32, local: u32) {
    let first = block * tiles_of_block;
    var sum = Part(identity(), false);
    for (var k = 0u; k < tiles_of_block; k++) {
        if local == 0u {
            piece = state_of_tile(first + k);
        }
        let state = workgroupUniformLoad(&piece);
        var own = Part(state.sum, state.found == 2u);
        if state.found == 0u {
            own = sum_of_other(first + k, local);
            workgroupBarrier();
        }
        if k == 0u {
            sum = own;
        } else {
            sum = joined(sum, own);
        }
    }
    if local == 0u {
        publish_block(block, sum);
    }
    workgroupBarrier();
}

// Computes the sum of all tiles before a tile, in the same launch: a chained scan with decoupled fallback (Smith,
// Levien, Owens, SPAA 2025), in two levels.
//
// A tile publishes its own sum. The last tile of a block of 32 publishes the sum of the block, as soon as it knows the
// sums of all its tiles. It looks back over the blocks to the nearest block that has published the sum of all tiles up
// to its end, and then publishes the same for its own block. The other tiles read only the sum of the block before
// their own: if all tiles looked back, reads of the same few words would delay them. A workgroup that waits too long
// for a sum computes it: no workgroup depends on the progress of another.
//
// A value is published in two words, each with 16 bits and flags, so that no order of the words is needed: relaxed
// atomics suffice. A word is written once, or repeatedly with the same value.
//
// Sums of floats have the same bits whichever sums are found first: tiles of a block are added from left to right, and
// blocks from left to right.
import package::shared::scan_monoid::{A, bits, combined, identity, value};
import package::shared::scan_other::sum_of_other;
import package::shared::scan_part::{Part, joined};
import package::shared::scan_sizes::sizes;

// The number of attempts to read a sum before this workgroup computes the sum itself.
override patience: u32 = 64;
// Whether tiles of odd number publish nothing, so that tests reach the fallback.
override silent: bool = false;

// The number of the next tile, and three words that are not used. Then two words for each tile. Then four words for
// each block: its sum, and the sum of all tiles up to its end.
@group(0) @binding(4) var<storage, read_write> states: array<atomic<u32>>;

const flag = 0x10000u;
// The sum does not depend on earlier tiles: a segment begins in it, or it includes all earlier tiles.
const last_flag = 0x20000u;
const nothing = 0xffffffffu;
// The number of tiles of a block, and of blocks that are read at once, each by one invocation.
override tiles_of_block: u32 = 32u;
override reach: u32 = 64u;
// The outcomes of an attempt.
const again = 0u;
const ready = 1u;
const farther = 2u;
const tile_missing = 3u;
const block_missing = 4u;
const wider = 5u;

// The sums of tiles of the block, then the sums of earlier blocks, from the nearest on.
var<workgroup> sums: array<A, 96>;
var<workgroup> number: u32;
var<workgroup> outcome: u32;
var<workgroup> missing: u32;
// The last tile of the block whose sum does not depend on earlier tiles, and the first without a published sum.
var<workgroup> last_cut: atomic<u32>;
var<workgroup> first_gap: atomic<u32>;
// The distances of the nearest block with the sum of all tiles up to its end, and of the nearest without any sum.
var<workgroup> nearest_sum: atomic<u32>;
var<workgroup> nearest_gap: atomic<u32>;
// The sum of the tiles of the block before this tile, and the sum of all tiles before this tile.
var<workgroup> within: Part;
var<workgroup> carry: A;
var<workgroup> piece: State;
// Whether `within` is known; only the invocation that calls `judged` uses this variable.
var<private> is_summed: bool;

// The state of a tile or of a block: `found` is 0 without a value, 1 with its own sum, 2 with the sum of all up to it.
struct State {
    found: u32,
    sum: A,
}

// Returns the tile of this workgroup. Tiles are numbered in the order in which workgroups start.
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
    // All words are loaded at once, as each load takes long.
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

// Publishes this tile's sum. All invocations call this function, as early as they can.
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

// Returns the sum of all tiles before `tile`, since the last head. All invocations call this after `announce`.
fn sum_before_tile(tile: u32, own: Part, local: u32) -> A {
    let block = tile / tiles_of_block;
    let tiles = tile % tiles_of_block;
    // Blocks from `end` on are skipped.
    var end = block;
    var attempts = 0u;
    var known = 0u;
    // The number of blocks that are read at once.
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

// Returns the outcome of an attempt, in one invocation.
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

// Returns the sum of the first tiles of the block since the last head. Sixteen sums are loaded at a time, as it is slow
// to wait for one load after the other.
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

// Returns the sum of all blocks before `block`, if the block at a distance from `end` has the sum of all up to it.
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

// Computes and publishes the sum of another tile.
fn sum_tile(tile: u32, local: u32) {
    let sum = sum_of_other(tile, local);
    if local == 0u {
        publish_tile(tile, sum);
    }
    workgroupBarrier();
}

// Computes and publishes the sum of another block.
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

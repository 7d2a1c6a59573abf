// The sum of all tiles before a tile, in the same launch: a chained scan with decoupled fallback (Smith, Levien, Owens,
// SPAA 2025).
//
// A tile publishes its own sum, looks back until it finds a tile that has published the sum of all up to it, and
// publishes its own such sum. A tile that is awaited too long is summed here: no workgroup depends on the progress of
// another one. A value is published in two words of 16 bits with a flag each, so that no two words need an order: relaxed
// atomics suffice. The words of a tile are written once or repeatedly with the same value.
//
// Most workgroups find a sum among the nearest few tiles and read no others. One that has to look back beyond `width`
// tiles waits instead, as the workgroups before it publish sums soon; without progress there, it goes on.
//
// Sums of floats have the same bits whatever was found first: the sum before tile k is ((s0 + s1) + s2) + ..., left to
// right, and so is each sum that the look-back starts from.
import package::shared::scan_heads::segmented;
import package::shared::scan_monoid::{A, bits, combined, identity, items, value};
import package::shared::scan_sizes::sizes;
import package::shared::scan_tile::{Part, head_bits, share_sums, sum_in_memory, sum_of_tile, sums, tile_length, width};

// The number of attempts before a tile is summed here.
override patience: u32 = 64;
// Whether tiles of odd number publish nothing, so that tests reach the fallback.
override silent: bool = false;

// The number of the next tile; then two words for the sum of each tile, and two for the sum of all up to it.
@group(0) @binding(4) var<storage, read_write> states: array<atomic<u32>>;

const flag = 0x10000u;
const nothing = 0xffffffffu;
// The number of tiles that are looked at first; the rest of `width` follows, all at once.
const near = 32u;
// The outcomes of an attempt.
const again = 0u;
const ready = 1u;
const rest = 2u;
const farther = 3u;
const fall_back = 4u;

var<workgroup> number: u32;
var<workgroup> nearest_sum: atomic<u32>;
var<workgroup> nearest_gap: atomic<u32>;
var<workgroup> outcome: u32;
var<workgroup> missing: u32;
// The number of tiles between this one and those that are looked at: 0 or `near`.
var<workgroup> nearer: u32;
var<workgroup> carry: A;

// The state of a tile: 0 without a value, 1 with its own sum, 2 with that of all tiles up to it.
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

fn publish(tile: u32, up_to: bool, sum: A) {
    let word = bits(sum);
    let at = 1u + 2u * select(tile, sizes.tiles + tile, up_to);
    atomicMax(&states[at], flag | (word & 0xffffu));
    atomicMax(&states[at + 1u], flag | (word >> 16u));
}

fn state_of(tile: u32) -> State {
    let up_to = 1u + 2u * (sizes.tiles + tile);
    let low_up_to = atomicLoad(&states[up_to]);
    let high_up_to = atomicLoad(&states[up_to + 1u]);
    if (low_up_to & high_up_to & flag) != 0u {
        return State(2u, value((low_up_to & 0xffffu) | (high_up_to << 16u)));
    }
    let own = 1u + 2u * tile;
    let low = atomicLoad(&states[own]);
    let high = atomicLoad(&states[own + 1u]);
    if (low & high & flag) != 0u {
        return State(1u, value((low & 0xffffu) | (high << 16u)));
    }
    return State(0u, identity());
}

// Publishes a tile's sum. Where a segment begins within the tile, nothing before it matters to later tiles.
fn publish_own(tile: u32, own: Part) {
    publish(tile, tile == 0u || own.cut, own.sum);
}

// Publishes this tile's sum. All invocations call it, as early as they can.
fn announce(tile: u32, own: Part, local: u32) {
    if local == 0u {
        if !silent || tile % 2u == 0u {
            publish_own(tile, own);
        }
        atomicStore(&nearest_sum, nothing);
        atomicStore(&nearest_gap, nothing);
        nearer = 0u;
        carry = identity();
        outcome = select(again, ready, tile == 0u);
    }
}

// The sum of all tiles before `tile`, since the last head. All invocations of the workgroup call it after `announce`.
fn sum_before_tile(tile: u32, own: Part, local: u32) -> A {
    // Tiles from `end` on are skipped.
    var end = tile;
    var attempts = 0u;
    loop {
        let verdict = workgroupUniformLoad(&outcome);
        if verdict == ready {
            break;
        }
        if verdict == farther {
            end -= width;
        }
        if verdict == fall_back {
            sum_missing(missing, local);
        }
        // All stay within `sums`, whatever the workgroup's memory holds.
        let distance = select(local, near + local, nearer != 0u);
        if local < select(near, width - near, nearer != 0u) && distance < end {
            let state = state_of(end - 1u - distance);
            sums[distance] = state.sum;
            if state.found == 2u {
                atomicMin(&nearest_sum, distance);
            } else if state.found == 0u {
                atomicMin(&nearest_gap, distance);
            }
        }
        workgroupBarrier();
        if local == 0u {
            attempts++;
            outcome = judged(tile, end, attempts);
            if outcome != again {
                attempts = 0u;
            }
        }
    }
    if local == 0u && !own.cut && tile != 0u && (!silent || tile % 2u == 0u) {
        publish(tile, true, combined(carry, own.sum));
    }
    return carry;
}

// The outcome of an attempt, by one invocation.
fn judged(tile: u32, end: u32, attempts: u32) -> u32 {
    let found = atomicLoad(&nearest_sum);
    let gap = atomicLoad(&nearest_gap);
    atomicStore(&nearest_sum, nothing);
    atomicStore(&nearest_gap, nothing);
    if found < gap {
        var sum = combined_from(found);
        // Tiles that were skipped have their own sums at least.
        for (var at = end; at < tile; at++) {
            let state = state_of(at);
            if state.found == 2u {
                sum = state.sum;
            } else {
                sum = combined(sum, state.sum);
            }
        }
        carry = sum;
        return ready;
    }
    if gap == nothing {
        // All these tiles have their own sums.
        if nearer == 0u {
            nearer = near;
            return rest;
        }
        if attempts < patience {
            return again;
        }
        nearer = 0u;
        return farther;
    }
    if attempts < patience {
        return again;
    }
    missing = end - 1u - gap;
    nearer = 0u;
    return fall_back;
}

// The sum of the tiles at a distance and nearer. Sixteen are loaded at a time, as a sum that waits for one load after
// the other is slow.
fn combined_from(distance: u32) -> A {
    var sum = sums[distance];
    for (var done = 0u; done < width; done += 16u) {
        if done >= distance {
            break;
        }
        for (var k = 1u; k <= 16u; k++) {
            if done + k <= distance {
                sum = combined(sum, sums[distance - done - k]);
            }
        }
    }
    return sum;
}

// Publishes the sum of another tile, combined in the same order as its own workgroup combines it.
fn sum_missing(tile: u32, local: u32) {
    let own = sum_in_memory(tile * tile_length + local * items);
    if segmented {
        atomicStore(&head_bits[local], u32(own.cut));
    }
    share_sums(local, own.sum);
    if local == 0u {
        publish_own(tile, sum_of_tile());
    }
    workgroupBarrier();
}

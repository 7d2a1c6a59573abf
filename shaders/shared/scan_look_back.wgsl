// The sum of all tiles before a tile, in the same launch: a chained scan with decoupled fallback (Smith, Levien, Owens,
// SPAA 2025).
//
// A tile publishes its own sum, looks back until it finds a tile that has published the sum of all before it, and
// publishes its own such sum. A tile that is awaited too long is summed here: no workgroup depends on the progress of
// another one. A value is published in two words of 16 bits with a flag each, so that no two words need an order: relaxed
// atomics suffice. The words of a tile are written once or repeatedly with the same value.
//
// Sums of floats have the same bits whatever was found first: the sum before tile k is ((s0 + s1) + s2) + ..., left to
// right, and so is each sum that the look-back starts from.
import package::shared::scan_heads::segmented;
import package::shared::scan_monoid::{A, bits, combined, identity, items, value};
import package::shared::scan_tile::{Part, head_bits, share_sums, sum_in_memory, sum_of_tile, sums, tile_length, width};

// The number of attempts before a tile is summed here.
override patience: u32 = 64;
// Whether tiles of odd number publish nothing, so that tests reach the fallback.
override silent: bool = false;

// The number of the next tile; then four words for each tile: its sum, and the sum of all up to it.
@group(0) @binding(4) var<storage, read_write> states: array<atomic<u32>>;

const flag = 0x10000u;
const nothing = 0xffffffffu;
// The outcomes of an attempt.
const again = 0u;
const ready = 1u;
const farther = 2u;
const fall_back = 3u;

var<workgroup> number: u32;
var<workgroup> nearest_sum: atomic<u32>;
var<workgroup> nearest_gap: atomic<u32>;
var<workgroup> outcome: u32;
var<workgroup> missing: u32;
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

fn publish(tile: u32, offset: u32, sum: A) {
    let word = bits(sum);
    let at = 1u + 4u * tile + offset;
    atomicMax(&states[at], flag | (word & 0xffffu));
    atomicMax(&states[at + 1u], flag | (word >> 16u));
}

fn state_of(tile: u32) -> State {
    let at = 1u + 4u * tile;
    let low = atomicLoad(&states[at]);
    let high = atomicLoad(&states[at + 1u]);
    let low_up_to = atomicLoad(&states[at + 2u]);
    let high_up_to = atomicLoad(&states[at + 3u]);
    if (low_up_to & high_up_to & flag) != 0u {
        return State(2u, value((low_up_to & 0xffffu) | (high_up_to << 16u)));
    }
    if (low & high & flag) != 0u {
        return State(1u, value((low & 0xffffu) | (high << 16u)));
    }
    return State(0u, identity());
}

// Publishes a tile's sum. Where a segment begins within the tile, nothing before it matters to later tiles.
fn publish_own(tile: u32, own: Part) {
    publish(tile, select(0u, 2u, tile == 0u || own.cut), own.sum);
}

// The sum of all tiles before `tile`, since the last head. All invocations of the workgroup call it.
fn sum_before_tile(tile: u32, own: Part, local: u32) -> A {
    if local == 0u {
        if !silent || tile % 2u == 0u {
            publish_own(tile, own);
        }
        atomicStore(&nearest_sum, nothing);
        atomicStore(&nearest_gap, nothing);
        carry = identity();
        outcome = select(again, ready, tile == 0u);
    }
    // The tiles that are looked at are the 256 before this one.
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
        if local < end {
            let state = state_of(end - 1u - local);
            sums[local] = state.sum;
            if state.found == 2u {
                atomicMin(&nearest_sum, local);
            } else if state.found == 0u {
                atomicMin(&nearest_gap, local);
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
        publish(tile, 2u, combined(carry, own.sum));
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
        var sum = sums[found];
        for (var at = found; at > 0u; at--) {
            sum = combined(sum, sums[at - 1u]);
        }
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
    if attempts < patience {
        return again;
    }
    if gap != nothing {
        missing = end - 1u - gap;
        return fall_back;
    }
    return farther;
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

enable subgroups;

// A pass of a radix sort that reads the keys once: workgroups take tiles in order, and each adds up the counts of the
// tiles before it while others still run (Adinets and Merrill, Onesweep, 2022). No workgroup relies on the progress of
// another: a workgroup counts the keys of a tile itself if it has waited too long for the counts (Smith, Levien and
// Owens, Decoupled Fallback, 2025).
import package::shared::prefix::exclusive_prefix;
import package::shared::radix::{digit_at, digit_of, key_at, radix, sizes};
import package::shared::radix_subgroups::{
    Lane, exchange, exchange_keys, items, move_tile, next, rank_keys, starts, threads,
};

// The digits of the keys, from the lowest on, in the form that `digit_of` expects.
@group(0) @binding(5) var<uniform> all_digits: array<vec4<u32>, 8>;
// For each value of each digit of the keys: the number of keys with this value, and the number with smaller values.
@group(0) @binding(6) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> bases: array<u32>;
// The number of tiles taken, and for each tile and value of the digit a count with a state in the upper two bits.
@group(0) @binding(8) var<storage, read_write> progress: array<atomic<u32>>;

// For tests: tiles whose numbers are multiples of this number do not publish their counts; 0 for no tile.
override silent: u32 = 0u;

// The states: 0 for no count yet, a count of the tile alone, a count of the tile and all tiles before it.
const counted = 1u;
const added_up = 2u;
// The number of reads of one count before a workgroup counts the keys itself.
const patience = 64u;

var<workgroup> counters: array<atomic<u32>, 2048>;

// Counts the keys by all digits. `span` is the number of keys of a workgroup, and `word` the number of digits.
@compute @workgroup_size(256)
fn count_all(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    for (var step = 0u; step < 8u; step++) {
        atomicStore(&counters[step * radix + local], 0u);
    }
    workgroupBarrier();
    let begin = min(group.x * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    // Each invocation has four loads in flight at a time.
    var at = begin + local;
    for (; at + 768u < end; at += 1024u) {
        let first = key_at(at);
        let second = key_at(at + 256u);
        let third = key_at(at + 512u);
        let fourth = key_at(at + 768u);
        for (var step = 0u; step < sizes.word; step++) {
            let digit = all_digits[step];
            count_one(step, first, digit);
            count_one(step, second, digit);
            count_one(step, third, digit);
            count_one(step, fourth, digit);
        }
    }
    for (; at < end; at += 256u) {
        let key = key_at(at);
        for (var step = 0u; step < sizes.word; step++) {
            count_one(step, key, all_digits[step]);
        }
    }
    workgroupBarrier();
    for (var step = 0u; step < sizes.word; step++) {
        let count = atomicLoad(&counters[step * radix + local]);
        if count > 0u {
            atomicAdd(&totals[step * radix + local], count);
        }
    }
}

fn count_one(step: u32, key: vec2<u32>, digit: vec4<u32>) {
    atomicAdd(&counters[step % 8u * radix + digit_of(key.x, key.y, digit) % radix], 1u);
}

// A workgroup adds up the totals of each digit.
@compute @workgroup_size(256)
fn place_all(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let at = group.x * radix + local;
    bases[at] = exclusive_prefix(local, atomicLoad(&totals[at]));
}

// In this kernel, `sizes.span` is the index of the digit in `bases`.
@compute @workgroup_size(threads)
fn sweep(
    @builtin(local_invocation_index) local: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) in_subgroup: u32,
) {
    let lane = Lane(local, subgroups, subgroup, size, in_subgroup);
    // Tiles are numbered in the order in which workgroups begin, which need not be the order of their numbers.
    if local == 0u {
        next[0u] = atomicAdd(&progress[0u], 1u);
    }
    let tile = workgroupUniformLoad(&next[0u]);
    let first = tile * threads * items;
    if first >= sizes.length {
        return;
    }
    let count = min(threads * items, sizes.length - first);
    var low: array<u32, 14>;
    var high: array<u32, 14>;
    var places: array<u32, 14>;
    rank_keys(lane, first, count, &low, &high, &places);
    // The keys beyond the end are not counted.
    let beyond = threads * items - count;
    let each = radix / threads;
    var own: array<u32, 8>;
    for (var k = 0u; k < each; k++) {
        let value = local + k * threads;
        own[k] = starts[value] - select(0u, beyond, value == radix - 1u);
        if silent == 0u || tile % max(silent, 1u) != 0u {
            publish(tile, value, own[k], select(counted, added_up, tile == 0u));
        }
    }
    exchange_keys(lane, &low, &high, &places);
    add_tiles_before(lane, tile);
    for (var k = 0u; k < each; k++) {
        let value = local + k * threads;
        if tile > 0u && (silent == 0u || tile % max(silent, 1u) != 0u) {
            publish(tile, value, next[value] + own[k], added_up);
        }
        next[value] += bases[sizes.span * radix + value] - starts[value];
    }
    workgroupBarrier();
    move_tile(lane, first, count, low, high, places);
}

fn publish(tile: u32, value: u32, count: u32, state: u32) {
    // A state never goes back: it may have been published by another workgroup.
    atomicMax(&progress[1u + tile * radix + value], (state << 30u) | count);
}

// Sets `next` to the numbers of keys with each value of the digit in all tiles before this one.
fn add_tiles_before(lane: Lane, tile: u32) {
    // For each value of an invocation, the number of tiles left to add, and the sum.
    let each = radix / threads;
    var left: array<u32, 8>;
    var sums: array<u32, 8>;
    for (var k = 0u; k < each; k++) {
        left[k] = tile;
    }
    // Each round except the last adds at least one tile.
    for (var round = 0u; round <= tile; round++) {
        if lane.local == 0u {
            atomicStore(&exchange[radix], 0u);
        }
        workgroupBarrier();
        for (var k = 0u; k < each; k++) {
            let value = lane.local + k * threads;
            var before = left[k];
            var sum = sums[k];
            var spins = 0u;
            while before > 0u && spins < patience {
                // The four loads do not wait for each other. Loads before the first tile read its count again.
                let tiles = vec4(before - 1u) - min(vec4(0u, 1u, 2u, 3u), vec4(before - 1u));
                let at = vec4(1u + value) + tiles * radix;
                let seen = vec4(
                    atomicLoad(&progress[at.x]),
                    atomicLoad(&progress[at.y]),
                    atomicLoad(&progress[at.z]),
                    atomicLoad(&progress[at.w]),
                );
                spins += 1u;
                // Adds counts up to the first tile that has no count yet, or whose count includes all tiles before it.
                let states = seen >> vec4(30u);
                let counts = seen & vec4(0x3fffffffu);
                var open = before;
                if states.x != 0u {
                    sum += counts.x;
                    open = select(open - 1u, 0u, states.x == added_up);
                    if open != 0u && states.y != 0u {
                        sum += counts.y;
                        open = select(open - 1u, 0u, states.y == added_up);
                        if open != 0u && states.z != 0u {
                            sum += counts.z;
                            open = select(open - 1u, 0u, states.z == added_up);
                            if open != 0u && states.w != 0u {
                                sum += counts.w;
                                open = select(open - 1u, 0u, states.w == added_up);
                            }
                        }
                    }
                }
                spins = select(0u, spins, open == before);
                before = open;
            }
            left[k] = before;
            sums[k] = sum;
            if before > 0u {
                atomicMax(&exchange[radix], before);
            }
        }
        workgroupBarrier();
        if lane.local == 0u {
            next[0u] = atomicLoad(&exchange[radix]);
        }
        let missing = workgroupUniformLoad(&next[0u]);
        if missing == 0u {
            break;
        }
        count_tile(lane, missing - 1u);
    }
    for (var k = 0u; k < each; k++) {
        next[lane.local + k * threads] = sums[k];
    }
    workgroupBarrier();
}

// Counts the keys of another tile, and publishes the counts.
fn count_tile(lane: Lane, tile: u32) {
    for (var value = lane.local; value < radix; value += threads) {
        atomicStore(&exchange[value], 0u);
    }
    workgroupBarrier();
    let first = tile * threads * items;
    // Another tile follows this tile, so this tile is complete.
    for (var at = lane.local; at < threads * items; at += threads) {
        atomicAdd(&exchange[digit_at(first + at)], 1u);
    }
    workgroupBarrier();
    for (var value = lane.local; value < radix; value += threads) {
        publish(tile, value, atomicLoad(&exchange[value]), select(counted, added_up, tile == 0u));
    }
    workgroupBarrier();
}

// Finds the positions of the selected keys of each row by a radix select: counts the keys by one digit at a time, from
// the highest on, until the last selected key is known. Then it collects the positions in ascending order.
import package::shared::ordered_keys::rank_of_key;
import package::shared::ordered_word::wide;
import package::shared::prefix::{exclusive_prefix, total};

struct Sizes {
    rows: u32,
    // The number of keys of a row, and of the selected keys of a row.
    length: u32,
    selected: u32,
    first_of_keys: u32,
    first_of_places: u32,
    // Each row consists of this many blocks of `span` keys.
    blocks: u32,
    span: u32,
    // The digit: its word, its lowest bit, and masks of the bits of both words above it.
    word: u32,
    shift: u32,
    above: u32,
    above_low: u32,
}

@group(0) @binding(1) var<uniform> sizes: Sizes;
// For each row, the number of keys with each digit.
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
// For each row, the known digits of the last selected key, and the number of keys to select among the keys with these
// digits.
@group(0) @binding(4) var<storage, read_write> states: array<vec4<u32>>;
@group(0) @binding(5) var<storage> known_states: array<vec4<u32>>;
// For each block, the numbers of keys before and equal to the last selected key (x, y); later also the sums of both
// numbers over the row's blocks before this block (z, w).
@group(0) @binding(6) var<storage, read_write> kept: array<vec4<u32>>;
@group(0) @binding(7) var<storage> known_kept: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> places: array<u32>;

// Whether no digit is known yet, so that there are no states.
fn begins() -> bool {
    return (sizes.above | sizes.above_low) == 0u;
}

// Neighbouring invocations count in different copies, so that additions for equal digits do not wait for each other.
const copies = 4u;
var<workgroup> counters: array<atomic<u32>, 1024>;

@compute @workgroup_size(256)
fn count_digit(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= sizes.rows * sizes.blocks {
        return;
    }
    for (var copy = 0u; copy < copies; copy++) {
        atomicStore(&counters[copy * 256u + local], 0u);
    }
    workgroupBarrier();
    let row = group.x / sizes.blocks;
    let begin = min(group.x % sizes.blocks * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    var known = vec2(0u);
    if !begins() {
        known = known_states[row].xy;
    }
    let above = vec2(sizes.above, sizes.above_low);
    for (var at = begin + local; at < end; at += 256u) {
        let place = rank_of_key(sizes.first_of_keys + row * sizes.length + at);
        if all((place & above) == known) {
            let digit = (select(place.x, place.y, sizes.word == 1u) >> sizes.shift) & 255u;
            atomicAdd(&counters[digit * copies + local % copies], 1u);
        }
    }
    workgroupBarrier();
    var sum = 0u;
    for (var copy = 0u; copy < copies; copy++) {
        sum += atomicLoad(&counters[local * copies + copy]);
    }
    if sum > 0u {
        atomicAdd(&counts[row * 256u + local], sum);
    }
}

// A workgroup finds the digit for each row, and sets the counts to zero for the next digit.
@compute @workgroup_size(256)
fn narrow(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= sizes.rows {
        return;
    }
    let count = atomicLoad(&counts[group.x * 256u + local]);
    atomicStore(&counts[group.x * 256u + local], 0u);
    var state = vec4(0u, 0u, sizes.selected, 0u);
    if !begins() {
        state = states[group.x];
    }
    // All invocations have read the state before one of them writes it.
    storageBarrier();
    let before = exclusive_prefix(local, count);
    if before < state.z && state.z - before <= count {
        let digit = local << sizes.shift;
        let found = vec2(select(digit, 0u, sizes.word == 1u), select(0u, digit, sizes.word == 1u));
        states[group.x] = vec4(state.xy | found, state.z - before, 0u);
    }
}

// Returns whether a key is before the last selected key, and whether they are equal; `last` has the known digits.
fn kept_at(row: u32, at: u32, last: vec2<u32>) -> vec2<bool> {
    let place = rank_of_key(sizes.first_of_keys + row * sizes.length + at) & vec2(sizes.above, sizes.above_low);
    return vec2(place.x < last.x || (place.x == last.x && place.y < last.y), all(place == last));
}

@compute @workgroup_size(256)
fn count_kept(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= sizes.rows * sizes.blocks {
        return;
    }
    if local < 2u {
        atomicStore(&counters[local], 0u);
    }
    workgroupBarrier();
    let row = group.x / sizes.blocks;
    let begin = min(group.x % sizes.blocks * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    let last = known_states[row].xy;
    var own = vec2(0u);
    for (var at = begin + local; at < end; at += 256u) {
        own += vec2<u32>(kept_at(row, at, last));
    }
    if own.x > 0u {
        atomicAdd(&counters[0], own.x);
    }
    if own.y > 0u {
        atomicAdd(&counters[1], own.y);
    }
    workgroupBarrier();
    if local == 0u {
        kept[group.x] = vec4(atomicLoad(&counters[0]), atomicLoad(&counters[1]), 0u, 0u);
    }
}

// For each row, one workgroup sums the counts of all blocks before each block.
@compute @workgroup_size(256)
fn place_kept(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= sizes.rows {
        return;
    }
    let each = (sizes.blocks + 255u) / 256u;
    let row = group.x * sizes.blocks;
    let begin = row + min(local * each, sizes.blocks);
    let end = row + min((local + 1u) * each, sizes.blocks);
    var sum = vec2(0u);
    for (var at = begin; at < end; at++) {
        sum += kept[at].xy;
    }
    var before = vec2(exclusive_prefix(local, sum.x), 0u);
    workgroupBarrier();
    before.y = exclusive_prefix(local, sum.y);
    for (var at = begin; at < end; at++) {
        let own = kept[at].xy;
        kept[at] = vec4(own, before);
        before += own;
    }
}

@compute @workgroup_size(256)
fn collect(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= sizes.rows * sizes.blocks {
        return;
    }
    let row = group.x / sizes.blocks;
    let state = known_states[row];
    let block = known_kept[group.x];
    if block.x == 0u && (block.y == 0u || block.w >= state.z) {
        return;
    }
    let begin = min(group.x % sizes.blocks * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    var before = block.zw;
    for (var first = begin; first < end; first += 256u) {
        let at = first + local;
        var is_kept = vec2(false);
        if at < end {
            is_kept = kept_at(row, at, state.xy);
        }
        let flags = vec2<u32>(is_kept);
        // Sums both flags in one addition, in 16 bits each: no sum exceeds 16 bits.
        let sums = exclusive_prefix(local, flags.x | (flags.y << 16u));
        let own = before + vec2(sums & 0xffffu, sums >> 16u);
        if is_kept.x || (is_kept.y && own.y < state.z) {
            places[row * sizes.selected + own.x + min(own.y, state.z)] = at;
        }
        let all_of_tile = total();
        workgroupBarrier();
        before += vec2(all_of_tile & 0xffffu, all_of_tile >> 16u);
    }
}

// The ranks of all keys: unsigned integers, of one word or two, in the order of the keys.
@group(0) @binding(9) var<storage, read_write> ranks: array<u32>;

@compute @workgroup_size(256)
fn rank_all(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.rows * sizes.length {
        let place = rank_of_key(sizes.first_of_keys + id.x);
        if wide {
            ranks[id.x * 2u] = place.y;
            ranks[id.x * 2u + 1u] = place.x;
        } else {
            ranks[id.x] = place.x;
        }
    }
}

// The positions of all keys in order, row after row.
@group(0) @binding(10) var<storage> sorted: array<u32>;

@compute @workgroup_size(256)
fn take(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.rows * sizes.selected {
        let first = id.x / sizes.selected * sizes.length;
        places[sizes.first_of_places + id.x] = sorted[first + id.x % sizes.selected] - first;
    }
}

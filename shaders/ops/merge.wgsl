// Merges two sorted arrays. For any number of merged keys, a merge path gives the number of those from the first array,
// so that each workgroup or invocation finds the keys of both arrays that it merges.
import package::shared::key_order::{key_bits, key_in, precedes, rank, word_of_key};
import package::shared::ordered_word::wide;

struct Sizes {
    length_of_a: u32,
    length_of_b: u32,
    // The index of each array's first element in its binding.
    first_of_a: u32,
    first_of_b: u32,
    first_of_merged: u32,
    first_of_a_values: u32,
    first_of_b_values: u32,
    first_of_merged_values: u32,
    // The number of keys before the first merged key in its word.
    skew: u32,
    // The number of merged keys of a piece, and the number of pieces or tiles.
    span: u32,
    parts: u32,
}

@group(0) @binding(1) var<uniform> sizes: Sizes;
@group(0) @binding(2) var<storage> a: array<u32>;
@group(0) @binding(3) var<storage> b: array<u32>;
@group(0) @binding(4) var<storage, read_write> merged: array<u32>;
@group(0) @binding(5) var<storage> a_values: array<u32>;
@group(0) @binding(6) var<storage> b_values: array<u32>;
@group(0) @binding(7) var<storage, read_write> merged_values: array<u32>;

// The number of words of a value, 0 to 2.
override words: u32 = 0u;

const tile = 1024u;
// The number of keys that an invocation merges in a tile: four keys fill whole words even if keys have 8 bits.
const items = 4u;

fn key_of_a(index: u32) -> vec2<u32> {
    let at = sizes.first_of_a + index;
    let word = word_of_key(at);
    var next = 0u;
    if wide {
        next = a[word + 1u];
    }
    return key_in(a[word], next, at);
}

fn key_of_b(index: u32) -> vec2<u32> {
    let at = sizes.first_of_b + index;
    let word = word_of_key(at);
    var next = 0u;
    if wide {
        next = b[word + 1u];
    }
    return key_in(b[word], next, at);
}

// Returns the number of keys of `a` among the first `count` merged keys.
fn split(count: u32) -> u32 {
    var low = count - min(count, sizes.length_of_b);
    var high = min(count, sizes.length_of_a);
    // A range of 32-bit positions is halved at most 32 times.
    for (var step = 0u; step < 33u && low < high; step++) {
        let middle = low + (high - low) / 2u;
        if precedes(rank(key_of_b(count - 1u - middle)), rank(key_of_a(middle))) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return low;
}

// Returns the number of merged keys before the piece or tile at `position`, which counts from the beginning of the
// first word, so that pieces and tiles begin with whole words.
fn merged_before(position: u32) -> u32 {
    return min(max(position, sizes.skew) - sizes.skew, sizes.length_of_a + sizes.length_of_b);
}

// The merged keys of a word that is not complete yet.
var<private> pending: u32;

fn begin_keys(out: u32) {
    let at = sizes.first_of_merged + out;
    pending = 0u;
    if key_bits < 32u && at % (32u / key_bits) != 0u {
        pending = merged[word_of_key(at)];
    }
}

fn put_key(key: vec2<u32>, out: u32) {
    let at = sizes.first_of_merged + out;
    let word = word_of_key(at);
    if wide {
        merged[word] = key.x;
        merged[word + 1u] = key.y;
    } else if key_bits == 32u {
        merged[word] = key.x;
    } else {
        let each = 32u / key_bits;
        let shift = at % each * key_bits;
        let mask = (0xffffffffu >> (32u - key_bits)) << shift;
        pending = (pending & ~mask) | ((key.x >> (32u - key_bits)) << shift);
        if at % each == each - 1u {
            merged[word] = pending;
        }
    }
}

// Stores the pending keys before key `out`, if their word also contains keys from `out` on.
fn end_keys(out: u32) {
    if key_bits < 32u {
        let at = sizes.first_of_merged + out;
        let each = 32u / key_bits;
        if at % each != 0u {
            let others = 0xffffffffu << (at % each * key_bits);
            let word = word_of_key(at);
            merged[word] = (merged[word] & others) | (pending & ~others);
        }
    }
}

// Moves the value of a key of `a` or `b`.
fn put_value(from_a: bool, index: u32, out: u32) {
    for (var word = 0u; word < words; word++) {
        var value = 0u;
        if from_a {
            value = a_values[(sizes.first_of_a_values + index) * words + word];
        } else {
            value = b_values[(sizes.first_of_b_values + index) * words + word];
        }
        merged_values[(sizes.first_of_merged_values + out) * words + word] = value;
    }
}

// For processors: each invocation merges a piece from memory.
@compute @workgroup_size(64)
fn merge_pieces(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.parts {
        return;
    }
    let begin = merged_before(id.x * sizes.span);
    let end = merged_before((id.x + 1u) * sizes.span);
    if begin >= end {
        return;
    }
    var i = split(begin);
    var j = begin - i;
    begin_keys(begin);
    for (var out = begin; out < end; out++) {
        var from_a = j >= sizes.length_of_b;
        if !from_a && i < sizes.length_of_a {
            from_a = !precedes(rank(key_of_b(j)), rank(key_of_a(i)));
        }
        if from_a {
            put_key(key_of_a(i), out);
            put_value(true, i, out);
            i++;
        } else {
            put_key(key_of_b(j), out);
            put_value(false, j, out);
            j++;
        }
    }
    end_keys(end);
}

// The number of keys of `a` before each tile.
@group(0) @binding(8) var<storage, read_write> splits: array<u32>;

@compute @workgroup_size(256)
fn split_tiles(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x <= sizes.parts {
        splits[id.x] = split(merged_before(id.x * tile));
    }
}

@group(0) @binding(9) var<storage> known_splits: array<u32>;

// The keys of a tile: first the keys of `a`, then the keys of `b`.
var<workgroup> tile_keys: array<vec2<u32>, 1024>;

@compute @workgroup_size(256)
fn merge_tiles(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = min(group.x, sizes.parts - 1u);
    let begin = merged_before(number * tile);
    let total = min(merged_before((number + 1u) * tile) - begin, tile);
    let first_a = known_splits[number];
    let count_a = min(known_splits[number + 1u] - first_a, total);
    let first_b = begin - first_a;
    for (var at = local; at < total; at += 256u) {
        if at < count_a {
            tile_keys[at] = key_of_a(first_a + at);
        } else {
            tile_keys[at] = key_of_b(first_b + at - count_a);
        }
    }
    workgroupBarrier();
    let own = min(merged_before(number * tile + local * items) - begin, total);
    let end = min(merged_before(number * tile + (local + 1u) * items) - begin, total);
    if own >= end || group.x >= sizes.parts {
        return;
    }
    var low = own - min(own, total - count_a);
    var high = min(own, count_a);
    for (var step = 0u; step < 11u && low < high; step++) {
        let middle = low + (high - low) / 2u;
        if precedes(rank(tile_keys[count_a + own - 1u - middle]), rank(tile_keys[middle])) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    var i = low;
    var j = count_a + own - low;
    begin_keys(begin + own);
    for (var out = own; out < end; out++) {
        var from_a = j >= total;
        if !from_a && i < count_a {
            from_a = !precedes(rank(tile_keys[j]), rank(tile_keys[i]));
        }
        if from_a {
            put_key(tile_keys[i], begin + out);
            put_value(true, first_a + i, begin + out);
            i++;
        } else {
            put_key(tile_keys[j], begin + out);
            put_value(false, first_b + j - count_a, begin + out);
            j++;
        }
    }
    end_keys(begin + end);
}

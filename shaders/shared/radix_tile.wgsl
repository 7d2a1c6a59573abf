// Sorts one tile of items by a digit in workgroup memory, without subgroups.
//
// An item is a digit of 8 bits and, above it, any 24 bits. Items are sorted by four bits at a time: each invocation
// counts its own items, and the sums of these counters are the positions.
import package::shared::prefix::{exclusive_prefix, total};

// The number of items of an invocation: odd, so that their words are in different banks.
const items = 13u;
const tile = 3328u;

// The items in order. While the items are in registers, the counters: 8 words for each invocation, each with two
// counters of 16 bits, for two values of the four bits.
var<workgroup> tile_items: array<u32, 3328>;

fn sort_tile(local: u32) {
    sort_by_four_bits(local, 0u);
    sort_by_four_bits(local, 4u);
}

fn sort_by_four_bits(local: u32, shift: u32) {
    var own: array<u32, 13>;
    var places: array<u32, 13>;
    for (var i = 0u; i < items; i++) {
        own[i] = tile_items[local * items + i];
    }
    workgroupBarrier();
    for (var row = 0u; row < 8u; row++) {
        tile_items[row * 256u + local] = 0u;
    }
    for (var i = 0u; i < items; i++) {
        let counter = counter_of(own[i] >> shift, local);
        let count = tile_items[counter.x];
        tile_items[counter.x] = count + (1u << counter.y);
        places[i] = (count >> counter.y) & 0xffffu;
    }
    workgroupBarrier();
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) {
        sum += tile_items[local * 8u + i];
    }
    // Sums both 16-bit counters of a word in one addition, as no sum exceeds 16 bits. The values that upper halves
    // count follow all values that lower halves count.
    var before = exclusive_prefix(local, sum);
    before += total() << 16u;
    for (var i = 0u; i < 8u; i++) {
        let count = tile_items[local * 8u + i];
        tile_items[local * 8u + i] = before;
        before += count;
    }
    workgroupBarrier();
    for (var i = 0u; i < items; i++) {
        let counter = counter_of(own[i] >> shift, local);
        places[i] += (tile_items[counter.x] >> counter.y) & 0xffffu;
    }
    workgroupBarrier();
    for (var i = 0u; i < items; i++) {
        tile_items[places[i]] = own[i];
    }
    workgroupBarrier();
}

// Returns the index of the word with an invocation's counter for the lowest four bits of `bits`, and the counter's
// lowest bit in this word.
fn counter_of(bits: u32, local: u32) -> vec2<u32> {
    return vec2((bits & 7u) * 256u + local, (bits & 8u) * 2u);
}

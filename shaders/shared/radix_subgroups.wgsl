// Sorts one tile of keys by a digit, by ranks within subgroups, and moves the keys to their positions.
//
// A subgroup ranks one key of each invocation at a time: ballots, one for each bit, find the invocations with the same
// digit, and the last of these adds their number to the digit's counter.
import package::shared::ordered_word::wide;
import package::shared::radix::{
    digit, digit_of, key_at, radix, sizes, sorted_values, store_key, values, words,
};

// The size of a workgroup: at most 8 subgroups and 256 invocations.
override threads: u32 = 256u;
// Whether no subgroup has more than 32 invocations, so that a ballot is one word.
override narrow: bool = false;

const items = 14u;
const most_subgroups = 8u;

// A counter for each digit in each subgroup; afterwards the words to store, in the order of their positions. The words
// are atomic, as the invocations of a subgroup count without barriers.
var<workgroup> exchange: array<atomic<u32>, 3584>;
// For each digit, the index of its first key in the tile.
var<workgroup> starts: array<u32, 256>;
// For each digit, the position of its first key of the tile; for `move_tile`, minus the number of keys of the tile
// before this key.
var<workgroup> next: array<u32, 256>;

// The position of an invocation in its workgroup and its subgroup.
struct Lane {
    local: u32,
    // The number of subgroups, the index of this subgroup, its size, and the index of the invocation in it.
    subgroups: u32,
    subgroup: u32,
    size: u32,
    lane: u32,
}

// Replaces each count in `starts` by the sum of all counts before it.
fn add_starts(lane: Lane) {
    let each = radix / threads;
    var sum = 0u;
    for (var i = 0u; i < each; i++) {
        sum += starts[lane.local * each + i];
    }
    let inclusive = subgroupInclusiveAdd(sum);
    if lane.lane == lane.size - 1u {
        // In `exchange`, the sums of subgroups follow the counters.
        atomicStore(&exchange[most_subgroups * radix + lane.subgroup], inclusive);
    }
    workgroupBarrier();
    var before = inclusive - sum;
    for (var subgroup = 0u; subgroup < lane.subgroup; subgroup++) {
        before += atomicLoad(&exchange[most_subgroups * radix + subgroup]);
    }
    for (var i = 0u; i < each; i++) {
        let count = starts[lane.local * each + i];
        starts[lane.local * each + i] = before;
        before += count;
    }
    workgroupBarrier();
}

fn votes_of(vote: bool) -> vec4<u32> {
    let votes = subgroupBallot(vote);
    if narrow {
        return vec4(votes.x, 0u, 0u, 0u);
    }
    return votes;
}

// Returns the invocations of the subgroup with the same digit, one bit for each.
fn with_same(value: u32, everyone: vec4<u32>) -> vec4<u32> {
    var same = everyone;
    for (var bit = 0u; bit < 8u; bit++) {
        // The number is negative if the bit is set.
        let sign = bitcast<i32>(value << (31u - bit));
        same &= ~(votes_of(sign < 0) ^ vec4(bitcast<u32>(sign >> 31u)));
    }
    return same;
}

// Returns the bits of all invocations before this invocation.
fn lanes_before(lane: u32) -> vec4<u32> {
    let first = vec4(0u, 32u, 64u, 96u);
    let partial = (vec4(1u) << (vec4(lane) & vec4(31u))) - vec4(1u);
    let within = select(vec4(0u), partial, (vec4(lane) >> vec4(5u)) == (first >> vec4(5u)));
    return select(within, vec4(0xffffffffu), vec4(lane) >= first + vec4(32u));
}

fn count_of(lanes: vec4<u32>) -> u32 {
    let counts = countOneBits(lanes);
    return counts.x + counts.y + counts.z + counts.w;
}

fn last_of(lanes: vec4<u32>) -> u32 {
    if narrow {
        return firstLeadingBit(lanes.x);
    }
    let lower = select(firstLeadingBit(lanes.x), 32u + firstLeadingBit(lanes.y), lanes.y != 0u);
    let upper = select(lower, 64u + firstLeadingBit(lanes.z), lanes.z != 0u);
    return select(upper, 96u + firstLeadingBit(lanes.w), lanes.w != 0u);
}

// Returns the index of the first counter of a subgroup.
fn counters_of(subgroup: u32) -> u32 {
    return (subgroup % most_subgroups) * radix;
}

// Reads a tile of `count` keys, and ranks them. Afterwards `starts` has the number of keys with each digit, and each of
// `places` has a digit and, in the bits above, the rank among the keys of the subgroup.
fn rank_keys(
    lane: Lane,
    first: u32,
    count: u32,
    low: ptr<function, array<u32, 14>>,
    high: ptr<function, array<u32, 14>>,
    places: ptr<function, array<u32, 14>>,
) {
    for (var at = lane.local; at < most_subgroups * radix; at += threads) {
        atomicStore(&exchange[at], 0u);
    }
    workgroupBarrier();
    let own = lane.subgroup * lane.size * items + lane.lane;
    let before = lanes_before(lane.lane);
    let everyone = votes_of(true);
    let counters = counters_of(lane.subgroup);
    for (var i = 0u; i < items; i++) {
        let at = own + i * lane.size;
        // Keys beyond the end come last.
        var value = radix - 1u;
        if at < count {
            let key = key_at(first + at);
            (*low)[i] = key.x;
            (*high)[i] = key.y;
            value = digit_of(key.x, key.y, digit());
        }
        value %= radix;
        let same = with_same(value, everyone);
        let rank = count_of(same & before);
        var counted = 0u;
        let last = last_of(same);
        if lane.lane == last {
            counted = atomicAdd(&exchange[counters + value], rank + 1u);
        }
        (*places)[i] = value | ((subgroupShuffle(counted, last) + rank) << 8u);
    }
    workgroupBarrier();
    for (var value = lane.local; value < radix; value += threads) {
        var sum = 0u;
        for (var subgroup = 0u; subgroup < lane.subgroups; subgroup++) {
            sum += atomicLoad(&exchange[counters_of(subgroup) + value]);
        }
        starts[value] = sum;
    }
    workgroupBarrier();
}

// Replaces ranks by positions in the tile, and keys by keys `local + threads * i` of the sorted tile; prepares `next`.
fn exchange_keys(
    lane: Lane,
    low: ptr<function, array<u32, 14>>,
    high: ptr<function, array<u32, 14>>,
    places: ptr<function, array<u32, 14>>,
) {
    add_starts(lane);
    // Finds the position of the first key with each digit in each subgroup.
    for (var value = lane.local; value < radix; value += threads) {
        var place = starts[value];
        next[value] -= place;
        for (var subgroup = 0u; subgroup < lane.subgroups; subgroup++) {
            let at = counters_of(subgroup) + value;
            let counted = atomicLoad(&exchange[at]);
            atomicStore(&exchange[at], place);
            place += counted;
        }
    }
    workgroupBarrier();
    let counters = counters_of(lane.subgroup);
    for (var i = 0u; i < items; i++) {
        let value = (*places)[i] & 255u;
        (*places)[i] = atomicLoad(&exchange[counters + value]) + ((*places)[i] >> 8u);
    }
    workgroupBarrier();
    exchange_words(lane, *places, low);
    if wide {
        exchange_words(lane, *places, high);
    }
}

// Moves the exchanged keys, and their values: key `at` of the sorted tile to position `at + next[its digit]`.
fn move_tile(
    lane: Lane,
    first: u32,
    count: u32,
    low: array<u32, 14>,
    high: array<u32, 14>,
    places: array<u32, 14>,
) {
    var targets: array<u32, 14>;
    for (var i = 0u; i < items; i++) {
        let at = lane.local + threads * i;
        let value = digit_of(low[i], high[i], digit());
        targets[i] = next[value % radix] + at;
        if at < count && sizes.no_keys == 0u {
            store_key(vec2(low[i], high[i]), targets[i]);
        }
    }
    if words > 0u {
        move_values(lane, first, count, places, targets, 0u);
    }
    if words > 1u {
        move_values(lane, first, count, places, targets, 1u);
    }
}

// Moves each word to its position in the tile.
fn exchange_words(lane: Lane, places: array<u32, 14>, own: ptr<function, array<u32, 14>>) {
    for (var i = 0u; i < items; i++) {
        atomicStore(&exchange[places[i]], (*own)[i]);
    }
    workgroupBarrier();
    for (var i = 0u; i < items; i++) {
        (*own)[i] = atomicLoad(&exchange[lane.local + threads * i]);
    }
    workgroupBarrier();
}

// Moves one word of each value.
fn move_values(
    lane: Lane,
    first: u32,
    count: u32,
    places: array<u32, 14>,
    targets: array<u32, 14>,
    word: u32,
) {
    var own: array<u32, 14>;
    for (var i = 0u; i < items; i++) {
        let at = (lane.subgroup * items + i) * lane.size + lane.lane;
        if at < count {
            own[i] = first + at;
            if sizes.indices == 0u {
                own[i] = values[sizes.first_of_values + (first + at) * words + word];
            }
        }
    }
    exchange_words(lane, places, &own);
    for (var i = 0u; i < items; i++) {
        if lane.local + threads * i < count {
            sorted_values[sizes.first_of_sorted_values + targets[i] * words + word] = own[i];
        }
    }
}

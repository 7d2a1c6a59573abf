// The first two steps of a pass of a radix sort: counts the keys of each block by digit, and adds up the counts.
import package::shared::prefix::{exclusive_prefix, total};
import package::shared::radix::{digit_at, radix, sizes};

// For each digit, the number of its keys in each block; later the number in all blocks before this block.
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;
// For each digit, the number of its keys.
@group(0) @binding(6) var<storage, read_write> totals: array<u32>;

// Neighbouring invocations count in different copies, so that additions for equal digits do not wait for each other.
const copies = 8u;
var<workgroup> counters: array<atomic<u32>, 2048>;

@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    for (var copy = 0u; copy < copies; copy++) {
        atomicStore(&counters[copy * radix + local], 0u);
    }
    workgroupBarrier();
    let begin = min(group.x * sizes.span, sizes.length);
    let end = begin + min(sizes.span, sizes.length - begin);
    let own = local % copies;
    var at = begin + local;
    // Four keys are read at a time, so that the reads do not wait for each other.
    for (; at + 768u < end; at += 1024u) {
        let digits = vec4(digit_at(at), digit_at(at + 256u), digit_at(at + 512u), digit_at(at + 768u));
        atomicAdd(&counters[digits.x * copies + own], 1u);
        atomicAdd(&counters[digits.y * copies + own], 1u);
        atomicAdd(&counters[digits.z * copies + own], 1u);
        atomicAdd(&counters[digits.w * copies + own], 1u);
    }
    for (; at < end; at += 256u) {
        atomicAdd(&counters[digit_at(at) * copies + own], 1u);
    }
    workgroupBarrier();
    if group.x < sizes.blocks {
        var sum = 0u;
        for (var copy = 0u; copy < copies; copy++) {
            sum += atomicLoad(&counters[local * copies + copy]);
        }
        counts[local * sizes.blocks + group.x] = sum;
    }
}

// A workgroup adds up the counts of each digit.
@compute @workgroup_size(256)
fn place(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let each = (sizes.blocks + 255u) / 256u;
    let row = group.x * sizes.blocks;
    let begin = row + min(local * each, sizes.blocks);
    let end = row + min((local + 1u) * each, sizes.blocks);
    var sum = 0u;
    for (var at = begin; at < end; at++) {
        sum += counts[at];
    }
    var before = exclusive_prefix(local, sum);
    if local == 0u && group.x < radix {
        totals[group.x] = total();
    }
    for (var at = begin; at < end; at++) {
        let count = counts[at];
        counts[at] = before;
        before += count;
    }
}

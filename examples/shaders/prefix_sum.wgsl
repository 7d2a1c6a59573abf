// Prefix sums in three launches: within blocks, over the totals of the blocks, and both together.
@group(0) @binding(0) var<storage> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>; // the total of each block

const GROUP: u32 = 256;
const EACH: u32 = 4; // elements of an invocation
const BLOCK: u32 = GROUP * EACH;

var<workgroup> parts: array<u32, GROUP>;

// The sum of the parts of all invocations up to this one.
fn sum_up_to(own: u32, part: u32) -> u32 {
    parts[own] = part;
    for (var far = 1u; far < GROUP; far *= 2) {
        workgroupBarrier();
        var before = 0u;
        if own >= far {
            before = parts[own - far];
        }
        workgroupBarrier();
        parts[own] += before;
    }
    return parts[own];
}

// A workgroup for each block.
@compute @workgroup_size(GROUP)
fn sum_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) own: u32) {
    let first = group.x * BLOCK + own * EACH;
    var here: array<u32, EACH>;
    var part = 0u;
    for (var at = 0u; at < EACH; at++) {
        if first + at < arrayLength(&x) {
            part += x[first + at];
        }
        here[at] = part;
    }
    let end = sum_up_to(own, part);
    for (var at = 0u; at < EACH; at++) {
        if first + at < arrayLength(&sums) {
            sums[first + at] = end - part + here[at];
        }
    }
    if own == GROUP - 1 && group.x < arrayLength(&totals) {
        totals[group.x] = end;
    }
}

// One workgroup for all totals, which it replaces by their prefix sums.
@compute @workgroup_size(GROUP)
fn sum_totals(@builtin(local_invocation_index) own: u32) {
    var before = 0u; // the total of the earlier rounds
    for (var first = 0u; first < arrayLength(&totals); first += GROUP) {
        var total = 0u;
        if first + own < arrayLength(&totals) {
            total = totals[first + own];
        }
        let end = before + sum_up_to(own, total);
        if first + own < arrayLength(&totals) {
            totals[first + own] = end;
        }
        workgroupBarrier();
        before += parts[GROUP - 1];
        workgroupBarrier();
    }
}

// Each element gets the total of all blocks before its own.
@compute @workgroup_size(GROUP)
fn add_totals(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= BLOCK && id.x < arrayLength(&sums) {
        sums[id.x] += totals[id.x / BLOCK - 1];
    }
}

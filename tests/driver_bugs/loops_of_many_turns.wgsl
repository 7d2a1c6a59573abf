// 70000 iterations of one loop, and 300 times 300 of two nested loops.
// in: 70000 300
// right: 70000 90000
// wrong: differs
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    var turns = 0u;
    for (var n = values[0]; n > 0u; n--) {
        turns += n & 1u;
        turns += (n & 1u) ^ 1u;
    }
    result[0] = turns;
    turns = 0u;
    for (var i = 0u; i < values[1]; i++) {
        for (var j = 0u; j < values[1]; j++) {
            turns += (i ^ j) & 1u;
            turns += ((i ^ j) & 1u) ^ 1u;
        }
    }
    result[1] = turns;
}

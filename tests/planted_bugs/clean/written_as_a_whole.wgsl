struct Pair { first: u32, second: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn pair_of(i: u32) -> Pair {
    var pair: Pair;
    pair.first = i;
    for (var k = 0u; k < 3u; k++) { pair.second[k] = k; }
    return pair;
}
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var pair: Pair;
    pair = pair_of(i);
    let copy = pair;
    data[i] = copy.first + copy.second[i % 3u];
}

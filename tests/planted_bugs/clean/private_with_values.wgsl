var<private> counter: u32 = 3u;
var<private> list: array<u32, 20> = array<u32, 20>();
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn next() -> u32 {
    counter += 1u;
    list[counter] += counter;
    return counter;
}
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = next() + next() + list[i];
}

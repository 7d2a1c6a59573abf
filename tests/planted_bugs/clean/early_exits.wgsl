@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn find(i: u32) -> u32 {
    var steps: u32;
    steps = 0u;
    var n = i + 1u;
    loop {
        if n == 1u { return steps; }
        if n % 2u == 0u { n /= 2u; } else { n = 3u * n + 1u; }
        steps++;
        if steps > 200u { break; }
    }
    return 1000u;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = find(i);
}

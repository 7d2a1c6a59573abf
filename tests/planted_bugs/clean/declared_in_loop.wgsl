@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k < 4u; k++) {
        var term: u32;
        if k > i { term = k; } else { term = i; }
        var parts: array<u32, 8>;
        for (var n = 0u; n < 8u; n++) { parts[n] = n * k; }
        if term > 2u { continue; }
        sum += term + parts[(k + i) % 8u];
    }
    data[i] = sum;
}

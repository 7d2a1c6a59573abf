// The two bound components are zero, so every read, even with an index out of range, must return zero.
// in: 64*42 0 0 62*42
// bound: 64 66
// right: 0
// wrong: 1
@group(0) @binding(0) var<storage, read> values: vec2<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

fn found() -> u32 {
    var index = 2u;
    if values[index] != 0u { return 1u; }
    if values[index] != 0u { return 2u; }
    if values[index] != 0u { return 3u; }
    if values[index] != 0u { return 4u; }
    if values[index] != 0u { return 5u; }
    return 0u;
}

@compute @workgroup_size(1)
fn main() {
    result[0] = found();
}

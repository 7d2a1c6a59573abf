@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var level: u32;
    if i < 40u { level = 1u; } else if i < 50u { level = 2u; } else { level = 3u; }
    var name: u32;
    switch level {
        case 1u: { name = 10u; }
        case 2u, 3u: { name = 20u; }
        default: { name = 0u; }
    }
    data[i] = level + name;
}

// Finds a pattern in a text, four bytes per word: the number of occurrences at each of four consecutive bytes.
const LONGEST = 16u;

struct Params {
    // Length in bytes.
    text: u32,
    pattern: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> pattern: array<u32, LONGEST>;
@group(0) @binding(2) var<storage> text: array<u32>;
@group(0) @binding(3) var<storage, read_write> found: array<u32>;

fn letter(at: u32) -> u32 {
    return (text[at / 4u] >> (8u * (at % 4u))) & 0xffu;
}

@compute @workgroup_size(256)
fn search(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&found) {
        return;
    }
    var count = 0u;
    for (var byte = 0u; byte < 4u; byte++) {
        let start = id.x * 4u + byte;
        if start + params.pattern > params.text {
            break;
        }
        var same = 0u;
        while same < params.pattern && letter(start + same) == pattern[same] {
            same++;
        }
        if same == params.pattern {
            count++;
        }
    }
    found[id.x] = count;
}

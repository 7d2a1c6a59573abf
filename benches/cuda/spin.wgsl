// Runs for a given time: a number of steps of a random number generator for each word.

struct Params { rounds: u32 }

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&words) {
        return;
    }
    var word = words[id.x];
    for (var round = 0u; round < params.rounds; round++) {
        word = word * 1664525u + 1013904223u;
    }
    words[id.x] = word;
}

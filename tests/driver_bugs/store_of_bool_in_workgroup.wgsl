// The kernel sets unread elements to false; the words that follow them must not change.
// in: 0
// right: 4294967295
// wrong: 4294901760
struct Shared {
    before: array<u32, 2>,
    flags: array<bool, 3>,
    after: array<u32, 2>,
}
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
var<workgroup> shared_words: Shared;

@compute @workgroup_size(1)
fn main() {
    for (var at = 0u; at < 2u; at++) {
        shared_words.before[at] = 0xffffffffu;
        shared_words.after[at] = 0xffffffffu;
    }
    shared_words.flags[2u + values[0]] = false;
    result[0] = shared_words.after[0];
}

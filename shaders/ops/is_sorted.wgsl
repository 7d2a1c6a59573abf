// Whether no key precedes the key before it.
import package::shared::key_order::{key_in, precedes, rank, word_of_key};
import package::shared::ordered_word::wide;

struct Sizes {
    length: u32,
    first: u32,
    first_of_result: u32,
    // The number of pairs that a workgroup compares.
    span: u32,
}

@group(0) @binding(1) var<uniform> sizes: Sizes;
@group(0) @binding(2) var<storage> keys: array<u32>;
// 1 before; 0 after, unless the keys are sorted.
@group(0) @binding(3) var<storage, read_write> result: array<atomic<u32>>;

fn rank_of_key(index: u32) -> vec2<u32> {
    let at = sizes.first + index;
    let word = word_of_key(at);
    var next = 0u;
    if wide {
        next = keys[word + 1u];
    }
    return rank(key_in(keys[word], next, at));
}

@compute @workgroup_size(256)
fn is_sorted(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let last = sizes.length - 1u;
    let begin = min(group.x * sizes.span, last);
    let end = begin + min(sizes.span, last - begin);
    var falls = false;
    for (var at = begin + local; at < end; at += 256u) {
        falls = falls || precedes(rank_of_key(at + 1u), rank_of_key(at));
    }
    if falls {
        atomicStore(&result[sizes.first_of_result], 0u);
    }
}

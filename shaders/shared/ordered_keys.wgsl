// The keys of operators that read a single array of keys, and the ranks of these keys.
import package::shared::key_order::{key_in, rank, word_of_key};
import package::shared::ordered_word::wide;

@group(0) @binding(2) var<storage> keys: array<u32>;

// Returns the rank of the key at this index of the binding.
fn rank_of_key(at: u32) -> vec2<u32> {
    let word = word_of_key(at);
    var next = 0u;
    if wide {
        next = keys[word + 1u];
    }
    return rank(key_in(keys[word], next, at));
}

// Segments of equal neighbouring keys.
import package::shared::scan_keys::K;
import package::shared::scan_sizes::sizes;

@group(0) @binding(3) var<storage> heads: array<K>;

const segmented = true;

fn is_head(i: u32) -> bool {
    let at = sizes.first_of_heads + i;
    // NaN differs from every key, but on some devices `!=` is false for NaN, so this is the negation of `==`.
    return i != 0u && !(heads[at] == heads[at - min(i, 1u)]);
}

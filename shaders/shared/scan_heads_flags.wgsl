// Segments that begin where a flag is not zero.
import package::shared::scan_sizes::sizes;

@group(0) @binding(3) var<storage> heads: array<u32>;

const segmented = true;

fn is_head(i: u32) -> bool {
    return heads[sizes.first_of_heads + i] != 0u;
}

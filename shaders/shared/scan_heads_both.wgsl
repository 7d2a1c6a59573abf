// Segments that begin at a flag or at an offset.
import package::shared::scan_sizes::sizes;

@group(0) @binding(3) var<storage> heads: array<u32>;
@group(0) @binding(5) var<storage> marks: array<u32>;

const segmented = true;

fn is_head(i: u32) -> bool {
    return heads[sizes.first_of_heads + i] != 0u || ((marks[i / 32u] >> (i % 32u)) & 1u) != 0u;
}

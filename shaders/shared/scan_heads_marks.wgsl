// Segments that begin where a bit is set. The kernel `scan_marks` sets the bits of offsets.
@group(0) @binding(5) var<storage> marks: array<u32>;

const segmented = true;

fn is_head(i: u32) -> bool {
    return ((marks[i / 32u] >> (i % 32u)) & 1u) != 0u;
}

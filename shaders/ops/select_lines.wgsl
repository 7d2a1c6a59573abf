// The last pass of a selection without workgroup memory; the passes before it are `sum_parts` and `scan_sums` of
// `scan_lines`. An invocation processes one part.
import package::shared::scan_sizes::sizes;
import package::shared::select_moved::moved;

// The number of elements that are kept before each part.
@group(0) @binding(6) var<storage> part_sums: array<u32>;
@group(0) @binding(8) var<storage, read_write> count: array<u32>;

fn put_part(part: u32, before: u32) {
    let begin = min(part * sizes.chunk, sizes.length);
    let end = min(begin + sizes.chunk, sizes.length);
    let to = moved(begin, end, before);
    if part == sizes.tiles - 1u {
        count[0] = to;
    }
}

@compute @workgroup_size(256)
fn select_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.tiles {
        put_part(id.x, part_sums[id.x]);
    }
}

// Selects from all elements as one part.
@compute @workgroup_size(256)
fn select_line(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x == 0u {
        put_part(0u, 0u);
    }
}

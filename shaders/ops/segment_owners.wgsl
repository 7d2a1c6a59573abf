// Finds the segment that contains each whole chunk of elements, by binary search.
struct Sizes {
    elements: u32,
    // The number of segments, or the greatest possible number if `count` has the number.
    segments: u32,
    // The number of elements of a chunk, and the number of whole chunks.
    chunk: u32,
    chunks: u32,
    // The index of the first offset in its binding.
    first: u32,
}

const none = 0xffffffffu;

@group(0) @binding(0) var<uniform> sizes: Sizes;
// The index of the first element of each segment, and the end of the last segment.
@group(0) @binding(1) var<storage> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> owners: array<u32>;
@group(0) @binding(3) var<storage> count: array<u32>;

// Returns the segment of a chunk. Only `boundaries` offsets are valid; the last segment ends with the last element.
fn owner(chunk: u32, boundaries: u32) -> u32 {
    let begin = chunk * sizes.chunk;
    // Offsets with an index below `low` are at most `begin`; offsets from index `high` on are greater.
    var low = 0u;
    var high = boundaries;
    for (var step = 0u; step < 32u && low < high; step++) {
        let middle = low + (high - low) / 2u;
        if offsets[sizes.first + middle] <= begin {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if low == 0u || low > sizes.segments {
        return none;
    }
    var end = sizes.elements;
    if low < boundaries {
        end = min(end, offsets[sizes.first + low]);
    }
    return select(none, low - 1u, end >= begin + sizes.chunk);
}

@compute @workgroup_size(256)
fn owners_by_offsets(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.chunks {
        owners[id.x] = owner(id.x, sizes.segments + 1u);
    }
}

// Finds owners if only the starts of segments are known, and their number is on the device.
@compute @workgroup_size(256)
fn owners_by_count(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.chunks {
        owners[id.x] = owner(id.x, min(count[0], sizes.segments + 1u));
    }
}

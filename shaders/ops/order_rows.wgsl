// Finds the order of the keys of short rows by a bitonic sort of positions, each row in one workgroup.
import package::shared::key_order::precedes;
import package::shared::ordered_keys::rank_of_key;

struct Sizes {
    rows: u32,
    // The index of each array's first element in its binding.
    first_of_keys: u32,
    first_of_places: u32,
    // The number of keys of each row; 0 for rows between bounds.
    row: u32,
    // The distance between rows among the keys, and the number of positions that are written for each row.
    stride: u32,
    kept: u32,
}

@group(0) @binding(1) var<uniform> sizes: Sizes;
// The bounds of the rows; or, if `listed`, the position of each key of a row in the row.
@group(0) @binding(3) var<storage> bounds: array<u32>;
@group(0) @binding(4) var<storage, read_write> places: array<u32>;

// Whether the keys are at the positions in `bounds`.
override listed: bool = false;

const most = 1024u;
var<workgroup> row_ranks: array<vec2<u32>, 1024>;
var<workgroup> row_places: array<u32, 1024>;

@compute @workgroup_size(256)
fn order_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if group.x >= sizes.rows {
        return;
    }
    // Positions count from the beginning of the array for rows between bounds, otherwise from the beginning of the row.
    var begin = group.x * sizes.stride;
    var count = sizes.row;
    var to = group.x * sizes.kept;
    var base = 0u;
    if sizes.row == 0u {
        begin = bounds[group.x];
        count = bounds[group.x + 1u] - begin;
        to = begin;
        base = begin;
    }
    count = min(count, most);
    var size = 1u;
    for (var step = 0u; step < 10u; step++) {
        size = select(size, size * 2u, size < count);
    }
    for (var at = local; at < size; at += 256u) {
        row_places[at] = at;
        // Items beyond the end stay last, as their positions are larger.
        row_ranks[at] = vec2(0xffffffffu);
        if at < count {
            var index = at;
            if listed {
                index = bounds[group.x * sizes.row + at];
            }
            row_ranks[at] = rank_of_key(sizes.first_of_keys + begin + index);
        }
    }
    workgroupBarrier();
    for (var width = 2u; width <= size; width *= 2u) {
        for (var distance = width / 2u; distance > 0u; distance /= 2u) {
            for (var pair = local; pair < size / 2u; pair += 256u) {
                let low = (pair / distance) * distance * 2u + pair % distance;
                exchange(low, low + distance, (low & width) == 0u);
            }
            workgroupBarrier();
        }
    }
    for (var at = local; at < min(count, sizes.kept); at += 256u) {
        var index = row_places[at];
        if listed {
            index = bounds[group.x * sizes.row + index];
        }
        places[sizes.first_of_places + to + at] = base + index;
    }
}

// Sorts two items in ascending order if `upwards`, else descending. Equal keys are ordered by their positions.
fn exchange(low: u32, high: u32, upwards: bool) {
    let a = row_ranks[low];
    let b = row_ranks[high];
    let place_of_a = row_places[low];
    let place_of_b = row_places[high];
    let falls = precedes(b, a) || (!precedes(a, b) && place_of_b < place_of_a);
    if falls == upwards {
        row_ranks[low] = b;
        row_ranks[high] = a;
        row_places[low] = place_of_b;
        row_places[high] = place_of_a;
    }
}

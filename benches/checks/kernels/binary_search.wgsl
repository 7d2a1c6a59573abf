// For each wanted value, the index of the first value in an ordered array that is not less than the wanted one.
@group(0) @binding(0) var<storage> ordered: array<u32>;
@group(0) @binding(1) var<storage> wanted: array<u32>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>;

@compute @workgroup_size(128)
fn lower_bound(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&wanted) {
        return;
    }
    let value = wanted[id.x];
    var low = 0u;
    var high = arrayLength(&ordered);
    while low < high {
        let middle = low + (high - low) / 2u;
        if ordered[middle] < value {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    places[id.x] = low;
}

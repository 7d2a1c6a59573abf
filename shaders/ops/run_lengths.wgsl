// Computes the lengths of runs of equal elements from their starts, or the elements from runs.
import package::shared::scan_keys::K;

struct Runs {
    // The number of elements in all runs, the length of the output (in runs for `run_lengths`, in elements for
    // `expand_runs`), and the number of runs that are read.
    length: u32,
    capacity: u32,
    runs: u32,
    first_of_y: u32,
    first_of_values: u32,
}

@group(0) @binding(0) var<uniform> runs: Runs;
// The index of the first element of each run, and the number of runs.
@group(0) @binding(1) var<storage> starts: array<u32>;
@group(0) @binding(2) var<storage> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> lengths: array<u32>;

// Computes the lengths of runs from their starts.
@compute @workgroup_size(256)
fn run_lengths(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= min(count[0], runs.capacity) {
        return;
    }
    var end = runs.length;
    if id.x + 1u < count[0] {
        end = starts[id.x + 1u];
    }
    lengths[runs.first_of_y + id.x] = end - starts[id.x];
}

// For each run, the index one past its last element (`ends`) and its value (`values`).
@group(0) @binding(4) var<storage> ends: array<u32>;
@group(0) @binding(5) var<storage> values: array<K>;
@group(0) @binding(6) var<storage, read_write> y: array<K>;
@group(0) @binding(7) var<storage, read_write> total: array<u32>;

// Writes elements from runs: each invocation finds the run of its element by binary search.
@compute @workgroup_size(256)
fn expand_runs(@builtin(global_invocation_id) id: vec3<u32>) {
    let all = ends[runs.runs - 1u];
    if id.x == 0u {
        total[0] = all;
    }
    if id.x >= min(all, runs.capacity) {
        return;
    }
    // The run of the element is one of the runs `low` to `high`.
    var low = 0u;
    var high = runs.runs - 1u;
    while low < high {
        let middle = low + (high - low) / 2u;
        if ends[middle] > id.x {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    y[runs.first_of_y + id.x] = values[runs.first_of_values + low];
}

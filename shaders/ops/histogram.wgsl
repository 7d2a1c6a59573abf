// Counts the elements of each bin.
//
// Elements and edges are compared as keys: words whose order as integers is that of the numbers. So every device finds
// the same bin, whatever the rounding of its arithmetic.
struct Sizes {
    // The elements, and the first of them in the binding.
    count: u32,
    first: u32,
    // The bins, and the first of them in the binding.
    bins: u32,
    first_bin: u32,
    // The elements of a workgroup, and the copies of each bin in its memory: a power of two.
    chunk: u32,
    copies: u32,
    // The keys of the least and the greatest element that is counted.
    least: u32,
    greatest: u32,
    // Even bins: the bits of the lower end, and the bins per unit.
    low: u32,
    scale: f32,
}

const u32_elements = 0u;
const i32_elements = 1u;
const f32_elements = 2u;

override kind: u32 = u32_elements;
// The element itself is the number of its bin.
override plain: bool = false;
// All bins have the same width.
override even: bool = false;

const most_shared = 4096u;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<u32>;
// The key of each bin's lower edge.
@group(0) @binding(2) var<storage> edges: array<u32>;
@if(!rows)
@group(0) @binding(3) var<storage, read_write> bins: array<atomic<u32>>;
// The counts of each invocation apart from all others.
@if(rows)
@group(0) @binding(3) var<storage, read_write> bins: array<u32>;

@if(!rows)
var<workgroup> shared_bins: array<atomic<u32>, most_shared>;

fn key(element: u32) -> u32 {
    if kind == f32_elements {
        // Both zeros are equal.
        let bits = select(element, 0u, element == 0x80000000u);
        return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
    }
    return select(element, element ^ 0x80000000u, kind == i32_elements);
}

// The number of the bin; `sizes.bins` for elements outside all bins.
fn bin_of(element: u32) -> u32 {
    if plain {
        return min(element, sizes.bins);
    }
    let place = key(element);
    if place < sizes.least || place > sizes.greatest {
        return sizes.bins;
    }
    var bin = 0u;
    if even {
        // Rounding errors are below one bin.
        let above = select(f32(element - sizes.low), bitcast<f32>(element) - bitcast<f32>(sizes.low), kind == f32_elements);
        bin = min(u32(max(above * sizes.scale, 0.0)), sizes.bins - 1u);
        if place < edges[bin] {
            bin -= 1u;
        } else if bin + 1u < sizes.bins && place >= edges[bin + 1u] {
            bin += 1u;
        }
    } else {
        var end = sizes.bins;
        for (var step = 0u; step < 32u && end - bin > 1u; step++) {
            let middle = bin + (end - bin) / 2u;
            if place < edges[middle] {
                end = middle;
            } else {
                bin = middle;
            }
        }
    }
    return bin;
}

@if(!rows)
fn count_shared(bin: u32, copy: u32) {
    if bin < sizes.bins {
        atomicAdd(&shared_bins[bin * sizes.copies + copy], 1u);
    }
}

// Counts in workgroup memory first, where several copies of few bins keep invocations from waiting for each other.
@if(!rows)
@compute @workgroup_size(256)
fn by_workgroups(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    for (var at = local; at < most_shared; at += 256u) {
        atomicStore(&shared_bins[at], 0u);
    }
    workgroupBarrier();
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.count);
    let copy = local & (sizes.copies - 1u);
    var at = begin + local;
    // Four loads are on their way at a time.
    for (; at + 768u < end; at += 1024u) {
        let place = sizes.first + at;
        let four = vec4(x[place], x[place + 256u], x[place + 512u], x[place + 768u]);
        count_shared(bin_of(four.x), copy);
        count_shared(bin_of(four.y), copy);
        count_shared(bin_of(four.z), copy);
        count_shared(bin_of(four.w), copy);
    }
    for (; at < end; at += 256u) {
        count_shared(bin_of(x[sizes.first + at]), copy);
    }
    workgroupBarrier();
    for (var bin = local; bin < sizes.bins; bin += 256u) {
        var sum = 0u;
        for (var at = 0u; at < sizes.copies; at++) {
            sum += atomicLoad(&shared_bins[bin * sizes.copies + at]);
        }
        if sum > 0u {
            atomicAdd(&bins[sizes.first_bin + bin], sum);
        }
    }
}

// Counts in the result, for more bins than a workgroup has memory for.
@if(!rows)
@compute @workgroup_size(256)
fn by_elements(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.count {
        let bin = bin_of(x[sizes.first + id.x]);
        if bin < sizes.bins {
            atomicAdd(&bins[sizes.first_bin + bin], 1u);
        }
    }
}

// Counts without atomics and barriers, which are slow on the CPU: the eight invocations that it runs together read
// neighbouring elements.
@if(rows)
@compute @workgroup_size(8)
fn by_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = (group.x * 8u + local) * sizes.bins;
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.count);
    for (var at = begin + local; at < end; at += 8u) {
        let bin = bin_of(x[sizes.first + at]);
        if bin < sizes.bins {
            bins[row + bin] += 1u;
        }
    }
}

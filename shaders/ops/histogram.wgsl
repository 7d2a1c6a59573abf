// Counts the elements of each bin, or sums their weights.
//
// Elements and edges are compared as keys: words whose order as integers is the order of the numbers. So every device
// finds the same bin, whatever the rounding of its arithmetic.
struct Sizes {
    // The number of elements, and the index of the first element in the binding.
    count: u32,
    first: u32,
    // The number of bins that elements can be in, and the index of the first counter in the binding.
    bins: u32,
    first_bin: u32,
    // The number of elements or vectors of a workgroup, and of copies of each counter in its memory: a power of two.
    chunk: u32,
    copies: u32,
    // The keys of the least and the greatest element that is counted.
    least: u32,
    greatest: u32,
    // For even bins: the bits of the lower end of all bins, and the number of bins per unit.
    low: u32,
    scale: f32,
    // The distance from an edge, in bins, within which rounding could change the bin.
    margin: f32,
    // The number of counters of each channel, and of all channels together.
    stride: u32,
    counters: u32,
    // The index of the first weight in its binding, and of the first element in the binding of `tail`.
    first_weight: u32,
    first_of_tail: u32,
    // The bit of a 64-bit sum at which the highest bit of the greatest weight is.
    top: u32,
}

const u32_elements = 0u;
const i32_elements = 1u;
const f32_elements = 2u;

override kind: u32 = u32_elements;
// Whether each element itself is the number of its bin.
override plain: bool = false;
// Whether all bins have the same width.
override even: bool = false;
// The number of interleaved channels: element i belongs to channel i % channels.
override channels: u32 = 1u;
// Whether an invocation adds up neighbouring elements of the same counter before it counts them.
override runs: bool = false;
// Whether invocations count directly in the result, as a workgroup has no memory for so many bins.
override direct: bool = false;

// Operations: sums of ones or of integer weights; the greatest absolute f32 weights; 64-bit sums of f32 weights.
const adds = 0u;
const greatest_weights = 1u;
const fixed_sums = 2u;

override operation: u32 = adds;

const most_shared = 4096u;
const no_counter = 0xffffffffu;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@if(vectors && !rows)
@group(0) @binding(1) var<storage> x: array<vec4<u32>>;
@else
@group(0) @binding(1) var<storage> x: array<u32>;
// The key of each bin's lower edge.
@group(0) @binding(2) var<storage> edges: array<u32>;
@if(!rows)
@group(0) @binding(3) var<storage, read_write> bins: array<atomic<u32>>;
// Each invocation has counters of its own.
@if(rows)
@group(0) @binding(3) var<storage, read_write> bins: array<u32>;
// The elements once more, as single words, for the elements after the last vector.
@if(vectors)
@group(0) @binding(4) var<storage> tail: array<u32>;
@if(weighted)
@group(0) @binding(5) var<storage> weights: array<u32>;

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

// Returns the number of an element's bin; `sizes.bins` for elements outside all bins.
fn bin_of(element: u32) -> u32 {
    if plain {
        return min(element, sizes.bins);
    }
    var bin = 0u;
    if even {
        // The rounding errors of this position are below one bin.
        let above = select(f32(element - sizes.low), bitcast<f32>(element) - bitcast<f32>(sizes.low), kind == f32_elements);
        let exact = above * sizes.scale;
        bin = u32(clamp(exact, 0.0, 4294967040.0));
        // Only elements near an edge have to be compared with the edge. The bits of positive numbers have the order of
        // the numbers, and the bits of negative numbers and of NaN are above these.
        let rest = bitcast<u32>(exact - f32(bin));
        let least = bitcast<u32>(sizes.margin);
        if bin < sizes.bins && rest - least <= bitcast<u32>(1.0 - sizes.margin) - least {
            return bin;
        }
        bin = min(bin, sizes.bins - 1u);
    }
    let place = key(element);
    if place < sizes.least || place > sizes.greatest {
        return sizes.bins;
    }
    if even {
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

// Returns the counter of an element of a channel; `no_counter` for elements outside all bins.
fn counter_of(element: u32, channel: u32) -> u32 {
    let bin = bin_of(element);
    return select(no_counter, channel * sizes.stride + bin, bin < sizes.bins);
}

// Returns an f32 weight as a multiple of a power of two that suits the greatest weight of its bin: low word, high word.
// If the bin has infinities or NaN, both words count positive and negative infinities.
@if(weighted)
fn fixed(weight: u32, greatest: u32) -> vec2<u32> {
    if greatest >= 0x7f800000u {
        return vec2(u32(weight == 0x7f800000u), u32(weight == 0xff800000u));
    }
    let size = weight & 0x7fffffffu;
    let mantissa = (size & 0x7fffffu) | select(0u, 0x800000u, size >= 0x800000u);
    let down = max(greatest >> 23u, 1u) - max(size >> 23u, 1u);
    let up = sizes.top - 23u;
    var number = vec2(0u);
    if down <= up {
        let shift = up - down;
        let high = select(mantissa >> 1u >> (31u - (shift & 31u)), mantissa << (shift & 31u), shift >= 32u);
        number = vec2(select(mantissa << (shift & 31u), 0u, shift >= 32u), high);
    } else if down - up <= 24u {
        number.x = ((mantissa >> (down - up - 1u)) + 1u) >> 1u;
    }
    if weight >= 0x80000000u {
        number = vec2(0u - number.x, ~number.y + u32(number.x == 0u));
    }
    return number;
}

@if(!rows)
fn add_shared(at: u32, amount: vec2<u32>) {
    if operation == fixed_sums {
        let before = atomicAdd(&shared_bins[2u * at], amount.x);
        let high = amount.y + u32(before > ~amount.x);
        if high != 0u {
            atomicAdd(&shared_bins[2u * at + 1u], high);
        }
    } else if operation == greatest_weights {
        // Most weights are not greater than the counter, and plain loads do not wait for each other.
        if amount.x > atomicLoad(&shared_bins[at]) {
            atomicMax(&shared_bins[at], amount.x);
        }
    } else {
        atomicAdd(&shared_bins[at], amount.x);
    }
}

// Adds to a counter of the result. 64-bit sums follow the greatest weights in memory.
@if(!rows)
fn add_to_result(counter: u32, amount: vec2<u32>) {
    if operation == fixed_sums {
        let at = sizes.counters + 2u * counter;
        let before = atomicAdd(&bins[at], amount.x);
        let high = amount.y + u32(before > ~amount.x);
        if high != 0u {
            atomicAdd(&bins[at + 1u], high);
        }
    } else if operation == greatest_weights {
        if amount.x > atomicLoad(&bins[sizes.first_bin + counter]) {
            atomicMax(&bins[sizes.first_bin + counter], amount.x);
        }
    } else {
        atomicAdd(&bins[sizes.first_bin + counter], amount.x);
    }
}

@if(!rows)
fn add(counter: u32, copy: u32, amount: vec2<u32>) {
    if counter == no_counter {
        return;
    }
    if direct {
        add_to_result(counter, amount);
    } else {
        add_shared(counter * sizes.copies + copy, amount);
    }
}

// The counter of the last elements of this invocation, and the sum of these elements.
@if(!rows)
var<private> run_counter: u32;
@if(!rows)
var<private> run_sum: vec2<u32>;

@if(!rows)
fn count(counter: u32, copy: u32, amount: vec2<u32>) {
    if runs {
        if counter == run_counter {
            run_sum = joined(run_sum, amount);
        } else {
            add(run_counter, copy, run_sum);
            run_counter = counter;
            run_sum = amount;
        }
    } else {
        add(counter, copy, amount);
    }
}

@if(!rows)
fn greatest_of(counter: u32) -> u32 {
    return atomicLoad(&bins[sizes.first_bin + counter]);
}

// With `rows`, there are no f32 weights, so this value is not used.
@else
fn greatest_of(counter: u32) -> u32 {
    return 0u;
}

// Returns the amount that element `at` contributes to its counter.
@if(weighted)
fn amount_of(at: u32, counter: u32) -> vec2<u32> {
    let weight = weights[sizes.first_weight + at];
    if operation == fixed_sums {
        if counter == no_counter {
            return vec2(0u);
        }
        return fixed(weight, greatest_of(counter));
    }
    return vec2(select(weight, weight & 0x7fffffffu, operation == greatest_weights), 0u);
}

@else
fn amount_of(at: u32, counter: u32) -> vec2<u32> {
    return vec2(1u, 0u);
}

@if(!rows)
fn count_element(at: u32, element: u32, copy: u32) {
    let counter = counter_of(element, at % channels);
    count(counter, copy, amount_of(at, counter));
}

// Counts the elements of a workgroup. Each invocation has four loads in flight at a time.
@if(!rows && vectors)
fn count_all(group: u32, local: u32, copy: u32) {
    let cells = sizes.count / 4u;
    let begin = group * sizes.chunk;
    let end = min(begin + sizes.chunk, cells);
    var at = begin + local;
    for (; at + 768u < end; at += 1024u) {
        let place = sizes.first + at;
        let a = x[place];
        let b = x[place + 256u];
        let c = x[place + 512u];
        let d = x[place + 768u];
        count_vector(at, a, copy);
        count_vector(at + 256u, b, copy);
        count_vector(at + 512u, c, copy);
        count_vector(at + 768u, d, copy);
    }
    for (; at < end; at += 256u) {
        count_vector(at, x[sizes.first + at], copy);
    }
    if group == 0u && local < sizes.count % 4u {
        let last = 4u * cells + local;
        count_element(last, tail[sizes.first_of_tail + last], copy);
    }
}

@if(!rows && vectors)
fn count_vector(cell: u32, four: vec4<u32>, copy: u32) {
    let at = 4u * cell;
    count_element(at, four.x, copy);
    count_element(at + 1u, four.y, copy);
    count_element(at + 2u, four.z, copy);
    count_element(at + 3u, four.w, copy);
}

@if(!rows && !vectors)
fn count_all(group: u32, local: u32, copy: u32) {
    let begin = group * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.count);
    var at = begin + local;
    for (; at + 768u < end; at += 1024u) {
        let place = sizes.first + at;
        let four = vec4(x[place], x[place + 256u], x[place + 512u], x[place + 768u]);
        count_element(at, four.x, copy);
        count_element(at + 256u, four.y, copy);
        count_element(at + 512u, four.z, copy);
        count_element(at + 768u, four.w, copy);
    }
    for (; at < end; at += 256u) {
        count_element(at, x[sizes.first + at], copy);
    }
}

// Counts in workgroup memory first. Several copies of a counter keep invocations from waiting for each other.
@if(!rows)
@compute @workgroup_size(256)
fn by_workgroups(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if !direct {
        for (var at = local; at < most_shared; at += 256u) {
            atomicStore(&shared_bins[at], 0u);
        }
        workgroupBarrier();
    }
    run_counter = no_counter;
    run_sum = vec2(0u);
    let copy = local & (sizes.copies - 1u);
    count_all(group.x, local, copy);
    if runs {
        add(run_counter, copy, run_sum);
    }
    if !direct {
        workgroupBarrier();
        for (var counter = local; counter < sizes.counters; counter += 256u) {
            var sum = vec2(0u);
            // Neighbouring invocations begin with different copies, which are in different banks of the memory.
            for (var at = 0u; at < sizes.copies; at++) {
                sum = combined(sum, counter * sizes.copies + ((at + local) & (sizes.copies - 1u)));
            }
            if any(sum != vec2(0u)) {
                add_to_result(counter, sum);
            }
        }
    }
}

// Returns a sum combined with one copy of a counter.
@if(!rows)
fn combined(sum: vec2<u32>, place: u32) -> vec2<u32> {
    if operation == fixed_sums {
        return joined(sum, vec2(atomicLoad(&shared_bins[2u * place]), atomicLoad(&shared_bins[2u * place + 1u])));
    }
    return joined(sum, vec2(atomicLoad(&shared_bins[place]), 0u));
}

// Returns the result of the operation for the elements of `a` and `b` together.
@if(!rows)
fn joined(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if operation == fixed_sums {
        return vec2(a.x + b.x, a.y + b.y + u32(b.x > ~a.x));
    }
    return vec2(select(a.x + b.x, max(a.x, b.x), operation == greatest_weights), 0u);
}

// Counts without atomics and barriers, which are slow on the CPU: a workgroup is one invocation with counters of its
// own, so that its code has no vectors, whose stores to counters would be done one by one.
@if(rows)
@compute @workgroup_size(1)
fn by_rows(@builtin(workgroup_id) group: vec3<u32>) {
    let row = group.x * sizes.counters;
    let begin = group.x * sizes.chunk;
    let end = min(begin + sizes.chunk, sizes.count);
    // The loop counts places in the binding, and places of counters are compared with their number, so that no access
    // needs a check.
    let stop = min(sizes.first + end, arrayLength(&x));
    for (var place = sizes.first + begin; place < stop; place++) {
        let at = place - sizes.first;
        let counter = counter_of(x[place], at % channels);
        let to = row + counter;
        if counter != no_counter && to < arrayLength(&bins) {
            bins[to] += amount_of(at, counter).x;
        }
    }
}

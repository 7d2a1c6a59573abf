// One pass of a Fourier transform: transforms of up to `capacity` numbers, by several passes of small transforms in
// workgroup memory (Stockham's order: results need no permutation).
//
// A workgroup transforms several neighbouring lines, so that it reads and writes whole sectors of memory.
import package::shared::complex::{Complex, Real, times};
import package::shared::fourier::{
    transform_2, transform_3, transform_4, transform_5, transform_7, transform_8, transform_11, transform_13,
    transform_16,
};
import package::shared::fourier_roots::root;

// The numbers in each half of the workgroup memory.
@if(!doubles && large)
const capacity = 2048u;
@if((doubles && large) || !(doubles || large))
const capacity = 1024u;
@if(doubles && !large)
const capacity = 512u;
const threads = 128u;

struct Sizes {
    // Multiplied with each result.
    scale: Real,
    // The number of lines in all, and in a workgroup; the length of a line.
    count: u32,
    lines: u32,
    length: u32,
    // The distance between the inputs of a line, and between its results.
    distance: u32,
    span: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // The exponent of the root for the second input of the second line.
    step: u32,
    // Whether neighbouring invocations read, and write, neighbouring lines; otherwise neighbours in a line.
    reads_lines: u32,
    writes_lines: u32,
    // Whether real and imaginary parts are exchanged when inputs are read, and when results are written.
    swap_inputs: u32,
    swap_results: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
    first_of_line_roots: u32,
    // The number of small transforms that a number takes part in, and their lengths: four bits each, 0 for 16.
    passes: u32,
    radices: u32,
}

// Whether inputs are multiplied by roots, which they are in all but the first pass along an axis.
override rooted: bool = false;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Complex>;
@group(0) @binding(2) var<storage, read_write> y: array<Complex>;
// The roots of 1 of the length of a line.
@group(0) @binding(5) var<storage> line_roots: array<Complex>;

// The numbers between passes: each pass reads one half and writes the other.
var<workgroup> tile: array<Complex, 2u * capacity>;

// The place of a number in its half: neighbours, neighbouring lines and every 16th number are in different banks.
fn slot(at: u32) -> u32 {
    return at ^ (((at >> 4u) ^ (at >> 8u)) & 15u);
}

// The place of a small transform: its line in the workgroup, and its number in the line.
struct Spot {
    line: u32,
    number: u32,
}

fn spot_of(index: u32, each: u32, by_line: bool) -> Spot {
    if by_line {
        let number = index / sizes.lines;
        return Spot(index - number * sizes.lines, number);
    }
    let line = index / each;
    return Spot(line, index - line * each);
}

@compute @workgroup_size(threads)
fn fft_lines(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let begin = group.x * sizes.lines;
    var before = 1u;
    for (var pass_ = 0u; pass_ < sizes.passes; pass_++) {
        let code = extractBits(sizes.radices, 4u * pass_, 4u);
        let radix = select(code, 16u, code == 0u);
        let is_first = pass_ == 0u;
        let is_last = pass_ + 1u == sizes.passes;
        let by_line = select(sizes.writes_lines, sizes.reads_lines, is_first) != 0u;
        let each = sizes.length / radix;
        let half = (pass_ % 2u) * capacity;
        let other = capacity - half;
        for (var index = thread; index < each * sizes.lines; index += threads) {
            let spot = spot_of(index, each, by_line);
            let line = begin + spot.line;
            if line >= sizes.count {
                continue;
            }
            var v: array<Complex, 16>;
            let part = line / sizes.distance;
            let within = line - part * sizes.distance;
            let block = within / sizes.span;
            let place = within - block * sizes.span;
            let start = part * sizes.distance * sizes.length;
            // The number of the small transform is that of its first input; its results are `before` apart.
            let inner_block = spot.number / before;
            let inner_place = spot.number - inner_block * before;
            if is_first {
                let first = sizes.first_of_x + start + within + spot.number * sizes.distance;
                for (var r = 0u; r < 16u; r++) {
                    if r < radix {
                        v[r] = x[first + r * each * sizes.distance];
                    }
                }
                if sizes.swap_inputs != 0u {
                    for (var r = 0u; r < 16u; r++) {
                        v[r] = v[r].yx;
                    }
                }
            } else {
                for (var r = 0u; r < 16u; r++) {
                    if r < radix {
                        v[r] = tile[half + slot(spot.line * sizes.length + spot.number + r * each)];
                    }
                }
            }
            if rooted || !is_first {
                var powers: array<Complex, 16>;
                if is_first {
                    let exponent = place / sizes.inner * sizes.step;
                    powers[1] = root(exponent * each);
                    let shared_root = root(exponent * spot.number);
                    for (var r = 0u; r < 16u; r++) {
                        if r < radix {
                            v[r] = times(v[r], shared_root);
                        }
                    }
                } else {
                    powers[1] = line_roots[sizes.first_of_line_roots + inner_place * (each / before)];
                }
                v[1] = times(v[1], powers[1]);
                for (var r = 2u; r < 16u; r++) {
                    if r < radix {
                        powers[r] = times(powers[r / 2u], powers[(r + 1u) / 2u]);
                        v[r] = times(v[r], powers[r]);
                    }
                }
            }
            switch radix {
                case 2u: {
                    let results = transform_2(v[0], v[1]);
                    v[0] = results[0];
                    v[1] = results[1];
                }
                case 3u: {
                    let results = transform_3(v[0], v[1], v[2]);
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                }
                case 4u: {
                    let results = transform_4(v[0], v[1], v[2], v[3]);
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                }
                case 5u: {
                    let results = transform_5(v[0], v[1], v[2], v[3], v[4]);
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                    v[4] = results[4];
                }
                case 7u: {
                    let results = transform_7(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                    v[4] = results[4];
                    v[5] = results[5];
                    v[6] = results[6];
                }
                case 8u: {
                    let results = transform_8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                    v[4] = results[4];
                    v[5] = results[5];
                    v[6] = results[6];
                    v[7] = results[7];
                }
                case 11u: {
                    let results = transform_11(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]);
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                    v[4] = results[4];
                    v[5] = results[5];
                    v[6] = results[6];
                    v[7] = results[7];
                    v[8] = results[8];
                    v[9] = results[9];
                    v[10] = results[10];
                }
                case 13u: {
                    let results = transform_13(
                        v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7],
                        v[8], v[9], v[10], v[11], v[12],
                    );
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                    v[4] = results[4];
                    v[5] = results[5];
                    v[6] = results[6];
                    v[7] = results[7];
                    v[8] = results[8];
                    v[9] = results[9];
                    v[10] = results[10];
                    v[11] = results[11];
                    v[12] = results[12];
                }
                default: {
                    let results = transform_16(
                        v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7],
                        v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15],
                    );
                    v[0] = results[0];
                    v[1] = results[1];
                    v[2] = results[2];
                    v[3] = results[3];
                    v[4] = results[4];
                    v[5] = results[5];
                    v[6] = results[6];
                    v[7] = results[7];
                    v[8] = results[8];
                    v[9] = results[9];
                    v[10] = results[10];
                    v[11] = results[11];
                    v[12] = results[12];
                    v[13] = results[13];
                    v[14] = results[14];
                    v[15] = results[15];
                }
            }
            let result = inner_block * before * radix + inner_place;
            if is_last {
                if sizes.swap_results != 0u {
                    for (var r = 0u; r < 16u; r++) {
                        v[r] = v[r].yx;
                    }
                }
                let first = sizes.first_of_y + start + block * sizes.span * sizes.length + place + result * sizes.span;
                for (var r = 0u; r < 16u; r++) {
                    if r < radix {
                        y[first + r * before * sizes.span] = v[r] * sizes.scale;
                    }
                }
            } else {
                for (var r = 0u; r < 16u; r++) {
                    if r < radix {
                        tile[other + slot(spot.line * sizes.length + result + r * before)] = v[r];
                    }
                }
            }
        }
        before *= radix;
        workgroupBarrier();
    }
}

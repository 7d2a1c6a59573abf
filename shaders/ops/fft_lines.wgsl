// One pass of a Fourier transform: transforms of up to `capacity` numbers, by several passes of small transforms in
// workgroup memory (Stockham's order: results need no permutation).
//
// A workgroup transforms several neighbouring lines, so that it reads and writes whole sectors of memory.
import package::shared::complex::{Complex, Real, times};
import package::shared::complex_storage::{Source, Target, narrowed, widened};
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
    // The number of lines in all.
    count: u32,
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
}

// The length of a line, the number of small transforms that a number takes part in, and their lengths: four bits each, 0
// for 16. As constants, they leave nothing of the other small transforms, and make divisions by them cheap.
override length: u32 = 16;
override passes: u32 = 1;
override radices: u32 = 0;

// Whether inputs are multiplied by roots, which they are in all but the first pass along an axis.
override rooted: bool = false;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Source>;
@group(0) @binding(2) var<storage, read_write> y: array<Target>;
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
        let lines = capacity / length;
        let number = index / lines;
        return Spot(index - number * lines, number);
    }
    let line = index / each;
    return Spot(line, index - line * each);
}

// Returns a number from x or from the tile.
fn input(from_x: bool, half: u32, at: u32) -> Complex {
    if !from_x {
        return tile[half + slot(at)];
    }
    let number = widened(x[at]);
    return select(number, number.yx, sizes.swap_inputs != 0u);
}

// Writes a number to y or to the tile.
fn output(to_y: bool, half: u32, at: u32, number: Complex) {
    if to_y {
        y[at] = narrowed(select(number, number.yx, sizes.swap_results != 0u) * sizes.scale);
    } else {
        tile[half + slot(at)] = number;
    }
}

// The length of the small transforms of a pass.
fn radix_of(number: u32) -> u32 {
    let code = (radices >> (4u * number)) & 15u;
    return select(code, 16u, code == 0u);
}

// One pass of small transforms; the product of the lengths in earlier passes is `before`.
//
// The numbers of a small transform are variables, not an array: drivers keep variables in registers.
fn small_transforms(group: u32, thread: u32, number_of_pass: u32, before: u32) {
    let radix = radix_of(number_of_pass);
    let is_first = number_of_pass == 0u;
    let is_last = number_of_pass + 1u == passes;
    let by_line = select(sizes.writes_lines, sizes.reads_lines, is_first) != 0u;
    let begin = group * (capacity / length);
    let each = length / radix;
    let half = (number_of_pass % 2u) * capacity;
    for (var index = thread; index < each * (capacity / length); index += threads) {
        let spot = spot_of(index, each, by_line);
        let line = begin + spot.line;
        if line >= sizes.count {
            continue;
        }
        let part = line / sizes.distance;
        let within = line - part * sizes.distance;
        let block = within / sizes.span;
        let place = within - block * sizes.span;
        let start = part * sizes.distance * length;
        // The number of the small transform is that of its first input; its results are `before` apart.
        let inner_block = spot.number / before;
        let inner_place = spot.number - inner_block * before;
        var source = spot.line * length + spot.number;
        var gap = each;
        if is_first {
            source = sizes.first_of_x + start + within + spot.number * sizes.distance;
            gap = each * sizes.distance;
        }

        var v0 = input(is_first, half, source);
        var v1 = input(is_first, half, source + gap);
        var v2 = Complex();
        var v3 = Complex();
        var v4 = Complex();
        var v5 = Complex();
        var v6 = Complex();
        var v7 = Complex();
        var v8 = Complex();
        var v9 = Complex();
        var v10 = Complex();
        var v11 = Complex();
        var v12 = Complex();
        var v13 = Complex();
        var v14 = Complex();
        var v15 = Complex();
        if radix >= 3u {
            v2 = input(is_first, half, source + 2u * gap);
        }
        if radix >= 4u {
            v3 = input(is_first, half, source + 3u * gap);
        }
        if radix >= 5u {
            v4 = input(is_first, half, source + 4u * gap);
        }
        if radix >= 7u {
            v5 = input(is_first, half, source + 5u * gap);
            v6 = input(is_first, half, source + 6u * gap);
        }
        if radix >= 8u {
            v7 = input(is_first, half, source + 7u * gap);
        }
        if radix >= 11u {
            v8 = input(is_first, half, source + 8u * gap);
            v9 = input(is_first, half, source + 9u * gap);
            v10 = input(is_first, half, source + 10u * gap);
        }
        if radix >= 13u {
            v11 = input(is_first, half, source + 11u * gap);
            v12 = input(is_first, half, source + 12u * gap);
        }
        if radix >= 16u {
            v13 = input(is_first, half, source + 13u * gap);
            v14 = input(is_first, half, source + 14u * gap);
            v15 = input(is_first, half, source + 15u * gap);
        }
        if rooted && is_first {
            let exponent = place / sizes.inner * sizes.step;
            let shared_root = root(exponent * spot.number);
            v0 = times(v0, shared_root);
            v1 = times(v1, shared_root);
            v2 = times(v2, shared_root);
            v3 = times(v3, shared_root);
            v4 = times(v4, shared_root);
            v5 = times(v5, shared_root);
            v6 = times(v6, shared_root);
            v7 = times(v7, shared_root);
            v8 = times(v8, shared_root);
            v9 = times(v9, shared_root);
            v10 = times(v10, shared_root);
            v11 = times(v11, shared_root);
            v12 = times(v12, shared_root);
            v13 = times(v13, shared_root);
            v14 = times(v14, shared_root);
            v15 = times(v15, shared_root);
        }
        if rooted || !is_first {
            var w1 = Complex();
            if is_first {
                w1 = root(place / sizes.inner * sizes.step * each);
            } else {
                w1 = line_roots[sizes.first_of_line_roots + inner_place * (each / before)];
            }
            v1 = times(v1, w1);
            if radix >= 3u {
                let w2 = times(w1, w1);
                v2 = times(v2, w2);
                if radix >= 4u {
                    let w3 = times(w1, w2);
                    v3 = times(v3, w3);
                    if radix >= 5u {
                        let w4 = times(w2, w2);
                        v4 = times(v4, w4);
                        if radix >= 7u {
                            let w5 = times(w2, w3);
                            v5 = times(v5, w5);
                            let w6 = times(w3, w3);
                            v6 = times(v6, w6);
                            if radix >= 8u {
                                let w7 = times(w3, w4);
                                v7 = times(v7, w7);
                                if radix >= 11u {
                                    let w8 = times(w4, w4);
                                    v8 = times(v8, w8);
                                    let w9 = times(w4, w5);
                                    v9 = times(v9, w9);
                                    let w10 = times(w5, w5);
                                    v10 = times(v10, w10);
                                    if radix >= 13u {
                                        let w11 = times(w5, w6);
                                        v11 = times(v11, w11);
                                        let w12 = times(w6, w6);
                                        v12 = times(v12, w12);
                                        if radix >= 16u {
                                            let w13 = times(w6, w7);
                                            v13 = times(v13, w13);
                                            let w14 = times(w7, w7);
                                            v14 = times(v14, w14);
                                            let w15 = times(w7, w8);
                                            v15 = times(v15, w15);
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        switch radix {
            case 2u: {
                let results = transform_2(v0, v1);
                v0 = results[0];
                v1 = results[1];
            }
            case 3u: {
                let results = transform_3(v0, v1, v2);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
            }
            case 4u: {
                let results = transform_4(v0, v1, v2, v3);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
            }
            case 5u: {
                let results = transform_5(v0, v1, v2, v3, v4);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
                v4 = results[4];
            }
            case 7u: {
                let results = transform_7(v0, v1, v2, v3, v4, v5, v6);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
                v4 = results[4];
                v5 = results[5];
                v6 = results[6];
            }
            case 8u: {
                let results = transform_8(v0, v1, v2, v3, v4, v5, v6, v7);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
                v4 = results[4];
                v5 = results[5];
                v6 = results[6];
                v7 = results[7];
            }
            case 11u: {
                let results = transform_11(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
                v4 = results[4];
                v5 = results[5];
                v6 = results[6];
                v7 = results[7];
                v8 = results[8];
                v9 = results[9];
                v10 = results[10];
            }
            case 13u: {
                let results = transform_13(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
                v4 = results[4];
                v5 = results[5];
                v6 = results[6];
                v7 = results[7];
                v8 = results[8];
                v9 = results[9];
                v10 = results[10];
                v11 = results[11];
                v12 = results[12];
            }
            default: {
                let results = transform_16(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15);
                v0 = results[0];
                v1 = results[1];
                v2 = results[2];
                v3 = results[3];
                v4 = results[4];
                v5 = results[5];
                v6 = results[6];
                v7 = results[7];
                v8 = results[8];
                v9 = results[9];
                v10 = results[10];
                v11 = results[11];
                v12 = results[12];
                v13 = results[13];
                v14 = results[14];
                v15 = results[15];
            }
        }
        let result = inner_block * before * radix + inner_place;
        var place_of_result = spot.line * length + result;
        var step = before;
        if is_last {
            place_of_result = sizes.first_of_y + start + block * sizes.span * length + place + result * sizes.span;
            step = before * sizes.span;
        }
        let other = capacity - half;
        output(is_last, other, place_of_result, v0);
        output(is_last, other, place_of_result + step, v1);
        if radix >= 3u {
            output(is_last, other, place_of_result + 2u * step, v2);
        }
        if radix >= 4u {
            output(is_last, other, place_of_result + 3u * step, v3);
        }
        if radix >= 5u {
            output(is_last, other, place_of_result + 4u * step, v4);
        }
        if radix >= 7u {
            output(is_last, other, place_of_result + 5u * step, v5);
            output(is_last, other, place_of_result + 6u * step, v6);
        }
        if radix >= 8u {
            output(is_last, other, place_of_result + 7u * step, v7);
        }
        if radix >= 11u {
            output(is_last, other, place_of_result + 8u * step, v8);
            output(is_last, other, place_of_result + 9u * step, v9);
            output(is_last, other, place_of_result + 10u * step, v10);
        }
        if radix >= 13u {
            output(is_last, other, place_of_result + 11u * step, v11);
            output(is_last, other, place_of_result + 12u * step, v12);
        }
        if radix >= 16u {
            output(is_last, other, place_of_result + 13u * step, v13);
            output(is_last, other, place_of_result + 14u * step, v14);
            output(is_last, other, place_of_result + 15u * step, v15);
        }
    }
}

@compute @workgroup_size(threads)
fn fft_lines(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    small_transforms(group.x, thread, 0u, 1u);
    let before_1 = radix_of(0u);
    if passes > 1u {
        workgroupBarrier();
        small_transforms(group.x, thread, 1u, before_1);
    }
    let before_2 = before_1 * radix_of(1u);
    if passes > 2u {
        workgroupBarrier();
        small_transforms(group.x, thread, 2u, before_2);
    }
    let before_3 = before_2 * radix_of(2u);
    if passes > 3u {
        workgroupBarrier();
        small_transforms(group.x, thread, 3u, before_3);
    }
    let before_4 = before_3 * radix_of(3u);
    if passes > 4u {
        workgroupBarrier();
        small_transforms(group.x, thread, 4u, before_4);
    }
    let before_5 = before_4 * radix_of(4u);
    if passes > 5u {
        workgroupBarrier();
        small_transforms(group.x, thread, 5u, before_5);
    }
    let before_6 = before_5 * radix_of(5u);
    if passes > 6u {
        workgroupBarrier();
        small_transforms(group.x, thread, 6u, before_6);
    }
    let before_7 = before_6 * radix_of(6u);
    if passes > 7u {
        workgroupBarrier();
        small_transforms(group.x, thread, 7u, before_7);
    }
}

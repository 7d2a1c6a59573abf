// One pass of a Fourier transform on processors: transforms of a few numbers, as in fft_pass.wgsl, of which the eight
// invocations of a workgroup compute neighbours. Numbers and roots of neighbours are next to each other, and all else is the
// same for the eight, so that reads and writes are those of vectors.
import package::shared::complex::{Complex, Real, times};
import package::shared::complex_storage::{Source, Target, narrowed, widened};
import package::shared::fourier::{
    transform_2, transform_3, transform_4, transform_5, transform_7, transform_8, transform_11, transform_13,
    transform_16,
};
import package::shared::fourier_roots::{levels, root, roots, table};

struct Sizes {
    // Multiplied with each result.
    scale: Real,
    // The number of groups of up to eight small transforms, those in a block, and the blocks in a line.
    count: u32,
    chunks: u32,
    blocks: u32,
    // The distance between the inputs of a small transform, and between its results.
    distance: u32,
    span: u32,
    // The distance between neighbours along the axis.
    inner: u32,
    // The exponent of the root for the second input of the second small transform.
    step: u32,
    // Whether real and imaginary parts are exchanged when inputs are read, and when results are written.
    swap_inputs: u32,
    swap_results: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

// The length of a small transform.
override radix: u32 = 4u;
// One of the constants below.
override form: u32 = 0u;

// The first pass along lines of neighbours: results of a small transform are neighbours.
const first = 0u;
// A later pass along lines of neighbours: each small transform has its own root.
const lines = 1u;
// A pass along an axis whose inner distance is a multiple of eight: the eight have the same root. None in the first pass.
const columns = 2u;
const first_columns = 3u;

// The groups of one workgroup.
const groups = 16u;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<Source>;
@group(0) @binding(2) var<storage, read_write> y: array<Target>;

fn small_transform(source: u32, place_of_results: u32, w1: Complex) {
    var v0 = Complex();
    var v1 = Complex();
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
    v0 = widened(x[source]);
    v1 = widened(x[source + sizes.distance]);
    if radix >= 3u {
        v2 = widened(x[source + 2u * sizes.distance]);
    }
    if radix >= 4u {
        v3 = widened(x[source + 3u * sizes.distance]);
    }
    if radix >= 5u {
        v4 = widened(x[source + 4u * sizes.distance]);
    }
    if radix >= 7u {
        v5 = widened(x[source + 5u * sizes.distance]);
        v6 = widened(x[source + 6u * sizes.distance]);
    }
    if radix >= 8u {
        v7 = widened(x[source + 7u * sizes.distance]);
    }
    if radix >= 11u {
        v8 = widened(x[source + 8u * sizes.distance]);
        v9 = widened(x[source + 9u * sizes.distance]);
        v10 = widened(x[source + 10u * sizes.distance]);
    }
    if radix >= 13u {
        v11 = widened(x[source + 11u * sizes.distance]);
        v12 = widened(x[source + 12u * sizes.distance]);
    }
    if radix >= 16u {
        v13 = widened(x[source + 13u * sizes.distance]);
        v14 = widened(x[source + 14u * sizes.distance]);
        v15 = widened(x[source + 15u * sizes.distance]);
    }
    if sizes.swap_inputs != 0u {
        v0 = v0.yx;
        v1 = v1.yx;
        if radix >= 3u {
            v2 = v2.yx;
        }
        if radix >= 4u {
            v3 = v3.yx;
        }
        if radix >= 5u {
            v4 = v4.yx;
        }
        if radix >= 7u {
            v5 = v5.yx;
            v6 = v6.yx;
        }
        if radix >= 8u {
            v7 = v7.yx;
        }
        if radix >= 11u {
            v8 = v8.yx;
            v9 = v9.yx;
            v10 = v10.yx;
        }
        if radix >= 13u {
            v11 = v11.yx;
            v12 = v12.yx;
        }
        if radix >= 16u {
            v13 = v13.yx;
            v14 = v14.yx;
            v15 = v15.yx;
        }
    }
    if form == lines || form == columns {
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
    if sizes.swap_results != 0u {
        v0 = v0.yx;
        v1 = v1.yx;
        if radix >= 3u {
            v2 = v2.yx;
        }
        if radix >= 4u {
            v3 = v3.yx;
        }
        if radix >= 5u {
            v4 = v4.yx;
        }
        if radix >= 7u {
            v5 = v5.yx;
            v6 = v6.yx;
        }
        if radix >= 8u {
            v7 = v7.yx;
        }
        if radix >= 11u {
            v8 = v8.yx;
            v9 = v9.yx;
            v10 = v10.yx;
        }
        if radix >= 13u {
            v11 = v11.yx;
            v12 = v12.yx;
        }
        if radix >= 16u {
            v13 = v13.yx;
            v14 = v14.yx;
            v15 = v15.yx;
        }
    }
    let gap = sizes.span;
    y[place_of_results] = narrowed(v0 * sizes.scale);
    y[place_of_results + gap] = narrowed(v1 * sizes.scale);
    if radix >= 3u {
        y[place_of_results + 2u * gap] = narrowed(v2 * sizes.scale);
    }
    if radix >= 4u {
        y[place_of_results + 3u * gap] = narrowed(v3 * sizes.scale);
    }
    if radix >= 5u {
        y[place_of_results + 4u * gap] = narrowed(v4 * sizes.scale);
    }
    if radix >= 7u {
        y[place_of_results + 5u * gap] = narrowed(v5 * sizes.scale);
        y[place_of_results + 6u * gap] = narrowed(v6 * sizes.scale);
    }
    if radix >= 8u {
        y[place_of_results + 7u * gap] = narrowed(v7 * sizes.scale);
    }
    if radix >= 11u {
        y[place_of_results + 8u * gap] = narrowed(v8 * sizes.scale);
        y[place_of_results + 9u * gap] = narrowed(v9 * sizes.scale);
        y[place_of_results + 10u * gap] = narrowed(v10 * sizes.scale);
    }
    if radix >= 13u {
        y[place_of_results + 11u * gap] = narrowed(v11 * sizes.scale);
        y[place_of_results + 12u * gap] = narrowed(v12 * sizes.scale);
    }
    if radix >= 16u {
        y[place_of_results + 13u * gap] = narrowed(v13 * sizes.scale);
        y[place_of_results + 14u * gap] = narrowed(v14 * sizes.scale);
        y[place_of_results + 15u * gap] = narrowed(v15 * sizes.scale);
    }
}

// The root for the second input of the small transform at a place; `begin` is the place in the first invocation.
fn root_at(begin: u32, lane: u32) -> Complex {
    if form == lines {
        if !levels {
            return roots[table.first + begin + lane];
        }
        // Eight neighbours have the same high bits.
        let low = roots[table.first + (begin & ((1u << table.bits) - 1u)) + lane];
        return times(low, roots[table.second + (begin >> table.bits)]);
    }
    if form == columns {
        return root(begin / sizes.inner * sizes.step);
    }
    return Complex();
}

@compute @workgroup_size(8)
fn fft_groups(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let begin_of_groups = workgroup.x * groups;
    var chunk = begin_of_groups % sizes.chunks;
    let all_blocks = begin_of_groups / sizes.chunks;
    let line = all_blocks / sizes.blocks;
    var block = all_blocks - line * sizes.blocks;
    let end = min(begin_of_groups + groups, sizes.count);
    let of_line = sizes.distance * radix;
    // The first elements of the line.
    var start = line * of_line;
    for (var group = begin_of_groups; group < end; group++) {
        let begin = 8u * chunk;
        let place = begin + local.x;
        if form == first {
            if place < sizes.distance {
                small_transform(sizes.first_of_x + start + place, sizes.first_of_y + start + place * radix, Complex());
            }
        } else if place < sizes.span {
            let before = block * sizes.span;
            let source = sizes.first_of_x + start + before + place;
            let target_place = sizes.first_of_y + start + before * radix + place;
            small_transform(source, target_place, root_at(begin, local.x));
        }
        chunk++;
        if chunk == sizes.chunks {
            chunk = 0u;
            block++;
            if block == sizes.blocks {
                block = 0u;
                start += of_line;
            }
        }
    }
}

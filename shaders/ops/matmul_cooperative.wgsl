// c = activation(alpha a b + beta c + bias) + residual with cooperative matrices of f16; sums in f32, results in f16 or,
// with `f32_results`, in f32. Lines of all matrices are aligned to four elements.
import package::shared::epilogue::activated;
import package::shared::product::{a_is_deep, b_is_deep, has_bias, has_residual, sizes, start_of_c, tile_of};
enable f16;
enable wgpu_cooperative_matrix;

@group(0) @binding(1) var<storage> a: array<vec4<f16>>;
@group(0) @binding(2) var<storage> b: array<vec4<f16>>;
@group(0) @binding(3) var<storage, read_write> c: array<Results>;
@group(0) @binding(4) var<storage> bias: array<Results>;
@group(0) @binding(5) var<storage> residual: array<Results>;

@if(f32_results)
alias Results = vec4<f32>;
@else
alias Results = vec4<f16>;

const tile = 128u;
// The depth of a step, and its cells of four elements.
const deep = 32u;
const deep_cells = 8u;
const tile_cells = 32u;
// Cells from one line to the next in workgroup memory. Lines of 16 bytes that follow each other are then in different
// banks.
const deep_stride = 10u;
const flat_stride = 34u;

// One step of each factor and the sums below are 24 KiB together. With more, NVIDIA's Vulkan driver took 1.8 times as long on
// an H200, as if a multiprocessor had 48 KiB for all of its workgroups: two of them, of which one waits while the other
// multiplies, are faster than one with two steps in memory.
var<workgroup> tile_a: array<vec4<f16>, 1280>;
var<workgroup> tile_b: array<vec4<f16>, 1280>;
// For each subgroup 16 rows of 16 sums.
const strip_stride = 16u;
var<workgroup> strips: array<f32, 1024>;

// Lines from one part of an invocation to the next.
const deep_lines = 16u;
const flat_lines = 4u;

// The line and the cell in it of an invocation's first part of a step.
fn spot(is_deep: bool, index: u32) -> vec2<u32> {
    // Lines in the order 0, 4, 1, 5, 2, 6, 3, 7, so that sixteen invocations store to different banks.
    let deep_line = index / 64u * 8u + index / 8u % 2u * 4u + index / 16u % 4u;
    return select(vec2(index / tile_cells, index % tile_cells), vec2(deep_line, index % deep_cells), is_deep);
}

// The cells of an invocation's parts at depth 0. Behind the last row or column they repeat it, and the results are never
// stored; `side` is the tile's first row or column.
fn cells(is_deep: bool, index: u32, side: u32, most: u32, line: u32, first: u32) -> array<u32, 8> {
    let at = spot(is_deep, index);
    var all: array<u32, 8>;
    for (var part = 0u; part < 8u; part++) {
        let flat = (at.x + part * flat_lines) * line + min(side / 4u + at.y, most / 4u - 1u);
        let deep = min(side + at.x + part * deep_lines, most - 1u) * line + at.y;
        all[part] = first + select(flat, deep, is_deep);
    }
    return all;
}

// The depth in its step of an invocation's first part, and from one part to the next.
fn depth_of(is_deep: bool, index: u32) -> vec2<u32> {
    let at = spot(is_deep, index);
    return select(vec2(at.x, flat_lines), vec2(at.y * 4u, 0u), is_deep);
}

// The same for the cell in workgroup memory.
fn kept_at(is_deep: bool, index: u32) -> vec2<u32> {
    let at = spot(is_deep, index);
    let deep = vec2(at.x * deep_stride + at.y, deep_lines * deep_stride);
    return select(vec2(at.x * flat_stride + at.y, flat_lines * flat_stride), deep, is_deep);
}

// The cells of the next step, on their way to workgroup memory.
var<private> next_a = array<vec4<f16>, 8>();
var<private> next_b = array<vec4<f16>, 8>();

fn fetch(cells_a: array<u32, 8>, cells_b: array<u32, 8>, step: u32) {
    let step_a = step * select(sizes.line_of_a * (deep / 4u), deep_cells, a_is_deep);
    let step_b = step * select(sizes.line_of_b * (deep / 4u), deep_cells, b_is_deep);
    for (var part = 0u; part < 8u; part++) {
        next_a[part] = a[cells_a[part] + step_a];
        next_b[part] = b[cells_b[part] + step_b];
    }
}

// Moves a step to workgroup memory, with zeros behind the last depth.
fn keep(step: u32, index: u32) {
    let to_a = kept_at(a_is_deep, index);
    let to_b = kept_at(b_is_deep, index);
    if (step + 1u) * deep <= sizes.k {
        for (var part = 0u; part < 8u; part++) {
            tile_a[to_a.x + part * to_a.y] = next_a[part];
            tile_b[to_b.x + part * to_b.y] = next_b[part];
        }
    } else {
        let depth_a = depth_of(a_is_deep, index);
        let depth_b = depth_of(b_is_deep, index);
        for (var part = 0u; part < 8u; part++) {
            tile_b[to_b.x + part * to_b.y] = vec4<f16>();
            if step * deep + depth_b.x + part * depth_b.y < sizes.k {
                tile_b[to_b.x + part * to_b.y] = next_b[part];
            }
            tile_a[to_a.x + part * to_a.y] = vec4<f16>();
            if step * deep + depth_a.x + part * depth_a.y < sizes.k {
                tile_a[to_a.x + part * to_a.y] = next_a[part];
            }
        }
    }
}

// Stores 16 rows of 16 sums, of which a subgroup has the whole.
fn store(sums: coop_mat16x16<f32, C>, index: u32, batch: u32, row: u32, column: u32) {
    let lane = index % 32u;
    let strip = index / 32u * 16u * strip_stride;
    coopStoreT(sums, &strips[strip], strip_stride);
    workgroupBarrier();
    for (var half = 0u; half < 2u; half++) {
        let at = vec2(half * 8u + lane / 4u, lane % 4u * 4u);
        let sum = strip + at.x * strip_stride + at.y;
        let values = vec4(strips[sum], strips[sum + 1u], strips[sum + 2u], strips[sum + 3u]);
        let place = vec2(row, column) + at;
        if place.x < sizes.m && place.y < sizes.n {
            let cell = (start_of_c(batch) + place.x * sizes.line_of_c + place.y) / 4u;
            var result = sizes.alpha * values;
            if sizes.beta != 0.0 {
                result += sizes.beta * vec4<f32>(c[cell]);
            }
            if has_bias {
                result += vec4<f32>(bias[(sizes.first_of_bias + place.y) / 4u]);
            }
            result = vec4(activated(result.x), activated(result.y), activated(result.z), activated(result.w));
            if has_residual {
                result += vec4<f32>(residual[cell + sizes.first_of_residual / 4u - sizes.first_of_c / 4u]);
            }
            c[cell] = Results(result);
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(128)
fn matmul(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let corner = tile_of(group.x) * tile;
    let batch = group.y;
    let first_a = (sizes.first_of_a + batch * sizes.batch_of_a) / 4u;
    let first_b = (sizes.first_of_b + batch * sizes.batch_of_b) / 4u;
    var cells_a = cells(a_is_deep, index, corner.y, sizes.m, sizes.line_of_a / 4u, first_a);
    var cells_b = cells(b_is_deep, index, corner.x, sizes.n, sizes.line_of_b / 4u, first_b);
    // The part of the tile of a subgroup.
    let subgroup = index / 32u;
    let row = subgroup / 2u * 64u;
    let column = subgroup % 2u * 64u;

    var sums: array<coop_mat16x16<f32, C>, 16>;
    fetch(cells_a, cells_b, 0u);
    keep(0u, index);
    workgroupBarrier();
    let steps = (sizes.k + deep - 1u) / deep;
    for (var step = 0u; step < steps; step++) {
        // Fetches a step while the one before is multiplied.
        fetch(cells_a, cells_b, step + 1u);
        for (var depth = 0u; depth < 2u; depth++) {
            var left: array<coop_mat16x16<f16, A>, 4>;
            for (var i = 0u; i < 4u; i++) {
                if a_is_deep {
                    let at = (row + i * 16u) * deep_stride + depth * 4u;
                    left[i] = coopLoadT<coop_mat16x16<f16, A>>(&tile_a[at], deep_stride);
                } else {
                    let at = depth * 16u * flat_stride + row / 4u + i * 4u;
                    left[i] = coopLoad<coop_mat16x16<f16, A>>(&tile_a[at], flat_stride);
                }
            }
            for (var j = 0u; j < 4u; j++) {
                var right: coop_mat16x16<f16, B>;
                if b_is_deep {
                    let at = (column + j * 16u) * deep_stride + depth * 4u;
                    right = coopLoad<coop_mat16x16<f16, B>>(&tile_b[at], deep_stride);
                } else {
                    let at = depth * 16u * flat_stride + column / 4u + j * 4u;
                    right = coopLoadT<coop_mat16x16<f16, B>>(&tile_b[at], flat_stride);
                }
                for (var i = 0u; i < 4u; i++) {
                    sums[i * 4u + j] = coopMultiplyAdd(left[i], right, sums[i * 4u + j]);
                }
            }
        }
        workgroupBarrier();
        keep(step + 1u, index);
        workgroupBarrier();
    }

    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            store(sums[i * 4u + j], index, batch, corner.y + row + i * 16u, corner.x + column + j * 16u);
        }
    }
}

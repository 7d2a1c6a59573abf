// Convolutions in f16 as products of patches of x and weights, by cooperative matrices; sums in f32. Channels are the last
// axis; their number in a group, in x and in y, is a multiple of four. The kernel has at most 31 taps.
//
// A row of the product is a position of y, a column a channel of y. The depth is a tap and a channel of x, in the order of
// the weights. Patches are read where the product needs them.
import package::shared::convolution_sizes::{conv, has_bias, position_of};
import package::shared::epilogue::activated;
enable f16;
enable wgpu_cooperative_matrix;

@group(0) @binding(1) var<storage> x: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f16>>;
@group(0) @binding(3) var<storage> weights: array<vec4<f16>>;
@group(0) @binding(4) var<storage> bias: array<vec4<f16>>;

// The number of invocations of a subgroup, and the matrices of its part of a tile, in a column and in a row.
override lanes: u32 = 32u;
override down: u32 = 4u;
@if(narrow)
override across: u32 = 2u;
@else
override across: u32 = 4u;
// Whether a step of the depth is within one tap.
override whole: bool = false;

const threads = 128u;
const tile_rows = 128u;
@if(narrow)
const tile_columns = 64u;
@else
const tile_columns = 128u;
// The depth of a step, and its cells of four elements.
const deep = 32u;
const deep_cells = 8u;
// Cells from one line to the next in workgroup memory. Lines of 16 bytes that follow each other are then in different
// banks.
const stride = 10u;

// 24 KiB at most: with more, NVIDIA's Vulkan driver runs one workgroup on a multiprocessor, in place of two.
var<workgroup> tile_x: array<vec4<f16>, 1280>;
@if(narrow)
var<workgroup> tile_weights: array<vec4<f16>, 640>;
@else
var<workgroup> tile_weights: array<vec4<f16>, 1280>;
// At first the patches and the taps, later 16 rows of 16 sums for each of four subgroups.
const strip_stride = 16u;
var<workgroup> strips: array<f32, 1024>;
// Where the taps begin, which are two numbers each.
const first_tap = 512u;

// Lines from one part of an invocation to the next, and the parts of the weights.
const lines = 16u;
const parts_of_weights = tile_columns / lines;

// The halves of a word are exact as f32.
fn put(at: u32, word: u32) {
    strips[at] = f32(word & 0xffffu);
    strips[at + 1u] = f32(word >> 16u);
}

fn taken(at: u32) -> u32 {
    return u32(strips[at]) | (u32(strips[at + 1u]) << 16u);
}

// Finds the cell of a row's patch at the first tap, and a bit for each tap that is within x. Rows behind the last position
// repeat it, and are never stored.
fn find_patch(row: u32, group: u32, index: u32) {
    let each = conv.output.x * conv.output.y * conv.output.z;
    let number = min(row + index, conv.examples * each - 1u);
    let example = number / each;
    let begin = position_of(number - example * each) * conv.step.xyz + conv.offset.xyz;
    var inside = 0u;
    var bit = 1u;
    for (var plane = 0u; plane < conv.kernel.x; plane++) {
        let has_plane = begin.x + plane * conv.tap.x < conv.extent.x;
        for (var line = 0u; line < conv.kernel.y; line++) {
            let has_line = has_plane && begin.y + line * conv.tap.y < conv.extent.y;
            for (var column = 0u; column < conv.kernel.z; column++) {
                let has_column = has_line && begin.z + column * conv.tap.z < conv.extent.z;
                inside |= select(0u, bit, has_column);
                bit <<= 1u;
            }
        }
    }
    // Distances are multiples of four; before the first position they wrap around in cells.
    let along = begin * (conv.in_x.xyz / 4u);
    let first = (conv.first_of_x + group * conv.inputs) / 4u + example * (conv.example_in_x / 4u);
    put(index * 4u, first + along.x + along.y + along.z);
    put(index * 4u + 2u, inside);
}

// Finds the distance in cells of a tap from the first one.
fn find_tap(tap: u32) {
    let line = tap / conv.kernel.z;
    let plane = line / conv.kernel.y;
    let place = vec3(plane, line - plane * conv.kernel.y, tap - line * conv.kernel.z) * conv.tap.xyz;
    let along = place * (conv.in_x.xyz / 4u);
    put(first_tap + tap * 2u, along.x + along.y + along.z);
}

// The line of an invocation's first part. Lines in the order 0, 4, 1, 5, 2, 6, 3, 7, so that sixteen invocations store to
// different banks.
fn line_of(index: u32) -> u32 {
    return index / 64u * 8u + index / 8u % 2u * 4u + index / 16u % 4u;
}

// The patches of an invocation's lines, and the cells of its weights at depth 0.
var<private> patches = array<vec2<u32>, 8>();
var<private> cells = array<u32, 8>();
// The place of the invocation's cell of the next step: the tap, and the channel.
var<private> tap = 0u;
var<private> input = 0u;
// Where the lines begin at that tap, and whether it is within x.
var<private> begins = array<u32, 8>();
var<private> is_inside = array<bool, 8>();

// The cells of the next step, on their way to workgroup memory.
var<private> next_x = array<vec4<f16>, 8>();
var<private> next_weights = array<vec4<f16>, 8>();

// Finds the lines at the invocation's tap.
fn enter_tap() {
    let distance = taken(first_tap + tap * 2u);
    for (var part = 0u; part < 8u; part++) {
        is_inside[part] = ((patches[part].y >> tap) & 1u) != 0u;
        // An element outside is read, too, and is not used: without branches all parts are on their way at once.
        begins[part] = select(0u, patches[part].x + distance, is_inside[part]);
    }
}

fn fetch(step: u32) {
    for (var part = 0u; part < 8u; part++) {
        next_x[part] = x[begins[part] + input / 4u];
    }
    for (var part = 0u; part < parts_of_weights; part++) {
        next_weights[part] = weights[cells[part] + step * deep_cells];
    }
}

// Moves the invocation's place to the next step. Behind the last tap no patch has elements.
fn advance() {
    input += deep;
    if input >= conv.inputs {
        let taps = input / conv.inputs;
        tap = min(tap + taps, 31u);
        input -= taps * conv.inputs;
        enter_tap();
    }
}

// Moves a step to workgroup memory, with zeros behind the last depth.
fn keep(step: u32, index: u32, depths: u32) {
    let to = line_of(index) * stride + index % deep_cells;
    for (var part = 0u; part < 8u; part++) {
        tile_x[to + part * lines * stride] = select(vec4<f16>(), next_x[part], is_inside[part]);
    }
    let within = whole || step * deep + index % deep_cells * 4u < depths;
    for (var part = 0u; part < parts_of_weights; part++) {
        tile_weights[to + part * lines * stride] = select(vec4<f16>(), next_weights[part], within);
    }
}

// A tile: its first row among all positions, its group, and its first column among the channels of the group.
struct Tile {
    row: u32,
    group: u32,
    column: u32,
}

// Stores 16 rows of 16 sums, of which a subgroup has the whole. Four subgroups at a time have strips.
fn store(sums: coop_mat16x16<f32, C>, index: u32, here: Tile, row: u32, column: u32) {
    let subgroup = index / lanes;
    let turns = threads / lanes / 4u;
    let strip = subgroup % 4u * 16u * strip_stride;
    for (var turn = 0u; turn < turns; turn++) {
        let is_turn = turns == 1u || subgroup / 4u == turn;
        if is_turn {
            coopStoreT(sums, &strips[strip], strip_stride);
        }
        workgroupBarrier();
        if is_turn {
            for (var part = index % lanes; part < 64u; part += lanes) {
                store_four(strip, vec2(part / 4u, part % 4u * 4u), here, row, column);
            }
        }
        workgroupBarrier();
    }
}

fn store_four(strip: u32, at: vec2<u32>, here: Tile, row: u32, column: u32) {
    let sum = strip + at.x * strip_stride + at.y;
    let number = row + at.x;
    let channel = column + at.y;
    if number < conv.examples * conv.output.x * conv.output.y * conv.output.z && channel < conv.outputs {
        var result = vec4(strips[sum], strips[sum + 1u], strips[sum + 2u], strips[sum + 3u]);
        let in_all = here.group * conv.outputs + channel;
        if has_bias {
            result += vec4<f32>(bias[(conv.first_of_bias + in_all) / 4u]);
        }
        result = vec4(activated(result.x), activated(result.y), activated(result.z), activated(result.w));
        y[(conv.first_of_y + number * conv.groups * conv.outputs + in_all) / 4u] = vec4<f16>(result);
    }
}

@compute @workgroup_size(threads)
fn products(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let tiles = (conv.outputs + tile_columns - 1u) / tile_columns;
    let group = workgroup.x / tiles;
    let here = Tile(workgroup.y * tile_rows, group, (workgroup.x - group * tiles) * tile_columns);
    let taps = conv.kernel.x * conv.kernel.y * conv.kernel.z;
    let depths = taps * conv.inputs;
    find_patch(here.row, group, index);
    if index < 32u {
        find_tap(min(index, taps - 1u));
    }
    workgroupBarrier();

    let first_line = line_of(index);
    let of_group = conv.first_of_weights + group * conv.outputs * depths + index % deep_cells * 4u;
    for (var part = 0u; part < 8u; part++) {
        let patch_at = (first_line + part * lines) * 4u;
        patches[part] = vec2(taken(patch_at), taken(patch_at + 2u));
    }
    for (var part = 0u; part < parts_of_weights; part++) {
        // Channels behind the last one repeat it, and their results are never stored.
        let channel = min(here.column + first_line + part * lines, conv.outputs - 1u);
        cells[part] = (of_group + channel * depths) / 4u;
    }
    input = index % deep_cells * 4u;
    tap = min(input / conv.inputs, 31u);
    input -= tap * conv.inputs;
    enter_tap();

    // The part of the tile of a subgroup.
    let subgroup = index / lanes;
    let in_row = tile_columns / 16u / across;
    let row = subgroup / in_row * down * 16u;
    let column = subgroup % in_row * across * 16u;

    var sums: array<coop_mat16x16<f32, C>, 16>;
    fetch(0u);
    keep(0u, index, depths);
    workgroupBarrier();
    let steps = (depths + deep - 1u) / deep;
    for (var step = 0u; step < steps; step++) {
        // Fetches a step while the one before is multiplied.
        advance();
        fetch(step + 1u);
        for (var depth = 0u; depth < 2u; depth++) {
            var left: array<coop_mat16x16<f16, A>, 4>;
            for (var i = 0u; i < down; i++) {
                left[i] = coopLoadT<coop_mat16x16<f16, A>>(&tile_x[(row + i * 16u) * stride + depth * 4u], stride);
            }
            for (var j = 0u; j < across; j++) {
                let at = (column + j * 16u) * stride + depth * 4u;
                let right = coopLoad<coop_mat16x16<f16, B>>(&tile_weights[at], stride);
                for (var i = 0u; i < down; i++) {
                    sums[i * 4u + j] = coopMultiplyAdd(left[i], right, sums[i * 4u + j]);
                }
            }
        }
        workgroupBarrier();
        keep(step + 1u, index, depths);
        workgroupBarrier();
    }

    for (var i = 0u; i < down; i++) {
        for (var j = 0u; j < across; j++) {
            store(sums[i * 4u + j], index, here, here.row + row + i * 16u, here.column + column + j * 16u);
        }
    }
}

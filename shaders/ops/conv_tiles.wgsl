// Convolutions as products of weights and patches of x, tile by tile: the patches are read where the product needs them.
//
// A row or a column of the product is a channel or a position of y: columns are neighbours in y. The depth of the product
// is a channel of x and a tap, in the order of the weights.
import package::shared::convolution::{bias_of, channels_last, distance_of, is_element, is_spread, load_weight, load_x};
import package::shared::convolution_sizes::{conv, position_of};
import package::shared::epilogue::activated;
@if(packed)
import package::shared::halves::rounded;
import package::shared::tile_product::{
    Block, add_products, deep, stride_a, stride_b, tile, tile_a, tile_b,
    lower_left, lower_right, upper_left, upper_right,
};

// Atomic, because two invocations may each own one half of a word.
@if(packed)
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
@else
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

// The 64 positions of a tile: the position of their first tap in x, and the first element of their example and group.
var<workgroup> patches: array<vec4<u32>, 64>;
// The element of y of the group's first channel at each position.
var<workgroup> targets: array<u32, 64>;

// The elements of a depth: the distances of its tap, its weight from a channel's first one, its channel in x.
struct Depth {
    tap: vec3<u32>,
    weight: u32,
    input: u32,
}

fn depth_of(number: u32) -> Depth {
    let taps = conv.kernel.x * conv.kernel.y * conv.kernel.z;
    var tap = number / conv.inputs;
    var input = number - tap * conv.inputs;
    if !channels_last {
        input = number / taps;
        tap = number - input * taps;
    }
    let line = tap / conv.kernel.z;
    let plane = line / conv.kernel.y;
    let place = vec3(plane, line - plane * conv.kernel.y, tap - line * conv.kernel.z);
    return Depth(place * conv.tap.xyz, tap * conv.in_weights.z + input * conv.in_weights.y, input * conv.in_x.w);
}

// Outside x, and behind the last depth, elements are 0.
fn patch_at(at: u32, depth: Depth, within: bool) -> f32 {
    let begin = patches[at];
    let place = begin.xyz + depth.tap;
    if !within || !is_element(place) {
        return 0.0;
    }
    return load_x(begin.w + distance_of(place) + depth.input);
}

fn four_patches(at: u32, depth: Depth, within: bool) -> vec4<f32> {
    return vec4(
        patch_at(at, depth, within),
        patch_at(at + 1u, depth, within),
        patch_at(at + 2u, depth, within),
        patch_at(at + 3u, depth, within),
    );
}

// The weights of four channels; those behind the last one repeat it, and their results are never stored.
fn four_weights(starts: vec4<u32>, depth: Depth, within: bool) -> vec4<f32> {
    if !within {
        return vec4(0.0);
    }
    let at = starts + depth.weight;
    return vec4(load_weight(at.x), load_weight(at.y), load_weight(at.z), load_weight(at.w));
}

@if(packed)
fn store(at: u32, value: f32) {
    let shift = at % 2u * 16u;
    // Keeps the other half, also if another invocation changes it between the two operations.
    atomicAnd(&y[at / 2u], ~(0xffffu << shift));
    atomicOr(&y[at / 2u], rounded(vec4(value)).x << shift);
}

@if(!packed)
fn store(at: u32, value: f32) {
    y[at] = value;
}

struct Tile {
    group: u32,
    // The first channel of the group, and the first position of all examples.
    channel: u32,
    position: u32,
    positions: u32,
}

fn store_one(place: Tile, channel: u32, position: u32, value: f32) {
    if place.channel + channel < conv.outputs && place.position + position < place.positions {
        let number = place.group * conv.outputs + place.channel + channel;
        store(targets[position] + (place.channel + channel) * conv.in_y.w, activated(value + bias_of(number)));
    }
}

fn store_row(place: Tile, row: u32, column: u32, values: vec4<f32>) {
    if channels_last {
        store_one(place, column, row, values.x);
        store_one(place, column + 1u, row, values.y);
        store_one(place, column + 2u, row, values.z);
        store_one(place, column + 3u, row, values.w);
    } else {
        store_one(place, row, column, values.x);
        store_one(place, row, column + 1u, values.y);
        store_one(place, row, column + 2u, values.z);
        store_one(place, row, column + 3u, values.w);
    }
}

fn store_block(place: Tile, row: u32, column: u32, block: Block) {
    store_row(place, row, column, block.row_0);
    store_row(place, row + 1u, column, block.row_1);
    store_row(place, row + 2u, column, block.row_2);
    store_row(place, row + 3u, column, block.row_3);
}

fn tile_of(groups: vec2<u32>) -> Tile {
    let positions = conv.examples * conv.output.x * conv.output.y * conv.output.z;
    let tiles = (conv.outputs + tile - 1u) / tile;
    let channels = select(groups.y, groups.x, channels_last);
    let group = channels / tiles;
    return Tile(group, (channels - group * tiles) * tile, select(groups.x, groups.y, channels_last) * tile, positions);
}

// Finds the elements of a position of the tile; positions behind the last one repeat it, and are never stored.
fn find_position(place: Tile, index: u32) {
    let number = min(place.position + index, place.positions - 1u);
    let each = conv.output.x * conv.output.y * conv.output.z;
    let example = number / each;
    let position = position_of(number - example * each);
    let begin = position * conv.step.xyz + conv.offset.xyz;
    let origin = conv.first_of_x + example * conv.example_in_x + place.group * conv.inputs * conv.in_x.w;
    patches[index] = vec4(begin, origin);
    let along = position.x * conv.in_y.x + position.y * conv.in_y.y + position.z * conv.in_y.z;
    targets[index] = conv.first_of_y + example * conv.example_in_y + place.group * conv.outputs * conv.in_y.w + along;
}

// The first weights of four channels.
fn starts_of(place: Tile, channel: u32) -> vec4<u32> {
    let channels = min(vec4(place.channel + channel) + vec4(0u, 1u, 2u, 3u), vec4(conv.outputs - 1u));
    return vec4(conv.first_of_weights + place.group * conv.in_weights.w) + channels * conv.in_weights.x;
}

@compute @workgroup_size(8, 8)
fn tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) place: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let here = tile_of(group.xy);
    find_position(here, index);
    // An invocation fetches 4 times 4 rows at one depth, and 4 times 4 columns at one depth.
    let at_a = vec2(index / deep, index % deep);
    let at_b = vec2(index % 4u, index / 4u);
    let at_weights = select(at_a, at_b, channels_last);
    let at_patches = select(at_b, at_a, channels_last);
    let starts_0 = starts_of(here, at_weights.x * 4u);
    let starts_1 = starts_of(here, at_weights.x * 4u + 16u);
    let starts_2 = starts_of(here, at_weights.x * 4u + 32u);
    let starts_3 = starts_of(here, at_weights.x * 4u + 48u);
    workgroupBarrier();

    let depths = conv.inputs * conv.kernel.x * conv.kernel.y * conv.kernel.z;
    let into_a = at_a.y * stride_a + at_a.x;
    let into_b = at_b.y * stride_b + at_b.x;
    for (var first = 0u; first < depths; first += deep) {
        let of_weights = first + at_weights.y;
        let weight = depth_of(of_weights);
        let w0 = four_weights(starts_0, weight, of_weights < depths);
        let w1 = four_weights(starts_1, weight, of_weights < depths);
        let w2 = four_weights(starts_2, weight, of_weights < depths);
        let w3 = four_weights(starts_3, weight, of_weights < depths);
        let of_patches = first + at_patches.y;
        let tap = depth_of(of_patches);
        let p0 = four_patches(at_patches.x * 4u, tap, of_patches < depths);
        let p1 = four_patches(at_patches.x * 4u + 16u, tap, of_patches < depths);
        let p2 = four_patches(at_patches.x * 4u + 32u, tap, of_patches < depths);
        let p3 = four_patches(at_patches.x * 4u + 48u, tap, of_patches < depths);
        tile_a[into_a] = select(w0, p0, channels_last);
        tile_a[into_a + 4u] = select(w1, p1, channels_last);
        tile_a[into_a + 8u] = select(w2, p2, channels_last);
        tile_a[into_a + 12u] = select(w3, p3, channels_last);
        tile_b[into_b] = select(p0, w0, channels_last);
        tile_b[into_b + 4u] = select(p1, w1, channels_last);
        tile_b[into_b + 8u] = select(p2, w2, channels_last);
        tile_b[into_b + 12u] = select(p3, w3, channels_last);
        workgroupBarrier();
        add_products(place.xy);
        workgroupBarrier();
    }

    let row = place.y * 4u;
    let column = place.x * 4u;
    store_block(here, row, column, upper_left);
    store_block(here, row, column + 32u, upper_right);
    store_block(here, row + 32u, column, lower_left);
    store_block(here, row + 32u, column + 32u, lower_right);
}

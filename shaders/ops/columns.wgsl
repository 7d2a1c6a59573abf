// Writes windows of an image as columns of a matrix, or adds columns to the positions of their windows.
@if(packed)
import package::shared::halves::{element_in, rounded};

@if(packed)
alias Cell = u32;
@else
alias Cell = f32;

// The components of each vector are depth, height and width.
struct Columns {
    // The numbers of positions of the image, of windows, and of positions of a window.
    image: vec4<u32>,
    windows: vec4<u32>,
    kernel: vec4<u32>,
    stride: vec4<u32>,
    dilation: vec4<u32>,
    before: vec4<u32>,
    // The number of results.
    count: u32,
    first_of_x: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> columns: Columns;
@group(0) @binding(1) var<storage> x: array<Cell>;
@if(packed)
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@else
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

// Whether x has the columns and y is the image; otherwise x is the image and y has the columns.
override is_sum: bool = false;

@if(packed)
fn load(at: u32) -> f32 {
    return element_in(x[at / 2u], at);
}

@if(!packed)
fn load(at: u32) -> f32 {
    return x[at];
}

fn product_of(sizes: vec4<u32>) -> u32 {
    return sizes.x * sizes.y * sizes.z;
}

fn place_of(number: u32, sizes: vec4<u32>) -> vec3<u32> {
    let line = number / sizes.z;
    let plane = line / sizes.y;
    return vec3(plane, line - plane * sizes.y, number - line * sizes.z);
}

fn number_of(place: vec3<u32>, sizes: vec4<u32>) -> u32 {
    return (place.x * sizes.y + place.y) * sizes.z + place.z;
}

// Returns the element of the image that is copied to entry `number` of the columns; 0 in the padding.
fn element(number: u32) -> f32 {
    let row = number / product_of(columns.windows);
    let window = place_of(number - row * product_of(columns.windows), columns.windows);
    let plane = row / product_of(columns.kernel);
    let tap = place_of(row - plane * product_of(columns.kernel), columns.kernel);
    let place = window * columns.stride.xyz + tap * columns.dilation.xyz - columns.before.xyz;
    if !all(place < columns.image.xyz) {
        return 0.0;
    }
    return load(columns.first_of_x + plane * product_of(columns.image) + number_of(place, columns.image));
}

// Returns the sum of all entries of the columns that belong to element `number` of the image.
fn sum(number: u32) -> f32 {
    let plane = number / product_of(columns.image);
    let place = place_of(number - plane * product_of(columns.image), columns.image) + columns.before.xyz;
    let taps = product_of(columns.kernel);
    var total = 0.0;
    for (var tap = 0u; tap < taps; tap++) {
        // A negative beginning wraps around to a large number, which no window has.
        let begin = place - place_of(tap, columns.kernel) * columns.dilation.xyz;
        let window = begin / columns.stride.xyz;
        let is_begin = all(window * columns.stride.xyz == begin) && all(begin < vec3(0x80000000u));
        if is_begin && all(window < columns.windows.xyz) {
            let row = (plane * taps + tap) * product_of(columns.windows);
            total += load(columns.first_of_x + row + number_of(window, columns.windows));
        }
    }
    return total;
}

fn result(number: u32) -> f32 {
    if is_sum {
        return sum(number);
    }
    return element(number);
}

@if(!packed)
@compute @workgroup_size(256)
fn move_columns(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < columns.count {
        y[columns.first_of_y + id.x] = result(id.x);
    }
}

@if(packed)
@compute @workgroup_size(256)
fn move_columns(@builtin(global_invocation_id) id: vec3<u32>) {
    let skip = columns.first_of_y % 2u;
    if id.x * 2u >= skip + columns.count {
        return;
    }
    var results = vec4(0.0);
    var mask = 0u;
    // Elements before the array have negative numbers, which wrap around to large ones.
    let number = id.x * 2u - skip;
    if number < columns.count {
        results.x = result(number);
        mask = 0xffffu;
    }
    if number + 1u < columns.count {
        results.y = result(number + 1u);
        mask |= 0xffff0000u;
    }
    let bits = rounded(results);
    let at = columns.first_of_y / 2u + id.x;
    var word = bits.x | (bits.y << 16u);
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word = (word & mask) | (y[at] & ~mask);
    }
    y[at] = word;
}

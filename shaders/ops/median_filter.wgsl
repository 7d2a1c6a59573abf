// Computes the median of each element of an image and its eight neighbours.
import package::shared::border::{border, constant, inside};

struct Sizes {
    images: u32,
    height: u32,
    width: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The value of elements outside the image, for a constant border.
    outside: f32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

fn load(image: u32, row: u32, column: u32) -> f32 {
    if border == constant && (row == sizes.height || column == sizes.width) {
        return sizes.outside;
    }
    return x[image + row * sizes.width + column];
}

// Returns the smallest, the middle and the greatest of three numbers.
fn sorted(a: f32, b: f32, c: f32) -> vec3<f32> {
    let low = min(a, b);
    let high = max(a, b);
    return vec3(min(low, c), max(low, min(high, c)), max(high, c));
}

@compute @workgroup_size(64, 4)
fn median_filter(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.width || id.y >= sizes.height {
        return;
    }
    let image = sizes.first_of_x + id.z * sizes.height * sizes.width;
    let left = u32(inside(i32(id.x) - 1, i32(sizes.width)));
    let right = u32(inside(i32(id.x) + 1, i32(sizes.width)));
    let above = u32(inside(i32(id.y) - 1, i32(sizes.height)));
    let below = u32(inside(i32(id.y) + 1, i32(sizes.height)));
    // Each column is sorted. The median of all is the median of three: the greatest of the small numbers, the middle
    // one of the middle numbers, and the smallest of the great numbers.
    let first = sorted(load(image, above, left), load(image, id.y, left), load(image, below, left));
    let second = sorted(load(image, above, id.x), load(image, id.y, id.x), load(image, below, id.x));
    let third = sorted(load(image, above, right), load(image, id.y, right), load(image, below, right));
    let low = max(max(first.x, second.x), third.x);
    let middle = sorted(first.y, second.y, third.y).y;
    let high = min(min(first.z, second.z), third.z);
    y[sizes.first_of_y + (id.z * sizes.height + id.y) * sizes.width + id.x] = sorted(low, middle, high).y;
}

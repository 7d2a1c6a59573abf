// For each element of an image, the sum of the products of a small kernel with the elements around it.
//
// An invocation computes four results, one below the other: neighbouring invocations load neighbours, and an element is
// loaded once for all results of its column.
import package::shared::border::{border, constant, inside};

struct Sizes {
    images: u32,
    height: u32,
    width: u32,
    // The numbers of the kernel's rows above, and of its columns to the left of, the weight for the element itself.
    above: u32,
    left: u32,
    first_of_x: u32,
    first_of_y: u32,
    // The value of elements outside the image, for a constant border.
    outside: f32,
    // The kernel's weights row by row, four in each vector.
    weights: array<vec4<f32>, 64>,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

// The numbers of rows and columns of the kernel.
override rows: u32 = 3u;
override columns: u32 = 3u;

fn weight(at: u32) -> f32 {
    let four = sizes.weights[at / 4u];
    let first = select(four.x, four.y, at % 4u == 1u);
    return select(first, select(four.z, four.w, at % 4u == 3u), at % 4u >= 2u);
}

fn load(image: u32, row: u32, column: u32) -> f32 {
    if border == constant && (row == sizes.height || column == sizes.width) {
        return sizes.outside;
    }
    return x[image + row * sizes.width + column];
}

@compute @workgroup_size(64, 4)
fn image_filter(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = id.y * 4u;
    if id.x >= sizes.width || first >= sizes.height {
        return;
    }
    let image = sizes.first_of_x + id.z * sizes.height * sizes.width;
    let top = i32(first) - i32(sizes.above);
    // Whether all rows that the invocation reads are in the image.
    let is_within = top >= 0 && first + rows + 3u - sizes.above <= sizes.height;
    var sums = vec4(0.0);
    for (var at = 0u; at < columns; at++) {
        let column = u32(inside(i32(id.x + at) - i32(sizes.left), i32(sizes.width)));
        if is_within {
            var place = image + u32(top) * sizes.width + column;
            let is_outside = border == constant && column == sizes.width;
            var four = vec4(sizes.outside);
            if !is_outside {
                four = vec4(0.0, x[place], x[place + sizes.width], x[place + 2u * sizes.width]);
                place += 3u * sizes.width;
            }
            for (var row = 0u; row < rows; row++) {
                var next = sizes.outside;
                if !is_outside {
                    next = x[place];
                    place += sizes.width;
                }
                four = vec4(four.yzw, next);
                sums += weight(row * columns + at) * four;
            }
        } else {
            let height = i32(sizes.height);
            var four = vec4(
                0.0,
                load(image, u32(inside(top, height)), column),
                load(image, u32(inside(top + 1, height)), column),
                load(image, u32(inside(top + 2, height)), column),
            );
            for (var row = 0u; row < rows; row++) {
                four = vec4(four.yzw, load(image, u32(inside(top + i32(row) + 3, height)), column));
                sums += weight(row * columns + at) * four;
            }
        }
    }
    let to = sizes.first_of_y + (id.z * sizes.height + first) * sizes.width + id.x;
    let count = sizes.height - first;
    y[to] = sums.x;
    if count > 1u {
        y[to + sizes.width] = sums.y;
    }
    if count > 2u {
        y[to + 2u * sizes.width] = sums.z;
    }
    if count > 3u {
        y[to + 3u * sizes.width] = sums.w;
    }
}

//! Pictures of one channel or four, row by row.

use crate::case::{Case, Scale, random_floats, random_words};

fn sides(scale: Scale) -> [usize; 2] {
    [scale.pick(192, 1024, 8192), scale.pick(130, 768, 4096)]
}

pub(super) fn conv3x3(scale: Scale) -> Case {
    convolution(include_str!("../kernels/conv3x3.wgsl"), 3, sides(scale))
}

pub(super) fn conv7x7(scale: Scale) -> Case {
    convolution(include_str!("../kernels/conv7x7.wgsl"), 7, sides(scale))
}

fn convolution(source: &'static str, size: usize, [width, height]: [usize; 2]) -> Case {
    let (weights, pixels) = (random_floats(size * size, 1), random_floats(width * height, 2));
    Case::of(source)
        .params(&[width, height])
        .input("weights", &weights)
        .input("source", &pixels)
        .output("convolved", width * height)
        .threads([width, height, 1], [16, 16, 1])
        .floats(1e-4, move |at| {
            let term = |place: usize| {
                let along = |at: usize, offset: usize, end: usize| (at + offset).saturating_sub(size / 2).min(end - 1);
                let x = along(at % width, place % size, width);
                weights[place] * pixels[along(at / width, place / size, height) * width + x]
            };
            (0..size * size).map(term).sum()
        })
}

pub(super) fn sobel(scale: Scale) -> Case {
    let [width, height] = sides(scale);
    let pixels = random_floats(width * height, 1);
    Case::of(include_str!("../kernels/sobel.wgsl"))
        .params(&[width, height])
        .input("source", &pixels)
        .output("steepness", width * height)
        .threads([width, height, 1], [16, 16, 1])
        .floats(1e-4, move |at| {
            let (x, y) = (at % width, at / width);
            if x == 0 || y == 0 || x + 1 == width || y + 1 == height {
                return 0.0;
            }
            let line =
                |first: usize, step: usize| pixels[first] + 2.0 * pixels[first + step] + pixels[first + 2 * step];
            let (corner, below) = (at - width - 1, at + width - 1);
            let across = line(corner + 2, width) - line(corner, width);
            let along = line(below, 1) - line(corner, 1);
            (across * across + along * along).sqrt()
        })
}

pub(super) fn box_blur(scale: Scale) -> Case {
    let [width, height] = sides(scale);
    let pixels = random_floats(width * height, 1);
    Case::of(include_str!("../kernels/box_blur.wgsl"))
        .params(&[width, height])
        .input("source", &pixels)
        .output("blurred", width * height)
        .threads([width, height, 1], [128, 1, 1])
        .floats(1e-5, move |at| {
            let x = at % width;
            let row = &pixels[at - x..at - x + width];
            row[x.saturating_sub(8)..(x + 9).min(width)].iter().sum::<f32>() / 17.0
        })
}

pub(super) fn bilinear_resize(scale: Scale) -> Case {
    let [width, height] = sides(scale);
    let [new_width, new_height] = [width * 4 / 5, height * 3 / 2];
    let pixels = random_floats(width * height, 1);
    Case::of(include_str!("../kernels/bilinear_resize.wgsl"))
        .params(&[width, height, new_width, new_height])
        .input("source", &pixels)
        .output("resized", new_width * new_height)
        .threads([new_width, new_height, 1], [16, 16, 1])
        .floats(5e-3, move |at| {
            // Far from 0, the fractional part of a position loses digits in the kernel.
            let along = |at: usize, from: usize, to: usize| {
                let place = ((at as f32 + 0.5) * (from as f32 / to as f32) - 0.5).max(0.0);
                (place as usize, place.fract(), (place as usize + 1).min(from - 1))
            };
            let (x, right, next_x) = along(at % new_width, width, new_width);
            let (y, down, next_y) = along(at / new_width, height, new_height);
            let row =
                |y: usize| pixels[y * width + x.min(width - 1)] * (1.0 - right) + pixels[y * width + next_x] * right;
            row(y.min(height - 1)) * (1.0 - down) + row(next_y) * down
        })
}

pub(super) fn rgb_to_yuv(scale: Scale) -> Case {
    let count = scale.pick(1 << 14, 1 << 21, 1 << 26);
    let pixels = random_words(count, 1);
    Case::of(include_str!("../kernels/rgb_to_yuv.wgsl"))
        .input("rgb", &pixels)
        .output("yuv", count)
        .threads([count, 1, 1], [256, 1, 1])
        .words(move |at| {
            let [red, green, blue, alpha] = pixels[at].to_le_bytes().map(i32::from);
            let channel = |weights: [i32; 3], offset: i32| {
                let sum = weights[0] * red + weights[1] * green + weights[2] * blue;
                (((sum + 128) >> 8) + offset).clamp(0, 255) as u8
            };
            let luma = channel([77, 150, 29], 0);
            u32::from_le_bytes([luma, channel([-43, -85, 128], 128), channel([128, -107, -21], 128), alpha as u8])
        })
}

pub(super) fn mandelbrot(scale: Scale) -> Case {
    let (side, most) = (scale.pick(128, 384, 4096), 256);
    let (corner, pixel) = ([-2.0f32, -1.5], 3.0 / side as f32);
    let bits = [corner[0].to_bits(), corner[1].to_bits(), pixel.to_bits(), side as u32, side as u32, most];
    Case::of(include_str!("../../cpu_vs_peers/cases/mandelbrot.wgsl"))
        .param_bits(&bits)
        .output("steps", side * side)
        .threads([side, side, 1], [16, 16, 1])
        .mostly(0.03, move |at, found| {
            let (x, y) = (corner[0] + pixel * (at % side) as f32, corner[1] + pixel * (at / side) as f32);
            let (mut real, mut imaginary, mut count) = (0f32, 0f32, 0);
            while count < most && real * real + imaginary * imaginary <= 4.0 {
                (real, imaginary) = (real * real - imaginary * imaginary + x, 2.0 * real * imaginary + y);
                count += 1;
            }
            found == count
        })
}

//! Steps of simulations on grids.

use crate::case::{Case, Scale, random_floats, random_words};

pub(super) fn heat3d(scale: Scale) -> Case {
    let (size, rate) = ([scale.pick(40, 128, 512), scale.pick(33, 96, 384), scale.pick(20, 64, 256)], 0.1f32);
    let count = size.iter().product();
    let before = random_floats(count, 1);
    let [width, height, depth] = size.map(|size| size as u32);
    Case::of(include_str!("../kernels/heat3d.wgsl"))
        .param_bits(&[width, height, depth, rate.to_bits()])
        .input("before", &before)
        .output("after", count)
        .threads(size, [64, 2, 2])
        .floats(1e-5, move |at| {
            let place = [at % size[0], at / size[0] % size[1], at / (size[0] * size[1])];
            let cell = |[x, y, z]: [usize; 3]| before[(z * size[1] + y) * size[0] + x];
            let flow = (0..3).map(|axis| {
                let (mut lower, mut upper) = (place, place);
                lower[axis] = place[axis].saturating_sub(1);
                upper[axis] = (place[axis] + 1).min(size[axis] - 1);
                cell(lower) + cell(upper) - 2.0 * cell(place)
            });
            before[at] + rate * flow.sum::<f32>()
        })
}

pub(super) fn jacobi(scale: Scale) -> Case {
    let (side, spacing) = (scale.pick(130, 1024, 8192), 0.5f32);
    let (density, before) = (random_floats(side * side, 1), random_floats(side * side, 2));
    Case::of(include_str!("../kernels/jacobi.wgsl"))
        .param_bits(&[side as u32, spacing.to_bits()])
        .input("density", &density)
        .input("before", &before)
        .output("after", side * side)
        .threads([side, side, 1], [32, 8, 1])
        .floats(1e-5, move |at| {
            let (x, y) = (at % side, at / side);
            if x == 0 || y == 0 || x == side - 1 || y == side - 1 {
                return before[at];
            }
            let around = before[at - 1] + before[at + 1] + before[at - side] + before[at + side];
            0.25 * (around - spacing * spacing * density[at])
        })
}

pub(super) fn game_of_life(scale: Scale) -> Case {
    let (width, height) = (scale.pick(100, 1024, 8192), scale.pick(70, 512, 4096));
    let before: Vec<u32> = random_words(width * height, 1).into_iter().map(|word| word >> 31).collect();
    Case::of(include_str!("../kernels/game_of_life.wgsl"))
        .params(&[width, height])
        .input("before", &before)
        .output("after", width * height)
        .threads([width, height, 1], [16, 16, 1])
        .words(move |at| {
            let row = |dy: usize| (at / width + dy + height - 1) % height * width;
            let block: u32 =
                (0..9).map(|cell| before[row(cell / 3) + (at % width + cell % 3 + width - 1) % width]).sum();
            u32::from(block == 3 || block == 4 && before[at] == 1)
        })
}

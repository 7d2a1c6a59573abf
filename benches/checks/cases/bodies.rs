//! Bodies that attract each other, spheres hit by rays, and noise.

use crate::case::{Case, Scale, random_floats, random_words};

pub(super) fn nbody(scale: Scale) -> Case {
    let (count, time_step) = (scale.pick(512, 4096, 65536), 1e-3f32);
    let mut bodies = random_floats(count * 8, 1);
    bodies.chunks_exact_mut(8).for_each(|body| body[3] = body[3].abs() / count as f32);
    Case::of(include_str!("../../cpu_vs_peers/cases/nbody.wgsl"))
        .param_bits(&[time_step.to_bits()])
        .input("bodies", &bodies)
        .output("moved", count * 8)
        .threads([count, 1, 1], [256, 1, 1])
        .compared(1 << 10)
        .floats(1e-4, move |at| {
            let (body, part) = (&bodies[at / 8 * 8..][..8], at % 8);
            let axis = part % 4;
            if axis == 3 {
                return if part == 3 { body[3] } else { 0.0 };
            }
            let pull = |other: &[f32]| {
                let offset: [f32; 3] = std::array::from_fn(|axis| other[axis] - body[axis]);
                let square = offset.iter().map(|offset| offset * offset).sum::<f32>() + 0.01;
                f64::from(other[3] * offset[axis] / (square * square.sqrt()))
            };
            let pull = bodies.chunks_exact(8).map(pull).sum::<f64>() as f32;
            let velocity = body[4 + axis] + time_step * pull;
            if part < 4 { body[axis] + time_step * velocity } else { velocity }
        })
}

pub(super) fn ray_sphere(scale: Scale) -> Case {
    let [width, height] = [scale.pick(96, 768, 4096), scale.pick(80, 512, 2048)];
    let mut spheres = random_floats(64 * 4, 1);
    spheres.chunks_exact_mut(4).for_each(|sphere| sphere[3] = 0.05 + 0.2 * sphere[3].abs());
    Case::of(include_str!("../kernels/ray_sphere.wgsl"))
        .params(&[width, height])
        .input("spheres", &spheres)
        .output("depths", width * height)
        .threads([width, height, 1], [8, 8, 1])
        // Rounding decides whether a ray along the surface of a sphere hits it.
        .mostly(0.01, move |at, found| {
            let expected = depth(&spheres, [at % width, at / width], [width, height]);
            (f32::from_bits(found) - expected).abs() <= 1e-3
        })
}

fn depth(spheres: &[f32], pixel: [usize; 2], size: [usize; 2]) -> f32 {
    let ray: [f32; 2] = std::array::from_fn(|axis| pixel[axis] as f32 / size[axis] as f32 * 2.0 - 1.0);
    let hits = spheres.chunks_exact(4).filter_map(|sphere| {
        let offset = [sphere[0] - ray[0], sphere[1] - ray[1]];
        let rest = sphere[3] * sphere[3] - offset[0] * offset[0] - offset[1] * offset[1];
        (rest > 0.0).then(|| sphere[2] - rest.sqrt())
    });
    let nearest = hits.fold(f32::INFINITY, f32::min);
    if nearest.is_finite() { nearest } else { -1.0 }
}

pub(super) fn perlin(scale: Scale) -> Case {
    let (side, cell) = (scale.pick(96, 768, 4096), 37.0f32);
    let mut permutation: Vec<u32> = (0..256).collect();
    for (at, word) in random_words(256, 1).into_iter().enumerate() {
        permutation.swap(at, word as usize % 256);
    }
    Case::of(include_str!("../kernels/perlin.wgsl"))
        .param_bits(&[side as u32, side as u32, cell.to_bits()])
        .input("permutation", &permutation)
        .output("noise", side * side)
        .threads([side, side, 1], [16, 16, 1])
        // Rounding decides in which cell a point on an edge is; the noise is continuous at edges.
        .floats(2e-3, move |at| {
            let place = [at % side, at / side].map(|at| at as f32 / cell);
            let octave = |number: i32| {
                let octave = 2f32.powi(number);
                0.5 / octave * noise(&permutation, place.map(|at| at * octave))
            };
            (0..4).map(octave).sum()
        })
}

fn noise(permutation: &[u32], place: [f32; 2]) -> f32 {
    let cell = place.map(|at| at.floor() as u32);
    let part = place.map(f32::fract);
    let directions = [[1, 1], [-1, 1], [1, -1], [-1, -1], [1, 0], [-1, 0], [0, 1], [0, -1]];
    let corner = |x: u32, y: u32| {
        let hash = permutation[(permutation[(cell[0] + x) as usize & 255] + cell[1] + y) as usize & 255];
        let [right, down] = directions[hash as usize & 7].map(|part| part as f32);
        right * (part[0] - x as f32) + down * (part[1] - y as f32)
    };
    let fade = part.map(|part| part * part * part * (part * (part * 6.0 - 15.0) + 10.0));
    let row = |y: u32| corner(0, y) + (corner(1, y) - corner(0, y)) * fade[0];
    row(0) + (row(1) - row(0)) * fade[1]
}

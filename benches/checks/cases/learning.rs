//! Kernels of machine learning.

use crate::case::{Case, Scale, random_floats};

pub(super) fn softmax(scale: Scale) -> Case {
    let (rows, columns) = (scale.pick(32, 512, 16384), scale.pick(300, 2000, 2000));
    let scores: Vec<f32> = random_floats(rows * columns, 1).into_iter().map(|score| 5.0 * score).collect();
    Case::of(include_str!("../kernels/softmax.wgsl"))
        .params(&[rows, columns])
        .input("scores", &scores)
        .output("shares", rows * columns)
        .threads([rows, 1, 1], [1, 1, 1])
        .compared(1 << 12)
        .floats(1e-5, move |at| {
            let row = &scores[at / columns * columns..][..columns];
            let sum: f64 = row.iter().map(|score| f64::from(score - scores[at]).exp()).sum();
            (1.0 / sum) as f32
        })
}

pub(super) fn layernorm(scale: Scale) -> Case {
    let (rows, columns, epsilon) = (scale.pick(32, 512, 16384), scale.pick(300, 2000, 2000), 1e-5f32);
    let values = random_floats(rows * columns, 1);
    let (factors, offsets) = (random_floats(columns, 2), random_floats(columns, 3));
    Case::of(include_str!("../kernels/layernorm.wgsl"))
        .param_bits(&[rows as u32, columns as u32, epsilon.to_bits()])
        .input("values", &values)
        .input("scale", &factors)
        .input("shift", &offsets)
        .output("normal", rows * columns)
        .threads([rows, 1, 1], [1, 1, 1])
        .compared(1 << 12)
        .floats(1e-3, move |at| {
            let row = values[at / columns * columns..][..columns].iter().map(|value| f64::from(*value));
            let mean = row.clone().sum::<f64>() / columns as f64;
            let variance = row.map(|value| (value - mean) * (value - mean)).sum::<f64>() / columns as f64;
            let normal = (f64::from(values[at]) - mean) / (variance + f64::from(epsilon)).sqrt();
            normal as f32 * factors[at % columns] + offsets[at % columns]
        })
}

pub(super) fn attention_scores(scale: Scale) -> Case {
    const WIDTH: usize = 64;
    let length = scale.pick(100, 700, 8000);
    let (queries, keys) = (random_floats(length * WIDTH, 1), random_floats(length * WIDTH, 2));
    Case::of(include_str!("../kernels/attention_scores.wgsl"))
        .params(&[length])
        .input("queries", &queries)
        .input("keys", &keys)
        .output("scores", length * length)
        .threads([length, length, 1], [16, 16, 1])
        .floats(1e-4, move |at| {
            let (query, key) = (at / length, at % length);
            if key > query {
                return -1e9;
            }
            let pairs = queries[query * WIDTH..][..WIDTH].iter().zip(&keys[key * WIDTH..][..WIDTH]);
            0.125 * pairs.map(|(query, key)| query * key).sum::<f32>()
        })
}

pub(super) fn kmeans(scale: Scale) -> Case {
    const CENTRES: usize = 32;
    const DIMENSIONS: usize = 8;
    let count = scale.pick(1 << 12, 1 << 17, 1 << 22);
    let (centres, points) = (random_floats(CENTRES * DIMENSIONS, 1), random_floats(count * DIMENSIONS, 2));
    Case::of(include_str!("../kernels/kmeans.wgsl"))
        .input("centres", &centres)
        .input("points", &points)
        .output("nearest", count)
        .threads([count, 1, 1], [128, 1, 1])
        .compared(1 << 14)
        // A point may be as far from one centre as from another.
        .mostly(1e-3, move |at, found| {
            let point = &points[at * DIMENSIONS..][..DIMENSIONS];
            let distance = |centre: &[f32]| {
                point.iter().zip(centre).map(|(one, other)| (one - other) * (one - other)).sum::<f32>()
            };
            let distances = centres.chunks_exact(DIMENSIONS).map(distance).enumerate();
            distances.min_by(|one, other| one.1.total_cmp(&other.1)).is_some_and(|(centre, _)| centre as u32 == found)
        })
}

pub(super) fn knn(scale: Scale) -> Case {
    let (count, asked) = (scale.pick(100, 500, 2000), scale.pick(1 << 10, 1 << 14, 1 << 18));
    let (points, queries) = (random_floats(count * 2, 1), random_floats(asked * 2, 2));
    Case::of(include_str!("../kernels/knn.wgsl"))
        .input("points", &points)
        .input("queries", &queries)
        .output("distances", asked * 4)
        .threads([asked, 1, 1], [64, 1, 1])
        .compared(1 << 11)
        .floats(1e-5, move |at| {
            let query = &queries[at / 4 * 2..][..2];
            let square = |point: &[f32]| (point[0] - query[0]).powi(2) + (point[1] - query[1]).powi(2);
            let mut distances: Vec<f32> = points.chunks_exact(2).map(square).collect();
            *distances.select_nth_unstable_by(at % 4, f32::total_cmp).1
        })
}

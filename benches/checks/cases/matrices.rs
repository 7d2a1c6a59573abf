//! Matrices: products with matrices and vectors, sparse products, a step of a decomposition, the transpose.

use crate::case::{Case, Scale, random_floats, random_words};

pub(super) fn matmul_loops(scale: Scale) -> Case {
    matmul(include_str!("../kernels/matmul_loops.wgsl"), scale)
}

pub(super) fn matmul_unrolled(scale: Scale) -> Case {
    matmul(include_str!("../kernels/matmul_unrolled.wgsl"), scale)
}

fn matmul(source: &'static str, scale: Scale) -> Case {
    let size = scale.pick(256, 512, 4096);
    let (a, b) = (random_floats(size * size, 1), random_floats(size * size, 2));
    Case::of(source)
        .params(&[size, size, size])
        .input("a", &a)
        .input("b", &b)
        .output("product", size * size)
        .threads([size, size, 1], [128, 128, 1])
        .compared(1 << 13)
        .floats(1e-3, move |at| {
            let (row, column) = (at / size, at % size);
            (0..size).map(|k| f64::from(a[row * size + k]) * f64::from(b[k * size + column])).sum::<f64>() as f32
        })
}

pub(super) fn transpose(scale: Scale) -> Case {
    let side = scale.pick(128, 1024, 8192);
    let source = random_floats(side * side, 1);
    Case::of(include_str!("../../cpu_vs_peers/cases/transpose.wgsl"))
        .params(&[side, side])
        .input("source", &source)
        .output("transposed", side * side)
        .threads([side, side, 1], [32, 32, 1])
        .floats(0.0, move |at| source[at % side * side + at / side])
}

pub(super) fn matvec(scale: Scale) -> Case {
    let size = scale.pick(256, 2048, 8192);
    let (matrix, vector) = (random_floats(size * size, 1), random_floats(size, 2));
    Case::of(include_str!("../kernels/matvec.wgsl"))
        .params(&[size, size / 4])
        .input("matrix", &matrix)
        .input("vector", &vector)
        .output("product", size)
        .threads([size, 1, 1], [1, 1, 1])
        .compared(256)
        .floats(1e-3, move |row| {
            let row = &matrix[row * size..(row + 1) * size];
            row.iter().zip(&vector).map(|(one, other)| f64::from(one * other)).sum::<f64>() as f32
        })
}

pub(super) fn int8_dot(scale: Scale) -> Case {
    let (rows, words) = (scale.pick(128, 2048, 16384), scale.pick(64, 256, 256));
    let (matrix, vector) = (random_words(rows * words, 1), random_words(words, 2));
    let scales = random_floats(rows, 3);
    Case::of(include_str!("../kernels/int8_dot.wgsl"))
        .params(&[rows, words])
        .input("matrix", &matrix)
        .input("vector", &vector)
        .input("scales", &scales)
        .output("product", rows)
        .threads([rows, 1, 1], [64, 1, 1])
        .compared(512)
        .floats(1e-5, move |row| {
            let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
            let (left, right) = (bytes(&matrix[row * words..(row + 1) * words]), bytes(&vector));
            let products = left
                .iter()
                .zip(&right)
                .map(|(one, other)| i32::from(one.cast_signed()) * i32::from(other.cast_signed()));
            products.sum::<i32>() as f32 * scales[row]
        })
}

pub(super) fn spmv_csr(scale: Scale) -> Case {
    let rows = scale.pick(1 << 10, 1 << 17, 1 << 20);
    let mut starts = vec![0u32];
    let mut end = 0;
    starts.extend(random_words(rows, 1).into_iter().map(|word| {
        end += word % 24;
        end
    }));
    let columns: Vec<u32> = random_words(end as usize, 2).into_iter().map(|word| word % rows as u32).collect();
    let (entries, vector) = (random_floats(end as usize, 3), random_floats(rows, 4));
    Case::of(include_str!("../kernels/spmv_csr.wgsl"))
        .input("starts", &starts)
        .input("columns", &columns)
        .input("entries", &entries)
        .input("vector", &vector)
        .output("product", rows)
        .threads([rows, 1, 1], [128, 1, 1])
        .floats(1e-5, move |row| {
            let entry = |at: usize| f64::from(entries[at]) * f64::from(vector[columns[at] as usize]);
            (starts[row] as usize..starts[row + 1] as usize).map(entry).sum::<f64>() as f32
        })
}

pub(super) fn lu_step(scale: Scale) -> Case {
    let (size, step) = (scale.pick(128, 1024, 8192), 3);
    let mut matrix = random_floats(size * size, 1);
    matrix[step * size + step] = 2.5;
    Case::of(include_str!("../kernels/lu_step.wgsl"))
        .params(&[size, step])
        .input("matrix", &matrix)
        .output("reduced", size * size)
        .threads([size, size, 1], [16, 16, 1])
        .floats(1e-5, move |at| {
            let (row, column) = (at / size, at % size);
            if row <= step || column < step {
                return matrix[at];
            }
            let factor = matrix[row * size + step] / 2.5;
            if column == step { factor } else { matrix[at] - factor * matrix[step * size + column] }
        })
}

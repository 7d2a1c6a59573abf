//! A matrix product: one element per invocation, tiles, and the choice of `Matmul`: the library, if there is one.

use anywarp::backend::{Precision, Routine};
use anywarp::ops::Matmul;
use anywarp::{Recording, UnifiedBuffer, Wgsl};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

anywarp::kernels!(mod tiles = "shaders/ops/matmul_f32.wgsl", root = "shaders");

struct Arrays {
    a: UnifiedBuffer<f32>,
    b: UnifiedBuffer<f32>,
    c: UnifiedBuffer<f32>,
}

/// Some elements of the product, row-major; computing all of them would take the host too long.
fn sampled(a: &[f32], b: &[f32], side: usize, at: usize) -> f32 {
    let (row, column) = (at / side, at % side);
    (0..side).map(|k| f64::from(a[row * side + k]) * f64::from(b[k * side + column])).sum::<f64>() as f32
}

pub(crate) fn climb(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let (a, b) = (numbers(side * side, 1), numbers(side * side, 2));
    let samples: Vec<usize> = (0..997).map(|at| at * 7919 % (side * side)).collect();
    let wanted: Vec<f32> = samples.iter().map(|at| sampled(&a, &b, side, *at)).collect();
    let device = ladder.device.clone();
    let mut arrays = Arrays { a: device.buffer_from(&a)?, b: device.buffer_from(&b)?, c: device.buffer(side * side)? };
    let cost = Matmul::new([side; 3]).cost::<f32>(&device)?;
    let operator = format!("matrix product f32, {side} x {side}");
    let check = |arrays: &Arrays| {
        let c = arrays.c.read()?;
        let got: Vec<f32> = samples.iter().map(|at| c[*at]).collect();
        close(&got, &wanted, 1e-3)
    };

    let kernel = device.kernel(Wgsl::new(include_str!("product.wgsl")).file("product.wgsl"))?;
    let naive = |Arrays { a, b, c }: &mut Arrays, recording: &mut Recording| {
        let launch = kernel.launch().set("side", side as u32).bind("a", &*a).bind("b", &*b).bind("c", c);
        launch.record(recording).threads([side, side])?;
        Ok(())
    };
    ladder.rung((&operator, "naive"), cost, &mut arrays, naive, check)?;
    arrays.c.fill(0.0)?;
    let tuned = |Arrays { a, b, c }: &mut Arrays, recording: &mut Recording| {
        let (m, k, n) = (side as u32, side as u32, side as u32);
        let sizes = tiles::Sizes { m, k, n, first_of_a: 0, first_of_b: 0, first_of_c: 0 };
        let args = tiles::Args { sizes, a: &*a, b: &*b, c };
        tiles::matmul(&device)?.launch(args).record(recording).groups([side.div_ceil(64), side.div_ceil(64)])?;
        Ok(())
    };
    ladder.rung((&operator, "tiles"), cost, &mut arrays, tuned, check)?;
    if device.caps().library.contains(&Routine::MatrixProduct(Precision::F32)) {
        arrays.c.fill(0.0)?;
        let library = |Arrays { a, b, c }: &mut Arrays, recording: &mut Recording| {
            Ok(Matmul::new([side; 3]).record(recording).run(&*a, &*b, c)?)
        };
        ladder.rung((&operator, "library"), cost, &mut arrays, library, check)?;
    }
    Ok(())
}

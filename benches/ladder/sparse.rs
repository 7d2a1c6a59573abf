//! Products of sparse matrices, and solvers: a Poisson equation on a grid, and rows whose lengths follow a power law.

use std::time::Instant;

use anywarp::Recording;
use anywarp::UnifiedBuffer;
use anywarp::ops::{ConjugateGradients, Multigrid, Preconditioner, SolveError, SparseMatrix, SparseProduct};
use anywarp::ops::{SampledProduct, reduce, sparse_sum, spgemm};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let edge = 1usize << (elements / 4).ilog2().div_ceil(3).min(8);
    let grid = [edge; 3];
    let poisson = SparseMatrix::<f32>::poisson(&device, &grid)?;
    let what = format!("spmv of Poisson {edge}^3");
    product(ladder, &what, &poisson, |at, x| {
        let (mut sum, mut stride) = (6.0 * x[at], 1);
        for _ in 0..3 {
            let place = at / stride % edge;
            sum -= if place > 0 { x[at - stride] } else { 0.0 };
            sum -= if place + 1 < edge { x[at + stride] } else { 0.0 };
            stride *= edge;
        }
        sum
    })?;
    conjugate_gradients(ladder, &grid, &poisson)?;
    drop(poisson);
    matrices(ladder, elements)?;
    let csr = power_law(elements / 64);
    let rows = csr.0.len() - 1;
    let a = SparseMatrix::from_csr(&device, [rows, rows], &csr.0, &csr.1, &csr.2)?;
    let what = format!("spmv of a power law, {} M", csr.1.len() >> 20);
    product(ladder, &what, &a, |row, x| {
        let entries = csr.0[row] as usize..csr.0[row + 1] as usize;
        entries.map(|at| f64::from(csr.2[at]) * f64::from(x[csr.1[at] as usize])).sum::<f64>() as f32
    })
}

/// Measures a product with a vector; `wanted` computes an element of the result, and some rows are compared.
fn product(
    ladder: &mut Ladder,
    what: &str,
    a: &SparseMatrix<f32>,
    wanted: impl Fn(usize, &[f32]) -> f32,
) -> Outcome<()> {
    let device = ladder.device.clone();
    let values = numbers(a.columns(), 3);
    let (x, mut y) = (device.buffer_from(&values)?, device.buffer::<f32>(a.rows())?);
    let cost = SparseProduct::new().cost(a)?;
    let record = |y: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(SparseProduct::new().record(recording).run(a, &x, y)?)
    };
    let check = |y: &UnifiedBuffer<f32>| {
        let got = y.read()?;
        let rows: Vec<usize> = (0..a.rows()).step_by(97).collect();
        let some: Vec<f32> = rows.iter().map(|row| got[*row]).collect();
        let wanted: Vec<f32> = rows.iter().map(|row| wanted(*row, &values)).collect();
        // Sums of up to 200,000 terms of f32.
        close(&some, &wanted, 2e-2)
    };
    ladder.rung((what, "SparseProduct"), cost, &mut y, record, check)
}

/// Measures an iteration of conjugate gradients, beside the product and the two sums that it cannot do without, and a
/// V-cycle.
fn conjugate_gradients(ladder: &mut Ladder, grid: &[usize], a: &SparseMatrix<f32>) -> Outcome<()> {
    let device = ladder.device.clone();
    let name = format!("cg of Poisson {}^3", grid[0]);
    let values = numbers(a.rows(), 5);
    let (b, mut q) = (device.buffer_from(&values)?, device.buffer::<f32>(a.rows())?);
    let mut sums = device.buffer::<f32>(2)?;
    let mut cost = SparseProduct::new().cost(a)?;
    cost.bytes += 12 * a.rows() as u64;
    cost.flops += 4 * a.rows() as u64;
    let record = |(q, sums): &mut (&mut UnifiedBuffer<f32>, &mut UnifiedBuffer<f32>), recording: &mut Recording| {
        SparseProduct::new().record(recording).run(a, &b, &mut **q)?;
        reduce::dot().call(&device).record(recording).run((&b, &**q), sums.slice_mut(..1))?;
        Ok(reduce::dot().call(&device).record(recording).run((&b, &b), sums.slice_mut(1..))?)
    };
    let exact: f64 = values.iter().map(|b| f64::from(*b) * f64::from(*b)).sum();
    let check = |(_, sums): &(&mut UnifiedBuffer<f32>, &mut UnifiedBuffer<f32>)| {
        close(&sums.read()?[1..], &[exact as f32], 1e-4)
    };
    ladder.rung((&name, "product, two dots"), cost, &mut (&mut q, &mut sums), record, check)?;
    let mut x = device.buffer::<f32>(a.rows())?;
    let mut solved = |iterations: u32| -> Outcome<f64> {
        let start = Instant::now();
        match ConjugateGradients::new().tolerance(0.0).max_iterations(iterations).run(a, &b, &mut x) {
            Err(SolveError::NotConverged { iterations: done, relative_residual, .. })
                if done == iterations && relative_residual < 1.0 =>
            {
                Ok(start.elapsed().as_secs_f64())
            }
            outcome => Err(format!("wrong result: conjugate gradients: {outcome:?}").into()),
        }
    };
    solved(64)?;
    // The difference of two numbers of iterations contains no preparation, and is long compared with its variation.
    let mut each: Vec<f64> = Vec::new();
    for _ in 0..5 {
        each.push((solved(384)? - solved(128)?) / 256.0);
    }
    each.sort_by(f64::total_cmp);
    ladder.measured((&name, "an iteration"), ConjugateGradients::new().cost(a)?, each[2]);
    let cycle = Multigrid::new(grid)?;
    let mut cost = SparseProduct::new().cost(a)?;
    // Two sweeps, the residual and the correction read and write each point a few times.
    cost.bytes = 4 * 12 * a.rows() as u64;
    let record = |q: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(Preconditioner::<f32>::record(&cycle, recording, &b, q)?)
    };
    let check = |q: &UnifiedBuffer<f32>| {
        let mut rest = device.buffer_from(&values)?;
        SparseProduct::new().alpha(-1.0).beta(1.0).run(a, q, &mut rest)?;
        let rest: f64 = rest.read()?.iter().map(|r| f64::from(*r) * f64::from(*r)).sum();
        if rest < exact { Ok(()) } else { Err(format!("a residual of {rest}, before {exact}").into()) }
    };
    ladder.rung((&name, "Multigrid, a cycle"), cost, &mut q, record, check)
}

/// Measures operations whose result is a sparse matrix, by the clock of the host, and a sampled product.
fn matrices(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let device = ladder.device.clone();
    let edge = 1usize << (elements / 32).ilog2().div_ceil(3).min(7);
    let a = SparseMatrix::<f32>::poisson(&device, &[edge; 3])?;
    let of = format!("of Poisson {edge}^3");
    let x = device.buffer_from(&numbers(a.rows(), 7))?;
    let (mut y, mut z) = (device.buffer::<f32>(a.rows())?, device.buffer::<f32>(a.rows())?);
    SparseProduct::new().run(&a, &x, &mut y)?;
    let product = SparseProduct::new().cost(&a)?;
    let mut measure = |name: &str, factor: f32, make: &dyn Fn() -> Outcome<SparseMatrix<f32>>| -> Outcome<()> {
        let made = make()?;
        // The square of the matrix is multiplied with y, so that both sides are powers of the matrix times x.
        let times = if name == "spgemm" { &y } else { &x };
        SparseProduct::new().run(&made, times, &mut z)?;
        let wanted = if name == "spgemm" {
            let mut twice = device.buffer::<f32>(a.rows())?;
            let mut thrice = device.buffer::<f32>(a.rows())?;
            SparseProduct::new().run(&a, &y, &mut twice)?;
            SparseProduct::new().run(&a, &twice, &mut thrice)?;
            thrice.read()?.to_vec()
        } else {
            y.read()?.iter().map(|y| factor * y).collect()
        };
        close(&z.read()?, &wanted, 1e-2)?;
        let mut cost = product;
        cost.bytes += (8 * made.entries() + 4 * made.rows()) as u64;
        cost.flops = 0;
        let mut times = Vec::new();
        for _ in 0..5 {
            device.synchronize()?;
            let start = Instant::now();
            drop(make()?);
            device.synchronize()?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        ladder.measured((&format!("{name} {of}"), "by the clock of the host"), cost, times[2]);
        Ok(())
    };
    measure("transpose", 1.0, &|| Ok(a.transpose()?))?;
    measure("sparse_sum", 3.0, &|| Ok(sparse_sum(2.0, &a, 1.0, &a)?))?;
    measure("spgemm", 1.0, &|| Ok(spgemm(&a, &a)?))?;
    let depth = 32;
    let dense = numbers(a.rows() * depth, 9);
    let (of_dense, mut values) = (device.buffer_from(&dense)?, device.buffer::<f32>(a.entries())?);
    let cost = SampledProduct::new(depth).cost(&a)?;
    let record = |values: &mut UnifiedBuffer<f32>, recording: &mut Recording| {
        Ok(SampledProduct::new(depth).record(recording).run(&a, &of_dense, &of_dense, values)?)
    };
    let (rows, columns, _) = a.to_coo()?;
    let check = |values: &UnifiedBuffer<f32>| {
        let got = values.read()?;
        let row = |row: u32| &dense[row as usize * depth..][..depth];
        let some: Vec<usize> = (0..got.len()).step_by(97).collect();
        let dot = |at: &usize| row(rows[*at]).iter().zip(row(columns[*at])).map(|(x, y)| x * y).sum::<f32>();
        let wanted: Vec<f32> = some.iter().map(dot).collect();
        close(&some.iter().map(|at| got[*at]).collect::<Vec<_>>(), &wanted, 1e-3)
    };
    ladder.rung((&format!("sddmm {of}"), "SampledProduct"), cost, &mut values, record, check)
}

/// A matrix in CSR with 40 entries in a row on average, of which the longest rows have half.
fn power_law(rows: usize) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
    let (mut offsets, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::new());
    for row in 0..rows {
        let rank = row.wrapping_mul(0x9e37_79b1) % rows;
        let length = 20 + (rows * 3 / 2 / (rank + 1)).min(200_000);
        for entry in 0..length {
            let number = (row.wrapping_mul(0x85eb_ca6b) ^ entry.wrapping_mul(0xc2b2_ae35)).wrapping_mul(0x9e37_79b9);
            columns.push(((number >> 11) % rows) as u32);
            values.push((number >> 7 & 15) as f32 / 8.0 - 1.0);
        }
        offsets.push(columns.len() as u32);
    }
    (offsets, columns, values)
}

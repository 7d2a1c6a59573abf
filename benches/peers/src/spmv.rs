//! Products of sparse matrices with vectors beside a loop over rows.

use anywarp::Device;
use anywarp::ops::{SparseMatrix, SparseProduct};
use rayon::prelude::*;

use crate::{Outcome, compare, near};

/// Rows of a task of `rayon`, at least.
const TASK: usize = 256;

pub(crate) fn all(device: &Device, quick: bool) -> Outcome<()> {
    let edge = if quick { 24 } else { 96 };
    one(device, &format!("spmv of Poisson {edge}^3"), SparseMatrix::poisson(device, &[edge; 3])?)?;
    let (rows, mut offsets) = (if quick { 1usize << 12 } else { 1 << 16 }, vec![0u32]);
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let rank = row.wrapping_mul(0x9e37_79b1) % rows;
        for entry in 0..20 + (rows * 3 / 2 / (rank + 1)).min(200_000) {
            let number = (row.wrapping_mul(0x85eb_ca6b) ^ entry.wrapping_mul(0xc2b2_ae35)).wrapping_mul(0x9e37_79b9);
            columns.push(((number >> 11) % rows) as u32);
            values.push((number >> 7 & 15) as f32 / 8.0 - 1.0);
        }
        offsets.push(columns.len() as u32);
    }
    let what = format!("spmv of a power law, {} K entries", columns.len() >> 10);
    one(device, &what, SparseMatrix::from_csr(device, [rows; 2], &offsets, &columns, &values)?)
}

fn one(device: &Device, what: &str, a: SparseMatrix<f32>) -> Outcome<()> {
    let host_x: Vec<f32> = (0..a.columns()).map(|at| (at as f32 * 0.7).sin()).collect();
    let offsets = a.offsets().read()?.to_vec();
    let columns = a.column_indices().read()?.to_vec();
    let values = a.values().read()?.to_vec();
    let (x, mut y) = (device.buffer_from(&host_x)?, device.buffer::<f32>(a.rows())?);
    let mut recording = device.recording();
    SparseProduct::new().record(&mut recording).run(&a, &x, &mut y)?;
    let mut output = vec![0.0f32; a.rows()];
    let mut peer = || -> Outcome<()> {
        output.par_iter_mut().with_min_len(TASK).enumerate().for_each(|(row, y)| {
            let entries = offsets[row] as usize..offsets[row + 1] as usize;
            let pairs = columns[entries.clone()].iter().zip(&values[entries]);
            *y = pairs.map(|(column, value)| value * host_x[*column as usize]).sum();
        });
        Ok(())
    };
    recording.submit()?.wait()?;
    peer()?;
    let mut ours = || -> Outcome<()> { Ok(recording.submit()?.wait()?) };
    compare(what, Some(0.8), &mut ours, &mut peer)?;
    near(&y.read()?, &output, 1e-4, what)
}

//! The shapes that are tuned: those for which the defaults were made, and others.

use anywarp::f16;
use anywarp::ops::{Conv, Matmul, MatmulElement, MatmulResult, Scan, Softmax, Sort};
use anywarp::tune::Call;

use super::Bench;
use super::shared::Outcome;

type Tune = fn(&mut Bench) -> Outcome<()>;

pub(crate) const ALL: [(&str, Tune); 6] = [
    ("matmul_f32", matmul_f32),
    ("matmul_f16", matmul_f16),
    ("sort", sort),
    ("scan", scan),
    ("conv", conv),
    ("softmax", softmax),
];

/// Scrambled numbers from 0 to 255.
fn hash(at: usize) -> u32 {
    (at as u32).wrapping_mul(2_654_435_761) >> 24
}

fn unit(at: usize) -> f32 {
    hash(at) as f32 / 256.0 - 0.5
}

/// Compares some results with those of a function.
fn compare(got: &[f32], wanted: impl Fn(usize) -> f64, tolerance: f64) -> Result<(), String> {
    for at in (0..got.len()).step_by((got.len() / 97).max(1)) {
        let (got, wanted) = (f64::from(got[at]), wanted(at));
        // False for NaN, too.
        let is_near = (got - wanted).abs() <= tolerance * wanted.abs().max(1.0);
        if !is_near {
            return Err(format!("element {at}: expected {wanted}, got {got}"));
        }
    }
    Ok(())
}

const PRODUCTS: [[usize; 3]; 6] =
    [[4096, 4096, 4096], [1000, 3000, 520], [64, 16_384, 256], [20, 4096, 4096], [5, 8192, 2048], [8192, 64, 8192]];
const SMALL_PRODUCTS: [[usize; 3]; 6] =
    [[192, 192, 192], [100, 300, 52], [16, 4096, 32], [20, 256, 256], [5, 1024, 256], [256, 16, 256]];

fn matmul_f32(bench: &mut Bench) -> Outcome<()> {
    products::<f32>(bench, "matmul_f32", |x| x, |x| x, 1e-4)
}

fn matmul_f16(bench: &mut Bench) -> Outcome<()> {
    products::<f16>(bench, "matmul_f16", f16::from_f32, f16::to_f32, 2e-2)
}

fn products<T: MatmulElement + MatmulResult<T>>(
    bench: &mut Bench,
    name: &str,
    of: fn(f32) -> T,
    to: fn(T) -> f32,
    tolerance: f64,
) -> Outcome<()> {
    for [m, k, n] in if bench.small { SMALL_PRODUCTS } else { PRODUCTS } {
        let device = bench.device.clone();
        let (a, b): (Vec<f32>, Vec<f32>) =
            ((0..m * k).map(unit).collect(), (0..k * n).map(|at| unit(at + 7)).collect());
        let on_device = |x: &[f32]| device.buffer_from(&x.iter().map(|x| of(*x)).collect::<Vec<T>>());
        let (on_a, on_b) = (on_device(&a)?, on_device(&b)?);
        let mut c = device.buffer::<T>(m * n)?;
        Matmul::new([m, k, n]).run(&on_a, &on_b, &mut c)?;
        let got: Vec<f32> = c.read()?.iter().map(|x| to(*x)).collect();
        let dot = |at: usize| (0..k).map(|j| f64::from(a[at / n * k + j]) * f64::from(b[j * n + at % n])).sum();
        let check = compare(&got, dot, tolerance);
        let call =
            Call::new(&device, c, |c, recording| Matmul::new([m, k, n]).record(recording).run(&on_a, &on_b, &mut *c))?;
        bench.tune(format!("{name} {m}x{k}x{n}"), call, check)?;
    }
    Ok(())
}

fn sort(bench: &mut Bench) -> Outcome<()> {
    let lengths = if bench.small {
        [1000, 4000, 10_000, 30_000, 60_000, 100_000]
    } else {
        [3000, 20_000, 300_000, 3_000_000, 1 << 24, 50_000_000]
    };
    for length in lengths {
        let device = bench.device.clone();
        let x: Vec<u32> = (0..length).map(|at| (at as u32).wrapping_mul(2_654_435_761).rotate_left(9)).collect();
        let on_x = device.buffer_from(&x)?;
        let mut y = device.buffer::<u32>(length)?;
        Sort::new().run(&on_x, &mut y)?;
        let got = y.read()?.to_vec();
        let mut wanted = x;
        wanted.sort_unstable();
        let check = if got == wanted { Ok(()) } else { Err("not sorted".to_owned()) };
        let call = Call::new(&device, y, |y, recording| Sort::new().record(recording).run(&on_x, &mut *y))?;
        bench.tune(format!("sort u32 {length}"), call, check)?;
    }
    Ok(())
}

fn scan(bench: &mut Bench) -> Outcome<()> {
    let shapes: [[usize; 2]; 6] = if bench.small {
        [[1, 1000], [1, 30_000], [1, 100_000], [100, 1000], [2000, 50], [3, 40_001]]
    } else {
        [[1, 100_000], [1, 3_000_000], [1, 1 << 26], [1000, 3000], [200_000, 100], [1, 10_000_001]]
    };
    for [lines, length] in shapes {
        let device = bench.device.clone();
        let x: Vec<u32> = (0..lines * length).map(hash).collect();
        let on_x = device.buffer_from(&x)?;
        let mut y = device.buffer::<u32>(lines * length)?;
        let new = || if lines == 1 { Scan::sum() } else { Scan::sum().axis([lines, length], 1) };
        new().run(&on_x, &mut y)?;
        let got = y.read()?.to_vec();
        let mut sum = 0_u32;
        let is_right = x.iter().zip(&got).enumerate().all(|(at, (x, got))| {
            sum = if at % length == 0 { *x } else { sum.wrapping_add(*x) };
            sum == *got
        });
        let check = if is_right { Ok(()) } else { Err("a wrong sum".to_owned()) };
        let call = Call::new(&device, y, |y, recording| new().record(recording).run(&on_x, &mut *y))?;
        bench.tune(format!("scan u32 {lines}x{length}"), call, check)?;
    }
    Ok(())
}

/// The shapes of `x` and of the weights, of which the last two sizes are positions.
const CONVOLUTIONS: [([usize; 4], [usize; 4]); 6] = [
    ([32, 64, 56, 56], [64, 64, 3, 3]),
    ([8, 256, 14, 14], [512, 256, 3, 3]),
    ([32, 3, 224, 224], [16, 3, 3, 3]),
    ([4, 512, 7, 7], [512, 512, 1, 1]),
    ([1, 12, 512, 512], [12, 12, 5, 5]),
    ([64, 128, 1, 1000], [64, 128, 1, 9]),
];
const SMALL_CONVOLUTIONS: [([usize; 4], [usize; 4]); 6] = [
    ([2, 8, 14, 14], [16, 8, 3, 3]),
    ([1, 16, 7, 7], [16, 16, 1, 1]),
    ([1, 3, 32, 32], [4, 3, 3, 3]),
    ([1, 1, 60, 60], [1, 1, 5, 5]),
    ([2, 16, 1, 50], [16, 16, 1, 3]),
    ([4, 4, 9, 9], [20, 4, 3, 3]),
];

fn conv(bench: &mut Bench) -> Outcome<()> {
    for (shape, weights) in if bench.small { SMALL_CONVOLUTIONS } else { CONVOLUTIONS } {
        let device = bench.device.clone();
        let x: Vec<f32> = (0..shape.iter().product()).map(unit).collect();
        let w: Vec<f32> = (0..weights.iter().product()).map(|at| unit(at + 7)).collect();
        let (on_x, on_w) = (device.buffer_from(&x)?, device.buffer_from(&w)?);
        let new = || Conv::<f32>::new(shape, weights);
        let of_y = new().shape()?;
        let mut y = device.buffer::<f32>(of_y.iter().product())?;
        new().run(&on_x, &on_w, &mut y)?;
        let got = y.read()?.to_vec();
        let ([_, inputs, height, width], [outputs, _, kernel_y, kernel_x]) = (shape, weights);
        let (rows, columns) = (of_y[2], of_y[3]);
        let wanted = |at: usize| {
            let (column, row) = (at % columns, at / columns % rows);
            let (output, example) = (at / columns / rows % outputs, at / columns / rows / outputs);
            let mut sum = 0.0;
            for input in 0..inputs {
                for ky in 0..kernel_y {
                    for kx in 0..kernel_x {
                        let from = ((example * inputs + input) * height + row + ky) * width + column + kx;
                        let weight = ((output * inputs + input) * kernel_y + ky) * kernel_x + kx;
                        sum += f64::from(x[from]) * f64::from(w[weight]);
                    }
                }
            }
            sum
        };
        let check = compare(&got, wanted, 1e-4);
        let call = Call::new(&device, y, |y, recording| new().record(recording).run(&on_x, &on_w, &mut *y))?;
        bench.tune(format!("conv f32 {shape:?} {weights:?}"), call, check)?;
    }
    Ok(())
}

fn softmax(bench: &mut Bench) -> Outcome<()> {
    let shapes: [[usize; 2]; 6] = if bench.small {
        [[100, 100], [1000, 32], [4, 20_000], [1, 100_000], [300, 301], [32, 4096]]
    } else {
        [[4096, 4096], [100_000, 64], [16, 1_000_000], [1, 1 << 25], [3000, 3001], [512, 32_768]]
    };
    for [rows, length] in shapes {
        let device = bench.device.clone();
        let x: Vec<f32> = (0..rows * length).map(|at| 8.0 * unit(at)).collect();
        let on_x = device.buffer_from(&x)?;
        let mut y = device.buffer::<f32>(rows * length)?;
        Softmax::new([rows, length], 1).run(&on_x, &mut y)?;
        let got: Vec<f32> = y.read()?.iter().map(|y| y * length as f32).collect();
        let wanted = |at: usize| {
            let row = &x[at / length * length..][..length];
            let sum: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
            f64::from(x[at]).exp() / sum * length as f64
        };
        let check = compare(&got, wanted, 1e-3);
        let call = Call::new(&device, y, |y, recording| {
            Softmax::new([rows, length], 1).record(recording).run(&on_x, &mut *y)
        })?;
        bench.tune(format!("softmax f32 {rows}x{length}"), call, check)?;
    }
    Ok(())
}

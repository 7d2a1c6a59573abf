//! `anywarp bench mfu`: matrix products of each precision, as shares of the device's peak.

use std::time::Duration;

use anywarp::backend::{CooperativeProduct, Scalar, ScalarKind};
use anywarp::ops::{Matmul, MatmulElement, MatmulMethod, Precision};
use anywarp::{Device, Recording, Wgsl};
use serde::Serialize;

use super::median;
use crate::failure::Failure;
use crate::terminal;

/// A kernel of four chains of products of cooperative matrices in each subgroup. Every product adds 1/16 to all
/// elements.
const MULTIPLY_ADD: &str = "
    enable f16;
    enable wgpu_cooperative_matrix;
    @group(0) @binding(0) var<uniform> steps: u32;
    @group(0) @binding(1) var<storage> x: array<f16>;
    @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(128)
    fn multiply_add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
        let left = coopLoad<coop_mat16x16<f16, A>>(&x[0], 16u);
        let right = coopLoad<coop_mat16x16<f16, B>>(&x[256], 16u);
        var a = coop_mat16x16<f32, C>();
        var b = coop_mat16x16<f32, C>();
        var c = coop_mat16x16<f32, C>();
        var d = coop_mat16x16<f32, C>();
        for (var step = 0u; step < steps; step++) {
            a = coopMultiplyAdd(left, right, a);
            b = coopMultiplyAdd(left, right, b);
            c = coopMultiplyAdd(left, right, c);
            d = coopMultiplyAdd(left, right, d);
        }
        coopStore((a + b) + (c + d), &y[(group.x * 4u + index / 32u) * 256u], 16u);
    }";
const STEPS: u32 = 4096;
const GROUPS: usize = 1056;
/// The number of submissions between two waits.
const IN_A_ROW: u32 = 8;
/// The number of floating-point operations of a product of 16 x 16 matrices.
const EACH: f64 = 2.0 * 16.0 * 16.0 * 16.0;

/// The precisions, in the order of the data sheets.
const PRECISIONS: [Precision; 4] = [Precision::F32, Precision::Tf32, Precision::F16, Precision::Bf16];
/// The dense operations per second that NVIDIA's data sheets state for each of `PRECISIONS`, in units of 10^12. Where
/// one name begins with another, the longer name comes first.
const DATA_SHEETS: [(&str, [f64; 4]); 6] = [
    ("NVIDIA H200", [67.0, 494.5, 989.5, 989.5]),
    ("NVIDIA H100 PCIe", [51.0, 378.0, 756.0, 756.0]),
    ("NVIDIA H100", [67.0, 494.5, 989.5, 989.5]),
    ("NVIDIA A100", [19.5, 156.0, 312.0, 312.0]),
    ("NVIDIA L4", [30.3, 60.5, 121.0, 121.0]),
    ("Tesla T4", [8.1, 8.1, 65.0, 65.0]),
];

/// The measurement of a matrix product.
struct Product {
    precision: Precision,
    method: MatmulMethod,
    seconds: f64,
    flops: f64,
}

/// The rate of one precision by one method, in operations per second and as shares of peaks.
#[derive(Debug, Serialize)]
struct Rate {
    precision: String,
    method: String,
    seconds: f64,
    flops: f64,
    /// The highest measured rate; `peak_of` says which measurement it is from, and `share` is `flops / peak`.
    peak: f64,
    peak_of: &'static str,
    share: f64,
    /// The peak in the data sheet, and `flops` as a share of it; `None` for cards that `DATA_SHEETS` does not list.
    data_sheet: Option<f64>,
    data_sheet_share: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Report {
    device: crate::report::Device,
    side: usize,
    rates: Vec<Rate>,
}

/// The settings of the measurements.
#[derive(Clone, Copy)]
struct Measurement<'a> {
    device: &'a Device,
    side: usize,
    repeats: usize,
    budget: Duration,
}

/// Measures products of two square matrices, which have `elements` elements together, and returns the table.
pub(super) fn table(
    device: &Device,
    elements: usize,
    repeats: usize,
    budget: Duration,
    multiply_adds: f64,
    json: bool,
) -> Result<String, Failure> {
    let side = (elements / 2).isqrt().max(1);
    let measurement = Measurement { device, side, repeats, budget: budget / 8 };
    let cooperative = measurement.cooperative()?;
    let sheet = DATA_SHEETS.iter().find(|(name, _)| device.caps().name.starts_with(name));
    let mut rates = Vec::new();
    for (index, precision) in PRECISIONS.into_iter().enumerate() {
        let (products, own) = match precision {
            Precision::F16 => (
                measurement.products(precision, half::f16::from_f32, half::f16::to_f64)?,
                cooperative.map(|flops| (flops, "cooperative matrices")),
            ),
            Precision::Bf16 => (measurement.products(precision, half::bf16::from_f32, half::bf16::to_f64)?, None),
            Precision::F32 => {
                (measurement.products::<f32>(precision, |x| x, f64::from)?, Some((multiply_adds, "multiply-adds")))
            }
            _ => (measurement.products::<f32>(precision, |x| x, f64::from)?, None),
        };
        let fastest = products.iter().map(|product| product.flops).fold(0.0, f64::max);
        let (peak, peak_of) = own.filter(|(flops, _)| *flops > fastest).unwrap_or((fastest, "the fastest product"));
        let data_sheet = sheet.map(|(_, rates)| rates[index] * 1e12);
        rates.extend(products.into_iter().map(|Product { precision, method, seconds, flops }| Rate {
            precision: precision.to_string(),
            method: method.to_string(),
            seconds,
            flops,
            peak,
            peak_of,
            share: flops / peak,
            data_sheet,
            data_sheet_share: data_sheet.map(|peak| flops / peak),
        }));
    }
    if json {
        let report = Report { device: crate::run::describe_device(device), side, rates };
        return Ok(serde_json::to_string_pretty(&report).unwrap_or_default());
    }
    Ok(text(device, side, &rates))
}

impl Measurement<'_> {
    /// Measures products of one precision: by the method that the operator chooses and, if that is a library, by the
    /// fastest WGSL kernel as well.
    fn products<T: MatmulElement>(
        &self,
        precision: Precision,
        to: fn(f32) -> T,
        from: fn(T) -> f64,
    ) -> Result<Vec<Product>, Failure> {
        let product = || Matmul::<T>::new([self.side; 3]).precision(precision);
        let chosen = product().chosen(self.device)?;
        // Without a library, TF32 products are computed in f32, which is measured separately.
        if precision == Precision::Tf32 && chosen != MatmulMethod::Library {
            return Ok(Vec::new());
        }
        let mut products = vec![self.product(precision, chosen, to, from)?];
        let kernels = [MatmulMethod::Cooperative, MatmulMethod::WideTiles, MatmulMethod::Tiles];
        let possible = |method: &MatmulMethod| product().method(*method).chosen(self.device).is_ok();
        if chosen == MatmulMethod::Library
            && precision != Precision::Tf32
            && let Some(method) = kernels.into_iter().find(possible)
        {
            products.push(self.product(precision, method, to, from)?);
        }
        Ok(products)
    }

    /// Checks a product, and measures it.
    fn product<T: MatmulElement>(
        &self,
        precision: Precision,
        method: MatmulMethod,
        to: fn(f32) -> T,
        from: fn(T) -> f64,
    ) -> Result<Product, Failure> {
        let side = self.side;
        // Every precision represents these numbers exactly.
        let number = |at: usize, factor: usize| ((at * factor) % 17) as f32 / 16.0 - 0.5;
        let matrix = |factor| (0..side * side).map(|at| to(number(at, factor))).collect::<Vec<T>>();
        let (a, b) = (self.device.buffer_from(&matrix(5))?, self.device.buffer_from(&matrix(7))?);
        let mut c = self.device.buffer::<T>(side * side)?;
        let mut recording = self.device.recording();
        Matmul::new([side; 3]).precision(precision).method(method).record(&mut recording).run(&a, &b, &mut c)?;
        recording.submit()?.wait()?;
        let result = c.read()?;
        for at in (0..side * side).step_by((side * side / 61).max(1)) {
            let (row, column) = (at / side, at % side);
            let terms =
                (0..side).map(|k| f64::from(number(row * side + k, 5)) * f64::from(number(k * side + column, 7)));
            let (wanted, size) = terms.fold((0.0, 0.0), |(sum, size), term: f64| (sum + term, size + term.abs()));
            let error = (from(result[at]) - wanted).abs();
            // The bound allows for rounding of the result to 8 bits of mantissa, and for rounding of the sums.
            let is_close = error <= wanted.abs() / 128.0 + size * 1e-5;
            if !is_close {
                let got = from(result[at]);
                return Err(Failure::File(format!(
                    "mfu, {precision} by {method}: wrong result: expected {wanted} in row {row}, column {column}, found \
                     {got}"
                )));
            }
        }
        drop(result);
        let seconds = self.seconds(&recording)?;
        Ok(Product { precision, method, seconds, flops: 2.0 * (side as f64).powi(3) / seconds })
    }

    /// The median time of a recording, in seconds. Several submissions share one wait, because a wait for each would
    /// add the host's time.
    fn seconds(&self, recording: &Recording) -> Result<f64, Failure> {
        let seconds = median(self.repeats, self.budget, || {
            for _ in 1..IN_A_ROW {
                recording.submit()?;
            }
            Ok(recording.submit()?.wait()?)
        })?;
        Ok(seconds / f64::from(IN_A_ROW))
    }

    /// The operations per second of cooperative matrices in registers; `None` on a device without products of `f16`.
    fn cooperative(&self) -> Result<Option<f64>, Failure> {
        let caps = self.device.caps();
        let float = |width| Scalar { kind: ScalarKind::Float, width };
        let product = CooperativeProduct { size: 16, factors: float(2), sums: float(4) };
        // A processor is excluded: it computes cooperative products by plain arithmetic.
        if !caps.cooperative.contains(&product) || caps.subgroup_size != Some((32, 32)) {
            return Ok(None);
        }
        let x = self.device.buffer_from(&[half::f16::from_f32(1.0 / 16.0); 512])?;
        let mut y = self.device.buffer::<f32>(GROUPS * 4 * 256)?;
        let mut recording = self.device.recording();
        let kernel = self.device.kernel(Wgsl::new(MULTIPLY_ADD).file("cooperative.wgsl"))?;
        let launch = kernel.launch().set("steps", STEPS).bind("x", &x).bind("y", &mut y);
        launch.record(&mut recording).groups([GROUPS as u32, 1])?;
        let seconds = self.seconds(&recording)?;
        let wanted = 4.0 * STEPS as f32 / 16.0;
        if let Some(wrong) = y.read()?.iter().find(|sum| **sum != wanted) {
            return Err(Failure::File(format!("mfu, products in registers: expected {wanted}, found {wrong}")));
        }
        Ok(Some(GROUPS as f64 * 16.0 * f64::from(STEPS) * EACH / seconds))
    }
}

fn text(device: &Device, side: usize, rates: &[Rate]) -> String {
    let caps = device.caps();
    let mut table = terminal::table();
    table.set_header(["precision", "method", "median", "rate", "measured peak", "share", "data sheet", "share"]);
    let rated = |rate: f64| {
        if rate < 1e12 { format!("{:.2} GFLOP/s", rate / 1e9) } else { format!("{:.1} TFLOP/s", rate / 1e12) }
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    for rate in rates {
        table.add_row([
            rate.precision.clone(),
            rate.method.clone(),
            terminal::duration(Duration::from_secs_f64(rate.seconds)),
            rated(rate.flops),
            format!("{} ({})", rated(rate.peak), rate.peak_of),
            percent(rate.share),
            rate.data_sheet.map_or_else(|| "unknown".to_owned(), rated),
            rate.data_sheet_share.map_or_else(String::new, percent),
        ]);
    }
    let head = format!("{} ({}, {})\n", caps.name, device.selector(), caps.driver);
    format!("{head}products of matrices of {side} x {side}; i8 has no operator\n\n{}", table.trim_fmt())
}

//! The ceilings of a device: its rates of copying and of arithmetic, measured in the same run as the operators.

use std::time::Duration;

use anywarp::{Device, Wgsl};
use serde::Serialize;

use super::{Row, median};
use crate::failure::Failure;

const COPY: &str = "
    @group(0) @binding(0) var<storage> x: array<vec4<f32>>;
    @group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
    @compute @workgroup_size(256) fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&y) { y[id.x] = x[id.x]; }
    }";

/// A kernel of four chains of 64 multiply-adds of vectors. Each chain converges to 1.
const MULTIPLY_ADD: &str = "
    @group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
    @compute @workgroup_size(256) fn multiply_add(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x >= arrayLength(&y) { return; }
        let half = vec4(0.5);
        var sums = array<vec4<f32>, 4>(y[id.x], y[id.x] + 1.0, y[id.x] + 2.0, y[id.x] + 3.0);
        var a = sums[0]; var b = sums[1]; var c = sums[2]; var d = sums[3];
        for (var step = 0u; step < 64u; step++) {
            a = fma(a, half, half);
            b = fma(b, half, half);
            c = fma(c, half, half);
            d = fma(d, half, half);
        }
        y[id.x] = (a + b) + (c + d);
    }";
/// The number of floating-point operations of one invocation of `MULTIPLY_ADD`.
const EACH: f64 = 2.0 * 4.0 * 4.0 * 64.0;
const ELEMENTS: usize = 1 << 22;
const INVOCATIONS: usize = 1 << 18;

/// The highest rates of a device.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Ceilings {
    /// The bytes per second that a copy reads and writes.
    pub(super) bytes: f64,
    /// Operations in `f32` per second.
    pub(super) flops: f64,
}

impl Ceilings {
    pub(super) fn measure(device: &Device, repeats: usize, budget: Duration) -> Result<Self, Failure> {
        // Arrays of this size exceed the caches of a processor. A GPU needs more, as the start of a copy takes time,
        // too.
        let is_host = device.caps().kind == anywarp::backend::DeviceKind::Software;
        let elements = if is_host { ELEMENTS } else { 16 * ELEMENTS };
        let x = device.buffer_from(&(0..elements).map(|at| at as f32).collect::<Vec<_>>())?;
        let mut y = device.buffer::<f32>(elements)?;
        let mut recording = device.recording();
        let kernel = device.kernel(Wgsl::new(COPY).file("copy.wgsl"))?;
        kernel.launch().bind("x", &x).bind("y", &mut y).record(&mut recording).threads(elements / 4)?;
        let seconds = median(repeats, budget, || Ok(recording.submit()?.wait()?))?;
        if *x.read()? != *y.read()? {
            return Err(Failure::File("the copy for the ceiling: wrong result".to_owned()));
        }
        let bytes = 8.0 * elements as f64 / seconds;

        let mut y = device.buffer_from(&vec![1.0_f32; 4 * INVOCATIONS])?;
        let mut recording = device.recording();
        let kernel = device.kernel(Wgsl::new(MULTIPLY_ADD).file("multiply_add.wgsl"))?;
        kernel.launch().bind("y", &mut y).record(&mut recording).threads(INVOCATIONS)?;
        let seconds = median(repeats, budget, || Ok(recording.submit()?.wait()?))?;
        if let Some(wrong) = y.read()?.iter().find(|sum| (**sum - 4.0).abs() > 1e-3) {
            return Err(Failure::File(format!("the multiply-adds for the ceiling: wrong result {wrong}")));
        }
        Ok(Self { bytes, flops: EACH * INVOCATIONS as f64 / seconds })
    }

    /// Raises the rate of arithmetic to the rate of the fastest row, if that is higher.
    pub(super) fn raise<'r>(&mut self, rows: impl Iterator<Item = &'r Row>) {
        self.flops = rows.map(|row| row.flops as f64 / row.seconds).fold(self.flops, f64::max);
    }

    /// The shortest time that the ceilings allow for this work, in seconds.
    pub(super) fn least(self, bytes: u64, flops: u64) -> f64 {
        (bytes as f64 / self.bytes).max(flops as f64 / self.flops)
    }

    /// Whether arithmetic, not memory, is the limit.
    pub(super) fn is_arithmetic(self, bytes: u64, flops: u64) -> bool {
        flops as f64 / self.flops > bytes as f64 / self.bytes
    }
}

//! Matrix products, compared with cuBLAS called directly with the same element type.

use anywarp::{Device, Element, UnifiedBuffer, bf16, f16, ops};
use cudarc::cublas::{result, sys};

use crate::measure::{interleaved, number, repeated, timed};
use crate::raw::{Memory, Raw};
use crate::table::{Goal, Row};
use crate::{Bench, Outcome, on_vulkan};

/// The number of entries that are recomputed on the host.
const SPOTS: usize = 64;

/// An element type of the products.
trait Number: Element {
    const NAME: &'static str;
    const CUBLAS: sys::cudaDataType;
    /// The relative error of one rounding.
    const ROUNDING: f64;
    /// The approximate number of multiplications per second, which determines the number of products per sample.
    const SPEED: f64;

    fn of(value: f32) -> Self;
    fn value(self) -> f64;
    fn multiply(a: &Square<Self>, b: &Square<Self>, c: &mut Square<Self>, side: usize) -> Outcome<()>;
}

type Square<T> = UnifiedBuffer<T>;

macro_rules! number {
    ($($rust:ident, $cublas:ident, $rounding:expr, $speed:expr, $of:expr;)*) => {$(
        impl Number for $rust {
            const NAME: &'static str = stringify!($rust);
            const CUBLAS: sys::cudaDataType = sys::cudaDataType_t::$cublas;
            const ROUNDING: f64 = $rounding;
            const SPEED: f64 = $speed;

            fn of(value: f32) -> Self {
                $of(value)
            }

            fn value(self) -> f64 {
                f64::from(self)
            }

            fn multiply(a: &Square<Self>, b: &Square<Self>, c: &mut Square<Self>, side: usize) -> Outcome<()> {
                Ok(ops::matmul(a, b, c, [side; 3])?)
            }
        }
    )*};
}

number! {
    f32, CUDA_R_32F, 6e-8, 25e12, std::convert::identity;
    f16, CUDA_R_16F, 5e-4, 350e12, f16::from_f32;
    bf16, CUDA_R_16BF, 4e-3, 350e12, bf16::from_f32;
}

/// Measures matrix products; returns the rows of the table.
pub(crate) fn rows(bench: &Bench) -> Outcome<Vec<Row>> {
    if bench.quick {
        return Ok(vec![row::<f32>(bench, 1024)?, row::<f16>(bench, 1024)?, row::<bf16>(bench, 1024)?]);
    }
    let mut rows = Vec::new();
    for side in [1024, 4096, 8192] {
        rows.push(row::<f32>(bench, side)?);
    }
    for side in [4096, 8192] {
        rows.push(row::<bf16>(bench, side)?);
        rows.push(row::<f16>(bench, side)?);
    }
    Ok(rows)
}

/// One element of the matrix with this seed, in [-1, 1).
fn element<T: Number>(seed: u32, index: usize) -> T {
    T::of(number(seed, index) * 0.25)
}

fn matrix<T: Number>(seed: u32, side: usize) -> Vec<T> {
    (0..side * side).map(|index| element(seed, index)).collect()
}

/// Compares entries spread over the whole matrix with sums in `f64`.
fn check<T: Number>(what: &str, got: &[T], side: usize) -> Outcome<()> {
    for spot in 0..SPOTS {
        let at = spot * (side * side - 1) / (SPOTS - 1);
        let (row, column) = (at / side, at % side);
        let products =
            (0..side).map(|k| element::<T>(1, row * side + k).value() * element::<T>(2, k * side + column).value());
        let want: f64 = products.sum();
        let got = got.get(at).map_or(f64::NAN, |got| got.value());
        // The tolerance grows with the size of the sums, whose products are added as `f32`.
        let tolerance = want.abs() * T::ROUNDING + 1e-5 * (side as f64).sqrt();
        let off = (got - want).abs();
        if off > tolerance || off.is_nan() {
            return Err(format!("wrong result: {what}: entry {row}, {column} is {got}, not {want}").into());
        }
    }
    Ok(())
}

/// The product through anywarp, and its matrices.
struct Ours<T: Number> {
    device: Device,
    a: Square<T>,
    b: Square<T>,
    c: Square<T>,
    side: usize,
}

impl<T: Number> Ours<T> {
    /// Creates the buffers and checks a first product.
    fn new(device: &Device, side: usize) -> Outcome<Self> {
        let (a, b) = (device.buffer_from(&matrix(1, side))?, device.buffer_from(&matrix(2, side))?);
        let mut ours = Self { device: device.clone(), a, b, c: device.buffer(side * side)?, side };
        ours.run(1)?;
        check(&format!("{} on {}", name::<T>(side), device.selector()), &ours.c.read()?, side)?;
        Ok(ours)
    }

    fn run(&mut self, products: usize) -> Outcome<()> {
        for _ in 0..products {
            T::multiply(&self.a, &self.b, &mut self.c, self.side)?;
        }
        Ok(self.device.synchronize()?)
    }
}

/// The product through cuBLAS, and its matrices.
struct Bare<'a> {
    raw: &'a Raw,
    handle: sys::cublasHandle_t,
    a: Memory,
    b: Memory,
    c: Memory,
    side: usize,
}

impl<'a> Bare<'a> {
    /// Creates the buffers and checks a first product.
    fn new<T: Number>(raw: &'a Raw, side: usize) -> Outcome<Self> {
        raw.enter()?;
        // SAFETY: only checks whether the library can be loaded.
        if !unsafe { sys::is_culib_present() } {
            return Err("cuBLAS cannot be loaded".into());
        }
        let (a, b) = (raw.memory_of(&matrix::<T>(1, side))?, raw.memory_of(&matrix::<T>(2, side))?);
        let c = raw.allocate(a.bytes)?;
        let bare = Self { raw, handle: result::create_handle()?, a, b, c, side };
        // SAFETY: the handle was just made, and the stream lives as long as the process.
        unsafe { result::set_stream(bare.handle, raw.stream.cast()) }?;
        bare.run::<T>(1)?;
        check(&format!("cuBLAS, {}", name::<T>(side)), &raw.values_of::<T>(&bare.c, side * side)?, side)?;
        Ok(bare)
    }

    fn run<T: Number>(&self, products: usize) -> Outcome<()> {
        let (one, zero) = (1.0f32, 0.0f32);
        let (one, zero) = (std::ptr::from_ref(&one).cast(), std::ptr::from_ref(&zero).cast());
        let side = i32::try_from(self.side)?;
        let plain = sys::cublasOperation_t::CUBLAS_OP_N;
        let compute = sys::cublasComputeType_t::CUBLAS_COMPUTE_32F;
        let algorithm = sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
        let (a, b, c) = (self.a.address as *const _, self.b.address as *const _, self.c.address as *mut _);
        for _ in 0..products {
            // cuBLAS is column-major: the row-major matrices are transposed there, and c' = b' a'.
            // SAFETY: the three are square matrices of `side` with this element type, and the factors are read before
            // the call returns.
            unsafe {
                result::gemm_ex(
                    self.handle,
                    plain,
                    plain,
                    side,
                    side,
                    side,
                    one,
                    b,
                    T::CUBLAS,
                    side,
                    a,
                    T::CUBLAS,
                    side,
                    zero,
                    c,
                    T::CUBLAS,
                    side,
                    compute,
                    algorithm,
                )
            }?;
        }
        self.raw.wait()
    }
}

impl Drop for Bare<'_> {
    fn drop(&mut self) {
        let entered = self.raw.enter();
        // SAFETY: the owner has waited for its products before dropping this.
        let destroyed = unsafe { result::destroy_handle(self.handle) };
        if let Err(error) = entered.and(destroyed.map_err(Into::into)) {
            eprintln!("a cuBLAS handle is not destroyed: {error}");
        }
    }
}

fn name<T: Number>(side: usize) -> String {
    format!("matmul {} {side}", T::NAME)
}

fn row<T: Number>(bench: &Bench, side: usize) -> Outcome<Row> {
    let work = 2.0 * (side as f64).powi(3);
    // A sample takes 2 ms or one product, so that the host's cost of a call counts as in normal use.
    let products = ((2e-3 * T::SPEED / work) as usize).clamp(1, 50);
    let pairs = if bench.quick { 5 } else { 20 };
    let mut ours = Ours::<T>::new(&bench.device, side)?;
    let bare = Bare::new::<T>(&bench.raw, side)?;
    let pair = interleaved(
        pairs,
        || timed(|| ours.run(products)),
        || {
            bench.raw.enter()?;
            timed(|| bare.run::<T>(products))
        },
    )?;
    drop((ours, bare));
    bench.device.trim();
    let vulkan = on_vulkan(bench, &name::<T>(side), |device| {
        let mut ours = Ours::<T>::new(device, side)?;
        repeated(3, || timed(|| ours.run(1)))
    });
    let rate = |seconds: f64, products: usize| work * products as f64 / seconds / 1e12;
    Ok(Row {
        name: name::<T>(side),
        unit: "TFLOP/s",
        ours: rate(pair.ours, products),
        raw: rate(pair.raw, products),
        ratio: 1.0 / pair.ratio,
        goal: Goal::AtLeast(0.97),
        vulkan: rate(vulkan.unwrap_or(f64::NAN), 1),
        note: "cublasGemmEx, added as f32".to_owned(),
    })
}

//! The product of two matrices.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{Caps, Precision, Routine};

use super::MatmulError;
use crate::buffer::cells::{cells, cells_mut};
use crate::buffer::core::Core;
use crate::buffer::transfer::{self, Target};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer, library};
use crate::error::{BufferError, LaunchError};
use crate::{Device, Element, Recording};

/// Rows and columns of `c` that one workgroup of the shaders computes.
const TILE: u64 = 64;
/// The shaders count elements in 32 bits, up to two tiles beyond the end.
const MOST_ELEMENTS: u64 = (1 << 32) - 256;

/// `c = a b` for dense matrices, row after row: `a` is `m` x `k`, `b` is `k` x `n`, `c` is `m` x `n`,
/// the sizes are `[m, k, n]`. What `c` held is overwritten; with `k` = 0 it becomes zeros.
///
/// Sums are made in `f32` whatever the elements are, in no certain order, so that an element of `c`
/// is off by at most `k` 2^-24 times the sum of |a||b|, and the rounding of the result where the
/// elements have 16 bits. `f32` is multiplied as `f32`: see [`Matmul::precision`].
///
/// Buffers of any length and slices from anywhere will do. Without the vendor's library `c` lies in
/// another buffer than `a` and `b`, unless the device's [`Caps::aliased_bindings`] holds. That the
/// product is not written where it is still read is what the borrows say:
///
/// ```compile_fail,E0502
/// # fn square(c: &mut anywarp::UnifiedBuffer<f32>) -> anywarp::Result<()> {
/// Ok(anywarp::ops::matmul(&*c, &*c, &mut *c, [2, 2, 2])?)
/// # }
/// ```
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// let a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let b = device.buffer_from(&[5.0f32, 6.0])?;
/// let mut c = device.buffer::<f32>(2)?;
/// anywarp::ops::matmul(&a, &b, &mut c, [2, 2, 1])?;
/// assert_eq!(*c.read()?, [17.0, 39.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`MatmulError`]; nothing has run then.
pub fn matmul<'a, 'b, 'c, T: MatmulElement>(
    a: impl Into<Slice<'a, T>>,
    b: impl Into<Slice<'b, T>>,
    c: impl Into<SliceMut<'c, T>>,
    sizes: [usize; 3],
) -> Result<(), MatmulError> {
    Matmul::new(sizes).run(a, b, c)
}

/// Elements of matrices: `f32`, [`half::f16`], [`half::bf16`].
pub trait MatmulElement: Element + sealed::Numbers {}

impl<T: Element + sealed::Numbers> MatmulElement for T {}

/// [`matmul`] with a choice of precision, and into a recording.
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// # let (a, b) = (device.buffer::<f32>(64 * 64)?, device.buffer::<f32>(64 * 64)?);
/// # let mut c = device.buffer::<f32>(64 * 64)?;
/// use anywarp::ops::{Matmul, Precision};
///
/// let mut recording = device.recording();
/// Matmul::new([64, 64, 64]).precision(Precision::Tf32).record(&mut recording).run(&a, &b, &mut c)?;
/// recording.submit()?.wait()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a matrix product does nothing until `run` is called"]
pub struct Matmul<'r> {
    sizes: [usize; 3],
    precision: Option<Precision>,
    recording: Option<&'r mut Recording>,
}

impl<'r> Matmul<'r> {
    /// A product of `m` x `k` and `k` x `n`, given as `[m, k, n]`.
    pub fn new(sizes: [usize; 3]) -> Self {
        Self { sizes, precision: None, recording: None }
    }

    /// The numbers to multiply; those of the elements' type unless this says otherwise.
    ///
    /// Of `f32` matrices [`Precision::Tf32`] may be asked for: NVIDIA's tensor cores then multiply
    /// the first 10 bits of each mantissa, many times as fast. A device whose library has no TF32
    /// computes in `f32` all the same, which is slower and more exact.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }

    /// Appends the product to `recording` instead of the device's own stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.recording = Some(recording);
        self
    }

    /// Multiplies; see [`matmul`].
    ///
    /// # Errors
    /// [`MatmulError`]; nothing has run then.
    pub fn run<'a, 'b, 'c, T: MatmulElement>(
        self,
        a: impl Into<Slice<'a, T>>,
        b: impl Into<Slice<'b, T>>,
        c: impl Into<SliceMut<'c, T>>,
    ) -> Result<(), MatmulError> {
        let (a, b, mut c) = (a.into(), b.into(), c.into());
        let [m, k, n] = self.sizes;
        let wanted = wanted::<T>(self.precision)?;
        check_length("a", &a.range, [m, k])?;
        check_length("b", &b.range, [k, n])?;
        check_length("c", &c.range, [m, n])?;
        for (what, core) in [("a", a.core), ("b", b.core)] {
            same_device(what, core, c.core)?;
        }
        match &self.recording {
            Some(recording) => recording.same_device(&c.core.device).map_err(|_| MatmulError::OtherDevice {
                what: "the recording",
                ours: c.core.device.selector.clone(),
                theirs: recording.device.selector.clone(),
            })?,
            None => {
                for (matrix, core) in [("a", a.core), ("b", b.core), ("c", c.core)] {
                    core.guarded().map_or(Ok(()), |guard| Err(MatmulError::InUse { matrix, guard }))?;
                }
            }
        }
        if m == 0 || n == 0 {
            return Ok(());
        }
        // Within 32 bits, as `check_length` has made sure.
        let sizes = [m, k, n].map(|size| size as u32);
        if k == 0 {
            return zeros(&mut c, sizes, self.recording);
        }
        match routine(c.core.device.caps(), wanted) {
            Some(precision) => by_library((&a, &b), &c, sizes, precision, self.recording),
            None => by_kernel((&a, &b), &c, sizes, self.recording),
        }
    }
}

/// The precision to compute with.
fn wanted<T: MatmulElement>(asked: Option<Precision>) -> Result<Precision, MatmulError> {
    match asked {
        None => Ok(T::PRECISION),
        Some(precision) if precision == T::PRECISION => Ok(precision),
        Some(Precision::Tf32) if T::PRECISION == Precision::F32 => Ok(Precision::Tf32),
        Some(precision) => {
            Err(MatmulError::Precision { precision, element: std::any::type_name::<T>(), fits: T::FITTING })
        }
    }
}

/// What the device's library has for `wanted`: the same, or what is more exact.
fn routine(caps: &Caps, wanted: Precision) -> Option<Precision> {
    let exact = if wanted == Precision::Tf32 { Precision::F32 } else { wanted };
    [wanted, exact].into_iter().find(|precision| caps.library.contains(&Routine::MatrixProduct(*precision)))
}

/// A matrix must be as long as its shape says. (That `c` lies apart from `a` and `b` is seen to by
/// the borrow checker.)
fn check_length(
    matrix: &'static str,
    range: &Result<Range<usize>, BufferError>,
    [rows, columns]: [usize; 2],
) -> Result<(), MatmulError> {
    let countable = [rows, columns].iter().all(|count| u32::try_from(*count).is_ok());
    let expected = rows.checked_mul(columns).filter(|_| countable);
    let expected = expected.ok_or(MatmulError::TooLarge { matrix, rows, columns })?;
    let range = range.clone().map_err(|error| MatmulError::Slice { matrix, error })?;
    if range.len() != expected {
        return Err(MatmulError::Length { matrix, rows, columns, expected, got: range.len() });
    }
    Ok(())
}

fn same_device(what: &'static str, core: &Core, c: &Core) -> Result<(), MatmulError> {
    if Arc::ptr_eq(&core.device, &c.device) {
        return Ok(());
    }
    let (ours, theirs) = (c.device.selector.clone(), core.device.selector.clone());
    Err(MatmulError::OtherDevice { what, ours, theirs })
}

fn by_library<T: MatmulElement>(
    (a, b): (&Slice<'_, T>, &Slice<'_, T>),
    c: &SliceMut<'_, T>,
    sizes: [u32; 3],
    precision: Precision,
    recording: Option<&mut Recording>,
) -> Result<(), MatmulError> {
    append(c, recording, |target| library::matrix_product(target, (a, b), c, sizes, precision))
}

/// `c` as a sum of no products.
fn zeros<T: MatmulElement>(
    c: &mut SliceMut<'_, T>,
    sizes: [u32; 3],
    mut recording: Option<&mut Recording>,
) -> Result<(), MatmulError> {
    let filled = append(c, recording.as_deref_mut(), |target| transfer::fill(target, c, 0));
    match filled {
        // The kernel writes halves of words, too.
        Err(MatmulError::Slice { error: BufferError::Misaligned { .. }, .. }) => {
            let nothing = UnifiedBuffer::<T>::new(&c.core.device, 2)
                .map_err(|error| MatmulError::Slice { matrix: "a", error })?;
            by_kernel((&nothing.slice(..), &nothing.slice(..)), c, sizes, recording)
        }
        other => other,
    }
}

/// Appends a command that writes `c`.
fn append<T: MatmulElement>(
    c: &SliceMut<'_, T>,
    recording: Option<&mut Recording>,
    command: impl FnOnce(&mut Target<'_>) -> Result<(), BufferError>,
) -> Result<(), MatmulError> {
    let device = &c.core.device;
    let failed = |error| MatmulError::Device { device: device.caps().name.clone(), error };
    let wrong = |error| match error {
        BufferError::Device { error, .. } => failed(error),
        error => MatmulError::Slice { matrix: "c", error },
    };
    match recording {
        Some(recording) => {
            command(&mut Target::Recording(&mut recording.commands, &mut recording.touched)).map_err(wrong)
        }
        None => {
            device.timeline.alive().map_err(failed)?;
            let mut pending = device.timeline.lock_on(0, &device.staging).map_err(failed)?;
            command(&mut Target::Stream(&mut pending)).map_err(wrong)?;
            device.launched();
            device.timeline.flush_when_full(&mut pending, &device.staging).map_err(failed)
        }
    }
}

fn by_kernel<T: MatmulElement>(
    (a, b): (&Slice<'_, T>, &Slice<'_, T>),
    c: &SliceMut<'_, T>,
    [rows, depth, columns]: [u32; 3],
    recording: Option<&mut Recording>,
) -> Result<(), MatmulError> {
    let device = Device { inner: Arc::clone(&c.core.device) };
    for (matrix, length, [rows, columns]) in
        [("a", a.len(), [rows, depth]), ("b", b.len(), [depth, columns]), ("c", c.len(), [rows, columns])]
    {
        if length as u64 > MOST_ELEMENTS {
            return Err(MatmulError::TooLarge { matrix, rows: rows as usize, columns: columns as usize });
        }
    }
    let kernel = device.kernel(T::shader()).map_err(LaunchError::from)?;
    let wrong = |matrix| move |error| MatmulError::Slice { matrix, error };
    let (a, first_of_a) = cells::<T, T::Cell>(a).map_err(wrong("a"))?;
    let (b, first_of_b) = cells::<T, T::Cell>(b).map_err(wrong("b"))?;
    let (c, first_of_c) = cells_mut::<T, T::Cell>(c).map_err(wrong("c"))?;
    // In the order of the shader's `Sizes`.
    let sizes = [rows, columns, depth, first_of_a, first_of_b, first_of_c];
    let launch =
        kernel.launch().set_bytes("sizes", bytemuck::cast_slice(&sizes)).bind("a", a).bind("b", b).bind("c", c);
    let launch = match recording {
        Some(recording) => launch.record(recording),
        None => launch,
    };
    Ok(launch.groups([u64::from(columns).div_ceil(TILE), u64::from(rows).div_ceil(TILE)])?)
}

mod sealed {
    use anywarp_backend::Precision;

    use crate::{Element, Wgsl};

    /// What the product has to know of its elements.
    pub trait Numbers {
        /// The library's name for them.
        const PRECISION: Precision;
        /// What may be asked for, for errors.
        const FITTING: &'static str;
        /// What the shader takes matrices as arrays of.
        type Cell: Element;

        /// The shader.
        fn shader() -> Wgsl<'static>;
    }

    impl Numbers for f32 {
        const PRECISION: Precision = Precision::F32;
        const FITTING: &'static str = "f32 and tf32 fit";
        type Cell = f32;

        fn shader() -> Wgsl<'static> {
            tiled(include_str!("../../shaders/matmul.wgsl")).file("matmul.wgsl")
        }
    }

    impl Numbers for half::f16 {
        const PRECISION: Precision = Precision::F16;
        const FITTING: &'static str = "f16 fits";
        type Cell = u32;

        fn shader() -> Wgsl<'static> {
            packed().file("matmul_f16.wgsl").constant("bf16", 0.0)
        }
    }

    impl Numbers for half::bf16 {
        const PRECISION: Precision = Precision::Bf16;
        const FITTING: &'static str = "bf16 fits";
        type Cell = u32;

        fn shader() -> Wgsl<'static> {
            packed().file("matmul_bf16.wgsl").constant("bf16", 1.0)
        }
    }

    fn packed() -> Wgsl<'static> {
        tiled(include_str!("../../shaders/matmul_packed.wgsl"))
    }

    fn tiled(text: &'static str) -> Wgsl<'static> {
        Wgsl::new(text).module("shared::tiles", include_str!("../../shaders/shared/tiles.wgsl"))
    }
}

//! The least and the greatest elements, and their indices.

use super::super::reduction::ReductionKernel;
use super::{IS_NAN, Kept, built};
use crate::element::Element;

/// Element types with a least and a greatest value: `f32`, `f64`, `f16`, `i32`, `u32`, `i64`, `u64`.
pub trait Ordered: Element + sealed::Ordered {}

impl<T: Element + sealed::Ordered> Ordered for T {}

mod sealed {
    use super::super::Kept;

    /// The kernels for the extremes of one element type.
    #[allow(unnameable_types, reason = "the trait is sealed")]
    #[derive(Debug)]
    pub struct Extremes {
        pub(super) min: Kept,
        pub(super) max: Kept,
    }

    pub trait Ordered {
        fn extremes() -> &'static Extremes;
    }
}

use sealed::Extremes;

macro_rules! ordered {
    ($($element:ty, $name:literal, $least:expr, $greatest:expr, $combine:ident;)*) => {$(
        impl sealed::Ordered for $element {
            fn extremes() -> &'static Extremes {
                static KEPT: Extremes = Extremes {
                    min: Kept::new(|| $combine($name, "min", ["<", "min(a, b)"]).identity($greatest)),
                    max: Kept::new(|| $combine($name, "max", [">", "max(a, b)"]).identity($least)),
                };
                &KEPT
            }
        }
    )*};
}

ordered! {
    f32, "f32", "-inf", "inf", of_floats;
    f64, "f64", "-inf", "inf", of_floats;
    half::f16, "f16", "-inf", "inf", of_floats;
    i32, "i32", i32::MIN, i32::MAX, of_integers;
    u32, "u32", u32::MIN, u32::MAX, of_integers;
    i64, "i64", i64::MIN, i64::MAX, of_integers;
    u64, "u64", u64::MIN, u64::MAX, of_integers;
}

fn of_integers(element: &str, name: &str, [_, combine]: [&str; 2]) -> ReductionKernel {
    built(ReductionKernel::new(&format!("x: {element}"), &format!("y: {element}")), name).combine(combine)
}

/// Returns a reduction of floats to an extreme. NaN is more extreme than any number.
fn of_floats(element: &str, name: &str, [before, _]: [&str; 2]) -> ReductionKernel {
    let kernel = built(ReductionKernel::new(&format!("x: {element}"), &format!("y: {element}")), name);
    let kernel = kernel.preamble(&format!("alias T = {element};\n{IS_NAN}"));
    kernel.combine(&format!("select(b, a, is_nan(a) || (!is_nan(b) && a {before} b))"))
}

/// The least element. If any element is NaN, the result is NaN.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// use anywarp::ops::reduce;
///
/// let x = device.buffer_from(&[3.0f32, f32::NAN, 2.0])?;
/// assert!(reduce::min::<f32>().apply::<f32>(&device, &x)?.read()?[0].is_nan());
/// assert_eq!(*reduce::nan_min().apply::<f32>(&device, &x)?.read()?, [2.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub fn min<T: Ordered>() -> &'static ReductionKernel {
    &T::extremes().min
}

/// The greatest element. If any element is NaN, the result is NaN.
pub fn max<T: Ordered>() -> &'static ReductionKernel {
    &T::extremes().max
}

/// The least of the floats that are not NaN.
pub fn nan_min() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| without_nan("nan_min", "<", "inf"));
    &KEPT
}

/// The greatest of the floats that are not NaN.
pub fn nan_max() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| without_nan("nan_max", ">", "-inf"));
    &KEPT
}

fn without_nan(name: &str, before: &str, identity: &str) -> ReductionKernel {
    let kernel = built(ReductionKernel::new("x: T", "y: T"), name).preamble(IS_NAN);
    let kernel = kernel.combine(&format!("select(b, a, is_nan(b) || (!is_nan(a) && a {before} b))"));
    // An element that is not combined with any other must not stay NaN, so `map` replaces NaN by the identity.
    kernel.map(&format!("select(x, {identity}, is_nan(x))")).identity(identity)
}

/// The index of the first least element, or of the first NaN.
pub fn argmin() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| place("argmin", "<", false));
    &KEPT
}

/// The index of the first greatest element, or of the first NaN.
pub fn argmax() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| place("argmax", ">", false));
    &KEPT
}

/// The index of the first least element among those that are not NaN; 0xffffffff if all elements are NaN.
pub fn nan_argmin() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| place("nan_argmin", "<", true));
    &KEPT
}

/// The index of the first greatest element among those that are not NaN; 0xffffffff if all elements are NaN.
pub fn nan_argmax() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| place("nan_argmax", ">", true));
    &KEPT
}

fn place(name: &str, before: &str, skip_nan: bool) -> ReductionKernel {
    let kernel = built(ReductionKernel::new("x: T", "y: u32"), name).accumulator("Best");
    let kernel = kernel.preamble(&format!(
        "{IS_NAN}struct Best {{ value: T, at: u32 }}
         const none = 0xffffffffu;
         fn better(a: Best, b: Best) -> Best {{
             if a.at == none {{ return b; }}
             if b.at == none {{ return a; }}
             let nan = vec2(is_nan(a.value), is_nan(b.value));
             let alike = (nan.x && nan.y) || (!nan.x && !nan.y && a.value == b.value);
             let first = select(nan.x || (!nan.y && a.value {before} b.value), a.at < b.at, alike);
             if first {{ return a; }}
             return b;
         }}"
    ));
    let map = if skip_nan { "Best(x, select(i, none, is_nan(x)))" } else { "Best(x, i)" };
    kernel.map(map).combine("better(a, b)").finish("a.at").identity("Best(T(0), none)")
}

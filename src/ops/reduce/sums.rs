//! Sums, products and tests.

use super::super::reduction::ReductionKernel;
use super::{IS_NAN, Kept, built};

/// The sum of all elements.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1i32, -2, 30])?;
/// assert_eq!(*anywarp::ops::reduce::sum().apply::<i32>(&device, &x)?.read()?, [29]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub fn sum() -> &'static ReductionKernel {
    static KEPT: Kept =
        Kept::new(|| built(ReductionKernel::new("x: T", "y: T"), "sum").combine("a + b").identity("T(0)"));
    &KEPT
}

/// The product of all elements.
pub fn product() -> &'static ReductionKernel {
    static KEPT: Kept =
        Kept::new(|| built(ReductionKernel::new("x: T", "y: T"), "product").combine("a * b").identity("T(1)"));
    &KEPT
}

/// The sum of the products of two arrays.
pub fn dot() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        built(ReductionKernel::new("x: T, y: T", "z: T"), "dot").map("x * y").combine("a + b").identity("T(0)")
    });
    &KEPT
}

/// The Euclidean norm: the square root of the sum of squares.
pub fn norm() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: T"), "norm");
        kernel.map("x * x").combine("a + b").finish("sqrt(a)").identity("T(0)")
    });
    &KEPT
}

/// The number of elements that are not 0.
pub fn count() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: u32"), "count");
        kernel.map("select(0u, 1u, x != T(0))").combine("a + b").identity("0u")
    });
    &KEPT
}

/// 1 if an element is not 0, else 0.
pub fn any() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: u32"), "any");
        kernel.map("select(0u, 1u, x != T(0))").combine("a | b").identity("0u")
    });
    &KEPT
}

/// 1 if no element is 0, else 0.
pub fn all() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: u32"), "all");
        kernel.map("select(0u, 1u, x != T(0))").combine("a & b").identity("1u")
    });
    &KEPT
}

/// The sum of the elements that are not NaN.
pub fn nan_sum() -> &'static ReductionKernel {
    static KEPT: Kept = Kept::new(|| {
        let kernel = built(ReductionKernel::new("x: T", "y: T"), "nan_sum").preamble(IS_NAN);
        kernel.map("select(x, T(0), is_nan(x))").combine("a + b").identity("T(0)")
    });
    &KEPT
}

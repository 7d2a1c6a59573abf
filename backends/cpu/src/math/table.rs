//! The list of all lane functions, with their machine-code entry points.

use super::lanes::{Lanes, map, zip, zip3};
use super::{arc, exponential, fused, hyperbolic, integer, logarithm, trigonometric};
use crate::abi::convention;

/// A version of the lane functions, compiled for certain machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// The version for any machine of the architecture.
    Baseline,
    /// The version for x86-64 with AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Version {
    /// The best version for this machine.
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self::Avx2;
        }
        Self::Baseline
    }
}

/// Returns the address of `function` for generated code, in the best version for this machine.
///
/// All functions but the two fma are `unsafe fn(out: *mut T, a: *const T, b: *const T)`, in the kernels' convention; functions of one
/// argument do not access `b`. The two fma have a fourth pointer, `c`. Every pointer that is used must be aligned for
/// its type and valid for eight lanes; `out` may equal any other pointer.
pub(crate) fn address(function: LaneFunction) -> *const u8 {
    address_in(function, Version::detect())
}

/// Returns the address of `function` in the given version.
pub(super) fn address_in(function: LaneFunction, version: Version) -> *const u8 {
    match version {
        Version::Baseline => baseline::address(function),
        #[cfg(target_arch = "x86_64")]
        Version::Avx2 => avx2::address(function),
    }
}

/// Runs an f32 function on one pair of values, through the code that kernels call. Returns NaN for fma and for
/// functions of other types.
#[cfg(test)]
pub(crate) fn eval_f32(function: LaneFunction, a: f32, b: f32) -> f32 {
    if function.element() != "f32" || function == LaneFunction::FmaF32 {
        return f32::NAN;
    }
    convention! { [type Call = unsafe] fn(*mut f32, *const f32, *const f32); }
    let (a, b) = ([a; 8], [b; 8]);
    let mut out: Lanes<f32> = [0.0; 8];
    // SAFETY: every f32 function but fma has this signature, and `detect` checked the machine.
    let call: Call = unsafe { std::mem::transmute(address(function)) };
    // SAFETY: all three pointers are to arrays of eight lanes.
    unsafe { call(out.as_mut_ptr(), a.as_ptr(), b.as_ptr()) };
    out[0]
}

/// Defines [`LaneFunction`] and, per version, a function in the kernels' convention for each line: name, element type, arguments
/// that are read (after `;`: not read), and the lanes of the result, an expression that may use `FUSED`, whether the
/// machine has FMA.
macro_rules! lane_functions {
    ($($variant:ident $name:ident: $t:ident($($input:ident),+ $(; $unused:ident)?) = $result:expr;)*) => {
        /// A function that generated code calls for eight lanes at a time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum LaneFunction {
            $($variant,)*
        }

        impl LaneFunction {
            /// All functions, in the order of their numbers.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)*];
        }

        #[cfg(test)]
        impl LaneFunction {
            /// The symbol by which generated code refers to the function.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("anywarp_", stringify!($name)),)*
                }
            }

            /// The Rust name of the type of a lane.
            pub(crate) fn element(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($t),)*
                }
            }
        }

        lane_functions!(@version baseline, cfg!(any(target_arch = "aarch64", target_feature = "fma")), [];
            $($variant $name: $t($($input),+ $(; $unused)?) = $result;)*);
        #[cfg(target_arch = "x86_64")]
        lane_functions!(@version avx2, true, [#[target_feature(enable = "avx2,fma")]];
            $($variant $name: $t($($input),+ $(; $unused)?) = $result;)*);
    };
    (@version $version:ident, $fused:expr, $attributes:tt;
        $($variant:ident $name:ident: $t:ident $arguments:tt = $result:expr;)*) => {
        mod $version {
            use super::*;

            const FUSED: bool = $fused;

            $(lane_functions!(@entry $attributes $name: $t $arguments = $result);)*

            pub(super) fn address(function: LaneFunction) -> *const u8 {
                match function {
                    $(LaneFunction::$variant => $name as *const u8,)*
                }
            }
        }
    };
    (@entry [$($attribute:tt)*] $name:ident: $t:ident($($input:ident),+ $(; $unused:ident)?) = $result:expr) => {
        convention! {
            $($attribute)*
            [unsafe] fn $name(out: *mut $t, $($input: *const $t,)+ $($unused: *const $t)?) {
                // SAFETY: the caller passes pointers to eight aligned lanes (see `address`).
                $(let $input = unsafe { $input.cast::<Lanes<$t>>().read() };)+
                // SAFETY: as for the inputs; all of them have been read, so `out` may equal one.
                unsafe { out.cast::<Lanes<$t>>().write($result) }
            }
        }
    };
}

lane_functions! {
    Exp exp: f32(a; _b) = map(a, exponential::exp::<FUSED>);
    Exp2 exp2: f32(a; _b) = map(a, exponential::exp2::<FUSED>);
    Log log: f32(a; _b) = map(a, logarithm::log::<FUSED>);
    Log2 log2: f32(a; _b) = map(a, logarithm::log2::<FUSED>);
    Pow pow: f32(a, b) = zip(a, b, logarithm::pow::<FUSED>);
    Sin sin: f32(a; _b) = trigonometric::sin::<FUSED>(a);
    Cos cos: f32(a; _b) = trigonometric::cos::<FUSED>(a);
    Tan tan: f32(a; _b) = trigonometric::tan::<FUSED>(a);
    Asin asin: f32(a; _b) = map(a, arc::asin::<FUSED>);
    Acos acos: f32(a; _b) = map(a, arc::acos::<FUSED>);
    Atan atan: f32(a; _b) = map(a, arc::atan::<FUSED>);
    Atan2 atan2: f32(a, b) = zip(a, b, arc::atan2::<FUSED>);
    Sinh sinh: f32(a; _b) = map(a, hyperbolic::sinh::<FUSED>);
    Cosh cosh: f32(a; _b) = map(a, hyperbolic::cosh::<FUSED>);
    Tanh tanh: f32(a; _b) = map(a, hyperbolic::tanh::<FUSED>);
    Asinh asinh: f32(a; _b) = map(a, hyperbolic::asinh::<FUSED>);
    Acosh acosh: f32(a; _b) = map(a, hyperbolic::acosh::<FUSED>);
    Atanh atanh: f32(a; _b) = map(a, hyperbolic::atanh::<FUSED>);
    FmaF32 fma_f32: f32(a, b, c) = zip3(a, b, c, fused::fma_f32::<FUSED>);

    ExpF64 exp_f64: f64(a; _b) = map(a, f64::exp);
    Exp2F64 exp2_f64: f64(a; _b) = map(a, f64::exp2);
    LogF64 log_f64: f64(a; _b) = map(a, f64::ln);
    Log2F64 log2_f64: f64(a; _b) = map(a, f64::log2);
    PowF64 pow_f64: f64(a, b) = zip(a, b, f64::powf);
    SinF64 sin_f64: f64(a; _b) = map(a, f64::sin);
    CosF64 cos_f64: f64(a; _b) = map(a, f64::cos);
    TanF64 tan_f64: f64(a; _b) = map(a, f64::tan);
    AsinF64 asin_f64: f64(a; _b) = map(a, f64::asin);
    AcosF64 acos_f64: f64(a; _b) = map(a, f64::acos);
    AtanF64 atan_f64: f64(a; _b) = map(a, f64::atan);
    Atan2F64 atan2_f64: f64(a, b) = zip(a, b, f64::atan2);
    SinhF64 sinh_f64: f64(a; _b) = map(a, f64::sinh);
    CoshF64 cosh_f64: f64(a; _b) = map(a, f64::cosh);
    TanhF64 tanh_f64: f64(a; _b) = map(a, f64::tanh);
    AsinhF64 asinh_f64: f64(a; _b) = map(a, f64::asinh);
    AcoshF64 acosh_f64: f64(a; _b) = map(a, f64::acosh);
    AtanhF64 atanh_f64: f64(a; _b) = map(a, f64::atanh);
    FmaF64 fma_f64: f64(a, b, c) = zip3(a, b, c, fused::fma_f64::<FUSED>);

    DivI32 div_i32: i32(a, b) = zip(a, b, integer::div_i32);
    RemI32 rem_i32: i32(a, b) = zip(a, b, integer::rem_i32);
    DivU32 div_u32: u32(a, b) = zip(a, b, integer::div_u32);
    RemU32 rem_u32: u32(a, b) = zip(a, b, integer::rem_u32);
    DivI64 div_i64: i64(a, b) = zip(a, b, integer::div_i64);
    RemI64 rem_i64: i64(a, b) = zip(a, b, integer::rem_i64);
    DivU64 div_u64: u64(a, b) = zip(a, b, integer::div_u64);
    RemU64 rem_u64: u64(a, b) = zip(a, b, integer::rem_u64);
}

//! The neutral element of a reduction or a scan: an expression, or a Rust number.

/// A value for [`ReductionKernel::identity`](crate::ops::ReductionKernel::identity): WGSL text, or a number. WGSL has
/// no literal for infinity: pass `f32::INFINITY` or `f32::NEG_INFINITY`, or write `inf` or `-inf` in the text.
///
/// A number need not have the type of the accumulator: `0` is valid for every type.
pub trait IdentityValue: sealed::Said {}

impl<S: sealed::Said> IdentityValue for S {}

mod sealed {
    pub trait Said {
        fn said(self) -> String;
    }

    impl Said for &str {
        fn said(self) -> String {
            self.to_owned()
        }
    }

    impl Said for &String {
        fn said(self) -> String {
            self.clone()
        }
    }

    impl Said for String {
        fn said(self) -> String {
            self
        }
    }

    macro_rules! numbers {
        ($($number:ty)*) => {$(
            impl Said for $number {
                fn said(self) -> String {
                    // Rust's debug format writes a point or an exponent for floating-point numbers, and for no others.
                    format!("{self:?}")
                }
            }
        )*};
    }

    numbers! { f32 f64 i16 u16 i32 u32 }

    impl Said for half::f16 {
        fn said(self) -> String {
            f32::from(self).said()
        }
    }

    impl Said for i64 {
        fn said(self) -> String {
            // `i64::MIN` is written as a difference, as the number after its minus sign would be out of range.
            if self == Self::MIN { format!("({} - 1)", Self::MIN + 1) } else { self.to_string() }
        }
    }

    impl Said for u64 {
        fn said(self) -> String {
            if i64::try_from(self).is_ok() { self.to_string() } else { format!("{self}lu") }
        }
    }
}

/// The WGSL text of an identity.
pub(crate) fn said(identity: impl IdentityValue) -> String {
    identity.said()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_so_that_every_type_accepts_them() {
        assert_eq!(said("-inf"), "-inf");
        assert_eq!(said(f32::NEG_INFINITY), "-inf");
        assert_eq!(said(f32::MAX), "3.4028235e38");
        assert_eq!(said(half::f16::from_f32(-2.0)), "-2.0");
        assert_eq!(said(0), "0");
        assert_eq!(said(i64::MIN), "(-9223372036854775807 - 1)");
        assert_eq!(said(u64::MAX), "18446744073709551615lu");
    }
}

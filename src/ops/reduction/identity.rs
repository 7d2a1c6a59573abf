//! The neutral element of a reduction: an expression, or a Rust number.

use super::super::operation::types::ElementType;

/// A value for [`identity`](super::ReductionKernel::identity): WGSL text, or a number. WGSL has no literal for
/// infinities; here they are `f32::INFINITY` and `f32::NEG_INFINITY`, or `inf` and `-inf` in a text.
///
/// A number is valid for every type of accumulator: `0` belongs to all types.
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
                    // The debug format has a point or an exponent exactly for floating-point numbers.
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
            // The positive number after the sign would be out of range.
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
pub(super) fn said(identity: impl IdentityValue) -> String {
    identity.said()
}

/// The name of infinity in an identity.
const INFINITY: &str = "inf";

/// The line that defines the name in an identity of this type (`None`: a struct), if the identity uses it and the
/// caller's declarations do not. `bits` is a `u32` at run time, because many compilers assume that constants are
/// finite.
pub(super) fn infinity(identity: &str, preamble: &str, of: Option<ElementType>, bits: &str) -> Option<String> {
    if !mentions(identity, INFINITY) || mentions(preamble, INFINITY) {
        return None;
    }
    let float = format!("bitcast<f32>({bits})");
    let value = match of.map(|of| of.scalar.to_string()).as_deref() {
        None | Some("f32") => float,
        Some(scalar @ ("f16" | "f64")) => format!("{scalar}({float})"),
        Some(_) => return None,
    };
    Some(format!("    let {INFINITY} = {value};"))
}

/// Whether a text contains the word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|other| other == word)
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

    #[test]
    fn infinity_is_defined_where_it_is_used() {
        let of = ElementType::parse;
        let line = |identity, preamble, of| infinity(identity, preamble, of, "bits");
        assert_eq!(line("-inf", "", of("f32")).as_deref(), Some("    let inf = bitcast<f32>(bits);"));
        assert_eq!(line("vec2(inf)", "", of("vec2<f16>")).as_deref(), Some("    let inf = f16(bitcast<f32>(bits));"));
        assert_eq!(line("Best(-inf, 0u)", "", None).as_deref(), Some("    let inf = bitcast<f32>(bits);"));
        for (identity, preamble, element) in
            [("-info", "", "f32"), ("0", "", "f32"), ("inf", "const inf = 1;", "f32"), ("inf", "", "i32")]
        {
            assert_eq!(line(identity, preamble, of(element)), None, "{identity}, {preamble}, {element}");
        }
    }
}

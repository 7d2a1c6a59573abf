//! The operation of a scan and its types, as WGSL that replaces `shaders/shared/scan_monoid.wgsl`.

use std::fmt::Write;

use anywarp_backend::{Scalar, ScalarKind};

use super::super::operation::types::ElementType;

/// An associative operation with a neutral element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Monoid {
    Sum,
    Product,
    /// The minimum; NaN if any value is NaN.
    Min,
    /// The maximum; NaN if any value is NaN.
    Max,
    Own {
        /// A WGSL expression of `a` and `b`.
        combine: String,
        identity: String,
        /// WGSL declarations that `combine` and `identity` can use.
        preamble: String,
    },
}

/// Returns the type of combined values: `f32` for elements of type `f16`, otherwise the type of the elements.
pub(crate) fn combined(element: ElementType) -> ElementType {
    let ElementType { scalar, lanes } = element;
    let wide = scalar.kind == ScalarKind::Float && scalar.width == 2;
    ElementType { scalar: Scalar { width: if wide { 4 } else { scalar.width }, ..scalar }, lanes }
}

impl Monoid {
    /// Returns the WGSL for elements of this type, if each invocation processes `items` elements of a tile.
    pub(crate) fn text(&self, element: ElementType, items: u64) -> String {
        let value = combined(element);
        let mut text = String::new();
        if let Some(extension) = element.extension() {
            let _ = writeln!(text, "enable {extension};");
        }
        if self.uses_infinity(value) {
            text.push_str("import package::shared::scan_sizes::sizes;\n");
        }
        let _ = writeln!(text, "alias T = {element};\nalias A = {value};\nconst items = {items}u;");
        if let Self::Own { preamble, .. } = self {
            text.push_str(preamble);
            text.push('\n');
        }
        let infinity = if self.uses_infinity(value) { infinity(value) } else { String::new() };
        let _ = writeln!(text, "fn identity() -> A {{\n{infinity}    return {};\n}}", self.identity(value));
        if matches!(self, Self::Min | Self::Max) {
            self.extreme(&mut text, value);
        } else {
            let combine = match self {
                Self::Product => "a * b",
                Self::Own { combine, .. } => combine,
                _ => "a + b",
            };
            let infinity = if uses_infinity(combine) { infinity.as_str() } else { "" };
            let _ = writeln!(text, "fn combined(a: A, b: A) -> A {{\n{infinity}    return\n{combine};\n}}");
        }
        text.push_str("fn loaded(x: T) -> A {\n    return A(x);\n}\nfn stored(a: A) -> T {\n    return T(a);\n}\n");
        if value.size() == 4 {
            text.push_str("fn bits(a: A) -> u32 {\n    return bitcast<u32>(a);\n}\n");
            text.push_str("fn value(word: u32) -> A {\n    return bitcast<A>(word);\n}\n");
        }
        text
    }

    fn uses_infinity(&self, value: ElementType) -> bool {
        match self {
            Self::Min | Self::Max => value.scalar.kind == ScalarKind::Float,
            Self::Own { combine, identity, .. } => [combine, identity].into_iter().any(|text| uses_infinity(text)),
            Self::Sum | Self::Product => false,
        }
    }

    fn identity(&self, value: ElementType) -> String {
        let Scalar { kind, width } = value.scalar;
        let scalar = match (self, kind, width) {
            (Self::Own { identity, .. }, ..) => return format!("\n{identity}"),
            (Self::Sum, ..) => return "A()".to_owned(),
            (Self::Product, ..) => "1".to_owned(),
            (Self::Min, ScalarKind::Float, _) => "inf".to_owned(),
            (Self::Max, ScalarKind::Float, _) => "-inf".to_owned(),
            (Self::Min, ScalarKind::Unsigned, 8) => format!("{}lu", u64::MAX),
            (Self::Min, ScalarKind::Unsigned, _) => format!("{}u", u32::MAX),
            (Self::Max, ScalarKind::Unsigned, _) => "0".to_owned(),
            (Self::Min, ScalarKind::Signed, 8) => format!("{}li", i64::MAX),
            (Self::Min, ScalarKind::Signed, _) => format!("{}i", i32::MAX),
            // The least integer is a difference here, as the number after its minus sign would be out of range.
            (Self::Max, ScalarKind::Signed, 8) => format!("{}li - 1li", i64::MIN + 1),
            (Self::Max, ScalarKind::Signed, _) => format!("{}i - 1i", i32::MIN + 1),
        };
        format!("A({scalar})")
    }

    /// Writes functions that return the minimum or maximum of two values, and NaN if either value is NaN.
    fn extreme(&self, text: &mut String, value: ElementType) {
        let name = if *self == Self::Min { "min" } else { "max" };
        let scalar = value.scalar;
        let _ = writeln!(text, "fn combined_scalars(a: {scalar}, b: {scalar}) -> {scalar} {{");
        if scalar.kind == ScalarKind::Float {
            for value in ["a", "b"] {
                let is_nan = match scalar.width {
                    // Compilers may assume that no compared value is NaN, so the bits are tested. WGSL has no access to
                    // the bits of an `f64`.
                    4 => format!("(bitcast<u32>({value}) & 0x7fffffffu) > 0x7f800000u"),
                    _ => format!("!({value} == {value})"),
                };
                let _ = writeln!(text, "    if {is_nan} {{\n        return {value};\n    }}");
            }
        }
        let _ = writeln!(text, "    return {name}(a, b);\n}}");
        let parts = match value.lanes {
            1 => "combined_scalars(a, b)".to_owned(),
            lanes => {
                let part = |letter: &str| format!("combined_scalars(a.{letter}, b.{letter})");
                let parts: Vec<String> = ["x", "y", "z", "w"].iter().take(lanes as usize).map(|p| part(p)).collect();
                format!("A({})", parts.join(", "))
            }
        };
        let _ = writeln!(text, "fn combined(a: A, b: A) -> A {{\n    return {parts};\n}}");
    }
}

/// Whether a text uses the name `inf`.
fn uses_infinity(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == "inf")
}

/// Returns the WGSL line that defines `inf`.
fn infinity(value: ElementType) -> String {
    let float = "bitcast<f32>(sizes.infinity)";
    match (value.scalar.kind, value.scalar.width) {
        (ScalarKind::Float, 8) => format!("    let inf = f64({float});\n"),
        _ => format!("    let inf = {float};\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_defines_types_and_operation() {
        let text = |monoid: &Monoid, element| monoid.text(ElementType::parse(element).unwrap(), 5);
        assert!(text(&Monoid::Sum, "f16").contains("enable f16;\nalias T = f16;\nalias A = f32;\nconst items = 5u;"));
        assert!(text(&Monoid::Max, "i32").contains("A(-2147483647i - 1i)"));
        assert!(text(&Monoid::Min, "f32").contains("let inf = bitcast<f32>(sizes.infinity);\n    return A(inf);"));
        assert!(text(&Monoid::Max, "vec2<f32>").contains("A(combined_scalars(a.x, b.x), combined_scalars(a.y, b.y))"));
        let own = |combine: &str| Monoid::Own {
            combine: combine.to_owned(),
            identity: "1".to_owned(),
            preamble: String::new(),
        };
        assert!(
            text(&own("min(a * b, inf)"), "f32").contains("let inf = bitcast<f32>(sizes.infinity);\n    return\nmin(a")
        );
        assert!(!text(&own("a + info"), "f32").contains("let inf"));
    }
}

//! The name `inf` in the caller's texts. WGSL has no literal for infinity.

use anywarp_backend::{Scalar, ScalarKind};

use super::preface::Slot;
use super::types::ElementType;

/// The name of infinity in the caller's texts.
const INFINITY: &str = "inf";

/// Whether `text` uses the name `inf`, and neither the text, the preamble nor a parameter declares this name.
pub(crate) fn is_used(text: &str, preamble: &str, slots: &[Slot]) -> bool {
    let words: Vec<&str> = words(text).filter(|word| !word.is_empty()).collect();
    let declares = |pair: &[&str]| matches!(pair, ["let" | "var" | "const", INFINITY]);
    words.contains(&INFINITY)
        && !words.windows(2).any(declares)
        && !words_have(preamble)
        && !slots.iter().any(|slot| slot.name == INFINITY)
}

fn words_have(text: &str) -> bool {
    words(text).any(|word| word == INFINITY)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// The scalar type of `inf`: the type of `first` if it is a float, else that of the first operand of floats, else
/// `f32`.
pub(crate) fn scalar(first: Option<ElementType>, slots: &[Slot]) -> Scalar {
    let is_float = |element: &ElementType| element.scalar.kind == ScalarKind::Float;
    let operand = || slots.iter().map(|slot| slot.element).find(is_float);
    let found = first.filter(is_float).or_else(operand);
    found.map_or(Scalar { kind: ScalarKind::Float, width: 4 }, |element| element.scalar)
}

/// The WGSL line that defines `inf` with the scalar type `of`. `bits` is a `u32` at run time, because many compilers
/// assume that constants are finite.
pub(crate) fn line(of: Scalar, bits: &str) -> String {
    let float = format!("bitcast<f32>({bits})");
    let value = if of.width == 4 { float } else { format!("{of}({float})") };
    format!("    let {INFINITY} = {value};")
}

#[cfg(test)]
mod tests {
    use super::super::preface::Access;
    use super::*;

    fn slot(name: &str, element: &str) -> Slot {
        let element = ElementType::parse(element).unwrap();
        Slot { name: name.to_owned(), element, access: Access::Each, read: true, written: false }
    }

    #[test]
    fn the_name_is_defined_where_it_is_used() {
        let x = [slot("x", "f32")];
        for text in ["-inf", "min(x, inf)", "Best(-inf, 0u)", "let y = inf;"] {
            assert!(is_used(text, "", &x), "{text}");
        }
        for text in ["-info", "0", "let inf = 3.0; y = inf", "var inf: f32; y = inf"] {
            assert!(!is_used(text, "", &x), "{text}");
        }
        assert!(!is_used("inf", "const inf = 1;", &x));
        assert!(!is_used("inf", "", &[slot("inf", "f32")]));
    }

    #[test]
    fn infinity_has_the_type_of_the_values_around_it() {
        let of = |first: &str, slots: &[Slot]| line(scalar(ElementType::parse(first), slots), "bits");
        assert_eq!(of("f32", &[]), "    let inf = bitcast<f32>(bits);");
        assert_eq!(of("vec2<f16>", &[]), "    let inf = f16(bitcast<f32>(bits));");
        assert_eq!(of("u32", &[slot("k", "i32"), slot("x", "f64")]), "    let inf = f64(bitcast<f32>(bits));");
        assert_eq!(of("u32", &[slot("k", "i32")]), "    let inf = bitcast<f32>(bits);");
    }
}

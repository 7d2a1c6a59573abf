//! Constants that naga evaluates inexactly, evaluated here.
//!
//! naga evaluates `atanh` of a constant by `f32::atanh` or `f64::atanh` of the standard library, which lose digits by
//! cancellation near -1: 4 % of the result for the `f32` after -1. Its values of `asinh` and `acosh` are computed in 64
//! bits and are right.
//!
//! A call is replaced if its argument, or each component of a vector, consists of numbers, `const` names that the text
//! declares once, `f32(..)`, `atanh`, signs, brackets and the four operations. Calls with `f16` need no replacement,
//! because naga computes them in 32 bits. Other calls, as those with a `let` or another function's result,
//! are left to naga. Those with an `override` are replaced in the module when its value is set.

mod evaluate;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::compose::tokens::{Kind, Token, scan};
use evaluate::{Evaluator, Value};

/// The number of names that [`name`] distinguishes.
const MAX_CALLS: usize = 10 * 36 * 36;

/// Replaces each call of `atanh` with a known argument by the name of a constant, which is appended to the text. All
/// other bytes keep their offsets and lines.
pub(crate) fn replace(text: Cow<'_, str>) -> Cow<'_, str> {
    // The search for the name comes first, because few texts contain one.
    if !text.contains("atanh") {
        return text;
    }
    let tokens = scan(&text);
    let found = Evaluator::new(&text, &tokens).map_or_else(Vec::new, |evaluator| constant_calls(&evaluator, &tokens));
    let Some(prefix) = unused_prefix(&text).filter(|_| !found.is_empty()) else { return text };
    let mut bytes = text.as_bytes().to_vec();
    let mut added = String::new();
    for (index, (range, values)) in found.into_iter().take(MAX_CALLS).enumerate() {
        let name = name(prefix, index);
        // Line breaks within the call stay, so that later lines keep their numbers.
        bytes[range.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        bytes[range.start..range.start + name.len()].copy_from_slice(name.as_bytes());
        let literals: Vec<String> = values.iter().map(Value::literal).collect();
        let value = match literals.as_slice() {
            [one] => one.clone(),
            several => format!("vec{}({})", several.len(), several.join(", ")),
        };
        // Writing to a string never fails.
        let _ = write!(added, "\nconst {name} = {value};");
    }
    match String::from_utf8(bytes) {
        Ok(replaced) => Cow::Owned(replaced + &added),
        Err(_) => text,
    }
}

/// The ranges of the outermost calls whose arguments are known, with the components of their results.
fn constant_calls(evaluator: &Evaluator<'_>, tokens: &[Token]) -> Vec<(Range<usize>, Vec<Value>)> {
    let mut found: Vec<(Range<usize>, Vec<Value>)> = Vec::new();
    for at in 0..tokens.len() {
        let inside = found.last().is_some_and(|(range, _)| tokens[at].start < range.end);
        let is_member = at > 0 && tokens[at - 1].kind == Kind::Mark(b'.');
        if inside || is_member || evaluator.word(at) != Some("atanh") {
            continue;
        }
        if let Some((values, end)) = evaluator.call(at) {
            found.push((tokens[at].start..tokens[end].end, values));
        }
    }
    found
}

/// Two letters after which no digit follows anywhere in the text, so that no name of the text begins as [`name`] does.
fn unused_prefix(text: &str) -> Option<[char; 2]> {
    let mut pairs = ('a'..='z').flat_map(|first| ('a'..='z').map(move |second| [first, second]));
    pairs.find(|[first, second]| {
        let pair = format!("{first}{second}");
        text.match_indices(&pair).all(|(at, _)| !text[at + 2..].starts_with(|letter: char| letter.is_ascii_digit()))
    })
}

/// A name of five bytes, as long as the word `atanh`, so that it fits on the line of the call.
fn name([first, second]: [char; 2], index: usize) -> String {
    // The first digit is decimal for the sake of `unused_prefix`; the others count in base 36.
    let digit = |value: usize| char::from_digit((value % 36) as u32, 36).unwrap_or('0');
    [first, second, char::from_digit((index % 10) as u32, 10).unwrap_or('0'), digit(index / 10), digit(index / 360)]
        .iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use anywarp_backend::Source;
    use naga::{Expression, Literal};

    use super::*;

    /// The values of the named constants of a module.
    fn constants(text: &str) -> Vec<f64> {
        let module = crate::module::parse(&Source::new("test.wgsl", text)).unwrap();
        let stored = module.global_variables.iter().filter_map(|(_, variable)| variable.init);
        stored.flat_map(|init| literals(&module, init)).collect()
    }

    fn literals(module: &naga::Module, at: naga::Handle<Expression>) -> Vec<f64> {
        match &module.global_expressions[at] {
            Expression::Literal(Literal::F32(value)) => vec![f64::from(*value)],
            Expression::Compose { components, .. } => {
                components.iter().flat_map(|component| literals(module, *component)).collect()
            }
            Expression::Constant(constant) => literals(module, module.constants[*constant].init),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn constants_are_right_in_all_digits() {
        // The expected numbers are rounded from values with 20 digits.
        for (call, expected) in [
            ("atanh(-0.99999994f)", -8.664_339_742_098_155),
            ("atanh(0.99999994f)", 8.664_339_742_098_155),
            ("atanh(-0.9999f)", -4.951_635_808_712_029),
            ("atanh(-0.9999)", -4.951_718_775_643_098),
            ("atanh(-0.999999999999999)", -17.616_361_586_450_41),
            ("atanh /* of */ (\n-K)", -4.951_635_808_712_029),
            ("atanh(-ONE / 2 + 0.5 - 0.99)", -2.646_652_412_362_246),
            ("2 * atanh(atanh(-0.5))", 2.0 * -0.617_387_082_068_614_3),
            ("atanh(vec2(-0.9999, 0.5)).x", -4.951_718_775_643_098),
            ("atanh(1 / 2)", 0.0),
            ("atanh(-1e-10)", -1e-10),
        ] {
            let text = format!("const K = f32(0.9999);\nconst ONE = 1.0;\nvar<private> v: f32 = {call};");
            let found = constants(&text)[0];
            assert!((found - expected).abs() <= expected.abs() * 6e-8, "{call}: expected {expected}, got {found}");
        }
        let found = constants("var<private> v: vec3f = atanh(vec3f(-0.99999994, 0, 0.5));");
        assert_eq!(found, [-8.664_34_f32, 0.0, 0.549_306_15].map(f64::from));
    }

    #[test]
    fn other_calls_are_left_to_naga() {
        for text in [
            "fn f(x: f32) -> f32 { return atanh(x); }",
            "override x = 0.5; fn f() -> f32 { return atanh(x); }",
            "fn f() { let x = -0.9f; let y = atanh(x); }",
            "fn f() { const x = 0.1; { let x = 0.2; let y = atanh(x); } }",
            "const a = atanh(1.0);",
            "const a = atanh(-0.5h);",
            "const a = atanh(min(0.1, 0.2));",
            "const a = atanh(0.1, 0.2);",
            "const a = atanh(b); const b = a;",
            "fn f() { { const b = 0.1; } let a = atanh(b); }",
            "fn f() { let a = atanh(b); const b = 0.1; }",
            "fn atanh(x: f32) -> f32 { return x; } const a = atanh(0.5);",
            "// atanh(0.5)",
            "const a = atanh(0.5",
            "const a = atanh(vec2(0.5, 0.5, 0.5));",
            "const a = atanh(0x1p-1); const é = 1;",
        ] {
            assert_eq!(replace(Cow::Borrowed(text)), text);
        }
    }

    #[test]
    fn lines_and_offsets_stay() {
        let text = "const a = atanh(\n 0.5\n) + aa0;\n// the end";
        let found = replace(Cow::Borrowed(text));
        assert!(found.starts_with("const a = ab000 \n    \n  + aa0;\n// the end\nconst ab000 = 5.49"), "{found}");
    }

    #[test]
    fn names_differ() {
        let names: std::collections::HashSet<String> = (0..3600).map(|index| name(['a', 'a'], index)).collect();
        assert_eq!(names.len(), 3600);
    }
}

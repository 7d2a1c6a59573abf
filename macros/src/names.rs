//! Rust names for WGSL names, and errors for names that clash.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};

use crate::refusal::Refusal;

/// The names of Rust's primitive types.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "str", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64",
    "usize",
];

/// The identifier for a WGSL name: the name itself, with `r#` if it is a keyword of Rust.
pub(crate) fn ident(name: &str) -> Result<Ident, Refusal> {
    let raw = || syn::parse_str(&format!("r#{name}")).ok();
    // syn does not recognise `gen`, which is a keyword since Rust 2024.
    let plain = || if name == "gen" { None } else { syn::parse_str(name).ok() };
    let mut ident: Ident = plain().or_else(raw).ok_or_else(|| {
        Refusal::new(format!("'{name}' is not a valid name in Rust, not even as `r#{name}`: rename it in the WGSL"))
    })?;
    ident.set_span(Span::call_site());
    Ok(ident)
}

/// The identifier for a struct, which must not hide a primitive type that other structs use.
pub(crate) fn struct_ident(name: &str) -> Result<Ident, Refusal> {
    if PRIMITIVES.contains(&name) {
        return Err(Refusal::new(format!("the struct '{name}' would hide Rust's own type: rename it in the WGSL")));
    }
    ident(name)
}

/// The name in camel case: `box_blur` becomes `BoxBlur`.
pub(crate) fn camel_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let camel: String = words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect();
    // Without the underscore, the name `_1` would begin with a digit.
    if camel.starts_with(|first: char| first.is_ascii_digit()) { format!("_{camel}") } else { camel }
}

/// The names in one generated module, each with a description of the item that has the name. Types and functions have
/// separate name spaces.
#[derive(Default)]
pub(crate) struct Names {
    types: BTreeMap<String, String>,
    functions: BTreeMap<String, String>,
}

impl Names {
    /// Whether a type has this name.
    pub(crate) fn has_type(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// Adds the name of a type.
    pub(crate) fn add_type(&mut self, name: &str, of: String) -> Result<Ident, Refusal> {
        add(&mut self.types, name, of)?;
        struct_ident(name)
    }

    /// Adds the name of a function.
    pub(crate) fn add_function(&mut self, name: &str, of: String) -> Result<Ident, Refusal> {
        add(&mut self.functions, name, of)?;
        ident(name)
    }
}

fn add(names: &mut BTreeMap<String, String>, name: &str, of: String) -> Result<(), Refusal> {
    if let Some(other) = names.get(name) {
        let message = format!("`{name}` would name both {other} and {of} in Rust: rename one in the WGSL");
        return Err(Refusal::new(message));
    }
    names.insert(name.to_owned(), of);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_in_camel_case() {
        for (wgsl, rust) in [
            ("saxpy", "Saxpy"),
            ("box_blur", "BoxBlur"),
            ("conv3x3", "Conv3x3"),
            ("main", "Main"),
            ("Main", "Main"),
            ("a__b_", "AB"),
            ("_1", "_1"),
            ("übung_zwei", "ÜbungZwei"),
        ] {
            assert_eq!(camel_case(wgsl), rust, "{wgsl}");
        }
    }

    #[test]
    fn keywords_are_raw_or_refused() {
        assert_eq!(ident("a").unwrap().to_string(), "a");
        assert_eq!(ident("type").unwrap().to_string(), "r#type");
        assert_eq!(ident("gen").unwrap().to_string(), "r#gen");
        for name in ["self", "Self", "crate", "super", "_", "a b", ""] {
            assert!(ident(name).is_err(), "{name}");
        }
        assert!(struct_ident("u8").is_err(), "padding uses it");
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::default();
        names.add_type("Sum", "the struct 'Sum'".to_owned()).unwrap();
        names.add_function("Sum", "the entry point 'Sum'".to_owned()).unwrap();
        let error = names.add_type("Sum", "the kernel of 'sum'".to_owned()).unwrap_err().to_string();
        assert!(error.contains("the struct 'Sum'") && error.contains("the kernel of 'sum'"), "{error}");
    }
}

//! The Rust types for WGSL layouts: types whose values have the same bytes, and the padding between members.

use anywarp_backend::{Layout, Scalar, Shape};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::names::struct_ident;
use crate::refusal::Refusal;

/// One field of a `#[repr(C)]` struct.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The member with this index.
    Member(usize),
    /// This number of padding bytes.
    Padding(u32),
}

/// The fields of a struct of `size` bytes whose members have these offsets and sizes, in order. No Rust type that the
/// macro uses has a higher alignment than its WGSL type, so padding bytes are sufficient to reach each offset.
pub(crate) fn slots(members: impl IntoIterator<Item = (u32, u32)>, size: u32) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut end = 0;
    let pad = |slots: &mut Vec<Slot>, from: u32, to: u32| {
        if to > from {
            slots.push(Slot::Padding(to - from));
        }
    };
    for (index, (offset, length)) in members.into_iter().enumerate() {
        pad(&mut slots, end, offset);
        slots.push(Slot::Member(index));
        end = offset + length;
    }
    pad(&mut slots, end, size);
    slots
}

/// The Rust type of a single value: a member, a uniform or an immediate.
pub(crate) fn value_type(layout: &Layout) -> Result<TokenStream, Refusal> {
    Ok(match &layout.shape {
        Shape::Scalar(scalar) => scalar_type(*scalar),
        Shape::Vector { length, scalar } => array(scalar_type(*scalar), *length),
        Shape::Matrix { columns, scalar, column_stride, .. } => {
            let lanes = column_stride / u32::from(scalar.width);
            array(array(scalar_type(*scalar), lanes), *columns)
        }
        Shape::Array { element, count: Some(count), .. } => array(element_type(element)?, *count),
        Shape::Array { count: None, .. } => {
            return Err(Refusal::new(format!("{} has no size that is known at compile time", layout.name)));
        }
        Shape::Struct { .. } => {
            let name = struct_ident(&layout.name)?;
            quote!(#name)
        }
    })
}

/// The Rust type of an array's element, including the padding up to the next element.
pub(crate) fn element_type(layout: &Layout) -> Result<TokenStream, Refusal> {
    match &layout.shape {
        Shape::Vector { length: 3, scalar } => Ok(array(scalar_type(*scalar), 4)),
        _ => value_type(layout),
    }
}

fn scalar_type(scalar: Scalar) -> TokenStream {
    let name = format_ident!("{}", scalar.to_string());
    if name == "f16" { quote!(::anywarp::f16) } else { quote!(#name) }
}

fn array(element: TokenStream, length: u32) -> TokenStream {
    let length = Literal::u32_unsuffixed(length);
    quote!([#element; #length])
}

/// An expression that compares two values, `a` and `b`, and ignores lanes that are padding.
pub(crate) fn equal(layout: &Layout, a: TokenStream, b: TokenStream) -> TokenStream {
    match &layout.shape {
        Shape::Matrix { rows: 3, .. } => lanes(3, a, b),
        Shape::Array { element, .. } => match &element.shape {
            Shape::Vector { length: 3, .. } => lanes(3, a, b),
            _ if padded(element) => {
                let inner = equal(element, quote!(a), quote!(b));
                quote!(#a.iter().zip(#b.iter()).all(|(a, b)| #inner))
            }
            _ => quote!(#a == #b),
        },
        _ => quote!(#a == #b),
    }
}

/// Whether the Rust arrays for this type contain padding lanes. Structs are not included, because they compare their
/// own members.
fn padded(layout: &Layout) -> bool {
    match &layout.shape {
        Shape::Matrix { rows, .. } => *rows == 3,
        Shape::Array { element, .. } => matches!(element.shape, Shape::Vector { length: 3, .. }) || padded(element),
        _ => false,
    }
}

fn lanes(count: u32, a: TokenStream, b: TokenStream) -> TokenStream {
    let count = Literal::u32_unsuffixed(count);
    quote!(#a.iter().zip(#b.iter()).all(|(a, b)| a[..#count] == b[..#count]))
}

#[cfg(test)]
mod tests {
    use super::Slot::{Member, Padding};
    use super::*;
    use anywarp_backend::Source;
    use anywarp_backend::naga::AddressSpace;

    fn layout(ty: &str) -> Layout {
        let text = format!(
            "enable f16; struct S {{ a: u32, b: vec3<f32> }} @group(0) @binding(0) var<storage, read_write> v: {ty};"
        );
        let module = anywarp_wgsl::module::parse(&Source::new("t", text)).unwrap();
        let mut variables = module.global_variables.iter();
        let (_, variable) = variables.find(|(_, v)| matches!(v.space, AddressSpace::Storage { .. })).unwrap();
        anywarp_wgsl::reflect::layout_of(&module, variable.ty).unwrap()
    }

    #[test]
    fn bytes_that_no_member_has_are_padding() {
        type Case = (&'static str, &'static [(u32, u32)], u32, &'static [Slot]);
        let cases: &[Case] = &[
            ("a scalar", &[(0, 4)], 4, &[Member(0)]),
            ("a vec3 alone", &[(0, 12)], 16, &[Member(0), Padding(4)]),
            ("a scalar in a vec3's padding", &[(0, 12), (12, 4)], 16, &[Member(0), Member(1)]),
            ("a gap between", &[(0, 4), (16, 12)], 32, &[Member(0), Padding(12), Member(1), Padding(4)]),
            ("half words", &[(0, 2), (4, 4)], 8, &[Member(0), Padding(2), Member(1)]),
            ("@size(32)", &[(0, 4), (32, 4)], 36, &[Member(0), Padding(28), Member(1)]),
        ];
        for (what, members, size, wanted) in cases {
            assert_eq!(slots(members.iter().copied(), *size), *wanted, "{what}");
        }
    }

    #[test]
    fn types_have_wgsl_s_own_bytes() {
        // A WGSL type, its Rust type as a value, and its Rust type as an array element.
        for (wgsl, value, element) in [
            ("f32", "f32", "f32"),
            ("atomic<u32>", "u32", "u32"),
            ("f16", ":: anywarp :: f16", ":: anywarp :: f16"),
            ("vec2<i32>", "[i32 ; 2]", "[i32 ; 2]"),
            ("vec3<f32>", "[f32 ; 3]", "[f32 ; 4]"),
            ("vec4<f32>", "[f32 ; 4]", "[f32 ; 4]"),
            ("mat2x2<f32>", "[[f32 ; 2] ; 2]", "[[f32 ; 2] ; 2]"),
            ("mat3x3<f32>", "[[f32 ; 4] ; 3]", "[[f32 ; 4] ; 3]"),
            ("mat4x3<f16>", "[[:: anywarp :: f16 ; 4] ; 4]", "[[:: anywarp :: f16 ; 4] ; 4]"),
            ("mat2x4<f32>", "[[f32 ; 4] ; 2]", "[[f32 ; 4] ; 2]"),
            ("array<vec3<u32>, 5>", "[[u32 ; 4] ; 5]", "[[u32 ; 4] ; 5]"),
            ("array<array<atomic<i32>, 2>, 3>", "[[i32 ; 2] ; 3]", "[[i32 ; 2] ; 3]"),
            ("S", "S", "S"),
            ("array<S, 2>", "[S ; 2]", "[S ; 2]"),
        ] {
            let layout = layout(wgsl);
            assert_eq!(value_type(&layout).unwrap().to_string(), value, "{wgsl} as a value");
            assert_eq!(element_type(&layout).unwrap().to_string(), element, "{wgsl} as an element");
        }
        assert!(value_type(&layout("array<f32>")).is_err(), "an array without a size is not a value");
    }

    #[test]
    fn padding_is_not_compared() {
        let compare = |ty| equal(&layout(ty), quote!(x), quote!(y)).to_string();
        for (ty, has_lanes) in [
            ("array<f32, 4>", false),
            ("mat4x4<f32>", false),
            ("mat3x3<f32>", true),
            ("array<vec3<f32>, 2>", true),
            ("array<array<mat2x3<f32>, 2>, 2>", true),
        ] {
            assert_eq!(compare(ty).contains(".. 3"), has_lanes, "{ty}: {}", compare(ty));
        }
    }
}

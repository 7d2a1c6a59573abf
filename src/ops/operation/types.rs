//! Element types, in WGSL and in buffers.

use std::fmt;

use anywarp_backend::{Layout, Scalar, ScalarKind, Shape};

/// The types that a parameter can have, as errors list them.
pub(crate) const KNOWN: &str = "f32, f16, f64, i16, i32, i64, u16, u32, u64, vec2<..> and vec4<..> of these, or a \
                                capital letter that stands for any of them";

/// A scalar, or a vector of two or four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementType {
    pub(crate) scalar: Scalar,
    pub(crate) lanes: u32,
}

impl ElementType {
    /// Parses the WGSL name of a type.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let vector = |lanes: u32, rest: &str| Some(Self { lanes, ..Self::parse_scalar(rest.strip_suffix('>')?)? });
        match text.split_once('<') {
            None => Self::parse_scalar(text),
            Some((head, rest)) if head.trim_end() == "vec2" => vector(2, rest),
            Some((head, rest)) if head.trim_end() == "vec4" => vector(4, rest),
            Some(_) => None,
        }
    }

    fn parse_scalar(text: &str) -> Option<Self> {
        Some(Self { scalar: Scalar::named(text.trim())?, lanes: 1 })
    }

    /// The type of a buffer's elements, if kernels support it.
    pub(crate) fn of(layout: &Layout) -> Option<Self> {
        let (scalar, lanes) = match &layout.shape {
            Shape::Scalar(scalar) => (*scalar, 1),
            Shape::Array { element, count: Some(lanes @ (2 | 4)), .. } => match element.shape {
                Shape::Scalar(scalar) => (scalar, *lanes),
                _ => return None,
            },
            _ => return None,
        };
        (scalar.width > 1).then_some(Self { scalar, lanes })
    }

    /// The size of one element in an array, in bytes.
    pub(crate) fn size(self) -> u64 {
        u64::from(self.scalar.width) * u64::from(self.lanes)
    }

    /// The extension that the WGSL of a kernel must enable to use the type, if any.
    pub(crate) fn extension(self) -> Option<&'static str> {
        match (self.scalar.kind, self.scalar.width) {
            (ScalarKind::Float, 2) => Some("f16"),
            (_, 2) => Some("wgpu_int16"),
            _ => None,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => self.scalar.fmt(f),
            lanes => write!(f, "vec{lanes}<{}>", self.scalar),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;

    #[test]
    fn parsed_types_are_printed_unchanged() {
        for text in ["f16", "f32", "f64", "i16", "i32", "i64", "u16", "u32", "u64", "vec2<f32>", "vec4<u16>"] {
            assert_eq!(ElementType::parse(text).map(|element| element.to_string()).as_deref(), Some(text));
        }
        for text in ["", "f8", "bool", "vec3<f32>", "vec4<f32", "mat2x2<f32>", "F32"] {
            assert_eq!(ElementType::parse(text), None, "{text}");
        }
    }

    #[test]
    fn rust_types_have_their_counterparts() {
        for (layout, wanted) in [
            (f32::layout(), Some("f32")),
            (half::f16::layout(), Some("f16")),
            (<[i64; 2]>::layout(), Some("vec2<i64>")),
            (<[f32; 4]>::layout(), Some("vec4<f32>")),
            (<[f32; 3]>::layout(), None),
            (<[[f32; 2]; 2]>::layout(), None),
            (u8::layout(), None),
        ] {
            assert_eq!(ElementType::of(&layout).map(|element| element.to_string()).as_deref(), wanted);
        }
    }
}

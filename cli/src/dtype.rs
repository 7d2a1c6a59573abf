//! `numpy`'s element types, and the one for a WGSL type.

use anywarp::backend::{Layout, Scalar, ScalarKind, Shape};

/// An element type of a .npy file, with the name in `numpy`'s array protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    B1,
    U1,
    I1,
    U2,
    I2,
    F2,
    U4,
    I4,
    F4,
    U8,
    I8,
    F8,
}

/// The names of each type: in files, in WGSL, and in programs that use `numpy`.
const NAMES: [(Dtype, &str, &str, &str); 12] = [
    (Dtype::B1, "b1", "bool", "bool"),
    (Dtype::U1, "u1", "u8", "uint8"),
    (Dtype::I1, "i1", "i8", "int8"),
    (Dtype::U2, "u2", "u16", "uint16"),
    (Dtype::I2, "i2", "i16", "int16"),
    (Dtype::F2, "f2", "f16", "float16"),
    (Dtype::U4, "u4", "u32", "uint32"),
    (Dtype::I4, "i4", "i32", "int32"),
    (Dtype::F4, "f4", "f32", "float32"),
    (Dtype::U8, "u8", "u64", "uint64"),
    (Dtype::I8, "i8", "i64", "int64"),
    (Dtype::F8, "f8", "f64", "float64"),
];

impl Dtype {
    /// Finds a type by its name without the byte order: `f4`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known, ..)| *known == name).map(|(dtype, ..)| *dtype)
    }

    /// Finds a type that kernels can use, by its name in WGSL or `numpy`: `f32`, `float32`. The short names of files
    /// are excluded: their `u8` has eight bytes.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let known = NAMES.iter().filter(|(dtype, ..)| dtype.width() > 1);
        known.into_iter().find(|(_, _, ours, numpy)| *ours == word || *numpy == word).map(|(dtype, ..)| *dtype)
    }

    /// Finds the type of an array's elements, of one byte or more, by its name in Rust or `numpy`: `u8`, `uint8`.
    pub(crate) fn of_elements(word: &str) -> Option<Self> {
        NAMES.iter().find(|(_, _, ours, numpy)| *ours == word || *numpy == word).map(|(dtype, ..)| *dtype)
    }

    /// The name in .npy files.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(dtype, ..)| *dtype == self).map_or("?", |(_, name, ..)| name)
    }

    /// The name in WGSL.
    pub(crate) fn word(self) -> &'static str {
        NAMES.iter().find(|(dtype, ..)| *dtype == self).map_or("?", |(_, _, word, _)| word)
    }

    /// The name in programs that use `numpy`.
    pub(crate) fn numpy(self) -> &'static str {
        NAMES.iter().find(|(dtype, ..)| *dtype == self).map_or("?", |(.., word)| word)
    }

    /// The layout of one element.
    pub(crate) fn layout(self) -> Layout {
        let width = self.width() as u8;
        let kind = match self {
            Self::B1 | Self::U1 | Self::U2 | Self::U4 | Self::U8 => ScalarKind::Unsigned,
            Self::I1 | Self::I2 | Self::I4 | Self::I8 => ScalarKind::Signed,
            Self::F2 | Self::F4 | Self::F8 => ScalarKind::Float,
        };
        let size = u32::from(width);
        Layout { name: self.word().to_owned(), size, align: size, shape: Shape::Scalar(Scalar { kind, width }) }
    }

    /// The size of one element in bytes.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::B1 | Self::U1 | Self::I1 => 1,
            Self::U2 | Self::I2 | Self::F2 => 2,
            Self::U4 | Self::I4 | Self::F4 => 4,
            Self::U8 | Self::I8 | Self::F8 => 8,
        }
    }

    /// The element type of a WGSL type whose bytes are an array of one scalar type, without a second type and without
    /// padding. `None` for all others, which `numpy` handles as bytes.
    pub(crate) fn of(layout: &Layout) -> Option<Self> {
        dense_scalar(layout).and_then(Self::of_scalar)
    }

    /// The element types in a WGSL type, without repetitions.
    pub(crate) fn all_in(layout: &Layout) -> Vec<Self> {
        let mut found = Vec::new();
        collect(layout, &mut found);
        found
    }

    fn of_scalar(scalar: Scalar) -> Option<Self> {
        Self::from_name(match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 2) => "f2",
            (ScalarKind::Float, 4) => "f4",
            (ScalarKind::Float, 8) => "f8",
            (ScalarKind::Signed, 2) => "i2",
            (ScalarKind::Signed, 4) => "i4",
            (ScalarKind::Signed, 8) => "i8",
            (ScalarKind::Unsigned, 2) => "u2",
            (ScalarKind::Unsigned, 4) => "u4",
            (ScalarKind::Unsigned, 8) => "u8",
            _ => return None,
        })
    }
}

impl std::fmt::Display for Dtype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.numpy())
    }
}

fn collect(layout: &Layout, found: &mut Vec<Dtype>) {
    match &layout.shape {
        Shape::Scalar(scalar) | Shape::Vector { scalar, .. } | Shape::Matrix { scalar, .. } => {
            found.extend(Dtype::of_scalar(*scalar).filter(|dtype| !found.contains(dtype)));
        }
        Shape::Array { element, .. } => collect(element, found),
        Shape::Struct { fields } => fields.iter().for_each(|field| collect(&field.layout, found)),
    }
}

fn dense_scalar(layout: &Layout) -> Option<Scalar> {
    match &layout.shape {
        Shape::Scalar(scalar) => Some(*scalar),
        Shape::Vector { scalar, .. } => Some(*scalar),
        Shape::Matrix { rows, scalar, column_stride, .. } => {
            (*column_stride == rows * u32::from(scalar.width)).then_some(*scalar)
        }
        Shape::Array { element, stride, .. } => {
            if *stride == element.size {
                dense_scalar(element)
            } else {
                None
            }
        }
        Shape::Struct { fields } => {
            let first = dense_scalar(&fields.first()?.layout)?;
            let mut end = 0;
            for field in fields {
                if field.offset != end || dense_scalar(&field.layout)? != first {
                    return None;
                }
                end = field.offset + field.layout.size;
            }
            // The size of a struct with an unsized tail is a minimum that may be rounded up.
            (end == layout.size || layout.unsized_tail().is_some()).then_some(first)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use anywarp::backend::Field;

    pub(crate) const F32: Scalar = Scalar { kind: ScalarKind::Float, width: 4 };
    pub(crate) const U32: Scalar = Scalar { kind: ScalarKind::Unsigned, width: 4 };

    pub(crate) fn scalar(scalar: Scalar) -> Layout {
        let size = u32::from(scalar.width);
        Layout { name: scalar.to_string(), size, align: size, shape: Shape::Scalar(scalar) }
    }

    pub(crate) fn vector(length: u32, scalar: Scalar) -> Layout {
        let width = u32::from(scalar.width);
        let align = if length == 2 { 2 * width } else { 4 * width };
        let name = format!("vec{length}<{scalar}>");
        Layout { name, size: length * width, align, shape: Shape::Vector { length, scalar } }
    }

    pub(crate) fn array(element: Layout, count: Option<u32>) -> Layout {
        let stride = element.size.next_multiple_of(element.align);
        let name = match count {
            Some(count) => format!("array<{}, {count}>", element.name),
            None => format!("array<{}>", element.name),
        };
        let (size, align) = (stride * count.unwrap_or(1), element.align);
        Layout { name, size, align, shape: Shape::Array { element: Box::new(element), count, stride } }
    }

    pub(crate) fn structure(name: &str, fields: Vec<(&str, Layout)>) -> Layout {
        let (mut end, mut align) = (0_u32, 1);
        let fields = fields
            .into_iter()
            .map(|(name, layout)| {
                let offset = end.next_multiple_of(layout.align);
                end = offset + layout.size;
                align = align.max(layout.align);
                Field { name: name.to_owned(), offset, layout }
            })
            .collect();
        Layout { name: name.to_owned(), size: end.next_multiple_of(align), align, shape: Shape::Struct { fields } }
    }

    #[test]
    fn names_and_widths_agree() {
        for (dtype, name, word, numpy) in NAMES {
            assert_eq!(Dtype::from_name(name), Some(dtype));
            assert_eq!(name[1..].parse(), Ok(dtype.width()), "{name}");
            let wide = (dtype.width() > 1).then_some(dtype);
            assert_eq!((Dtype::from_word(word), Dtype::from_word(numpy)), (wide, wide), "{word} {numpy}");
            assert_eq!((dtype.name(), dtype.word(), dtype.numpy()), (name, word, numpy));
        }
        assert_eq!([Dtype::of_elements("u8"), Dtype::of_elements("int8")], [Some(Dtype::U1), Some(Dtype::I1)]);
        assert_eq!(Dtype::from_name("c8"), None);
        assert_eq!([Dtype::from_word("u8"), Dtype::from_word("f4"), Dtype::from_word("")], [None; 3]);
    }

    #[test]
    fn the_element_types_of_a_struct_are_told_once() {
        let mixed =
            structure("Mixed", vec![("n", scalar(U32)), ("a", vector(3, F32)), ("b", array(scalar(F32), Some(2)))]);
        assert_eq!(Dtype::all_in(&mixed), [Dtype::U4, Dtype::F4]);
        assert_eq!(Dtype::all_in(&array(vector(3, F32), None)), [Dtype::F4]);
    }

    #[test]
    fn only_types_without_padding_have_an_element_type() {
        let table = [
            (scalar(U32), Some(Dtype::U4)),
            (array(scalar(F32), None), Some(Dtype::F4)),
            (array(vector(4, F32), None), Some(Dtype::F4)),
            (array(vector(3, F32), None), None),
            (structure("Body", vec![("at", vector(3, F32)), ("mass", scalar(F32))]), Some(Dtype::F4)),
            (structure("Mixed", vec![("n", scalar(U32)), ("a", scalar(F32))]), None),
            (structure("Gap", vec![("a", scalar(F32)), ("v", vector(2, F32))]), None),
            (structure("Tail", vec![("v", vector(4, F32)), ("rest", array(scalar(F32), None))]), Some(Dtype::F4)),
        ];
        for (layout, expected) in table {
            assert_eq!(Dtype::of(&layout), expected, "{}", layout.name);
        }
    }
}

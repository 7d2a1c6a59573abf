//! Types that buffers and parameters may hold, with their memory layout.

use anywarp_backend::{Field, Layout, Scalar, ScalarKind, Shape};
use bytemuck::Pod;

/// A type with the same representation on host and device: plain data whose layout is known down to its scalars.
///
/// Implemented for the scalars that WGSL kernels can address (`f32`, `f64`, [`half::f16`], `i16` to `i64`, `u16` to
/// `u64`), for arrays of them, and for `u8` and `i8`, which represent raw bytes: a buffer of them can be bound to any
/// variable. [`half::bf16`] does not exist in WGSL: a kernel receives its bits as a `u16`. For a struct use
/// [`element!`](crate::element!).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element: a buffer, slice or value of a kernel cannot hold it",
    label = "`{Self}` has no layout that is the same on host and device",
    note = "a struct becomes one by `#[repr(C)]`, `#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]` and \
            `anywarp::element!(Name {{ all, its, fields }})`",
    note = "other elements are f32, f64, f16, i8 to i64, u8 to u64, and arrays of elements: not bool, char, usize or tuples"
)]
pub trait Element: Pod + Send + Sync {
    /// The scalar type, if this type is a scalar, so that a launch need not inspect its layout; otherwise `None`.
    const SCALAR: Option<Scalar> = None;

    /// Returns the memory layout of the type: its size, its alignment, and the offsets of its fields or elements.
    fn layout() -> Layout;
}

macro_rules! scalars {
    ($($rust:ty, $kind:ident;)*) => {$(
        impl Element for $rust {
            const SCALAR: Option<Scalar> =
                Some(Scalar { kind: ScalarKind::$kind, width: size_of::<$rust>() as u8 });

            fn layout() -> Layout {
                let scalar = Scalar { kind: ScalarKind::$kind, width: size_of::<$rust>() as u8 };
                let size = size_of::<$rust>() as u32;
                Layout { name: scalar.to_string(), size, align: size, shape: Shape::Scalar(scalar) }
            }
        }
    )*};
}

scalars! {
    f32, Float; f64, Float; half::f16, Float;
    i8, Signed; i16, Signed; i32, Signed; i64, Signed;
    u8, Unsigned; u16, Unsigned; u32, Unsigned; u64, Unsigned;
}

impl Element for half::bf16 {
    const SCALAR: Option<Scalar> = u16::SCALAR;

    fn layout() -> Layout {
        Layout { name: "bf16".to_owned(), ..u16::layout() }
    }
}

impl<T: Element, const N: usize> Element for [T; N]
where
    [T; N]: Pod,
{
    fn layout() -> Layout {
        let element = T::layout();
        Layout {
            name: format!("[{}; {N}]", element.name),
            size: size_of::<Self>() as u32,
            align: element.align,
            shape: Shape::Array { stride: element.size, count: Some(N as u32), element: Box::new(element) },
        }
    }
}

/// Implements [`Element`] for a struct, so that buffers can hold it and launches can compare its layout with that of
/// the WGSL struct.
///
/// The struct must be `#[repr(C)]` and implement [`bytemuck::Pod`] (which forbids hidden padding), and the macro must
/// name all its fields. Padding that exists in WGSL but not in Rust is declared as a field of any name.
///
/// ```
/// #[repr(C)]
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32, // occupies the padding after WGSL's vec3<f32>
/// }
/// anywarp::element!(Particle { position, mass });
/// ```
#[macro_export]
macro_rules! element {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::Element for $name {
            fn layout() -> $crate::backend::Layout {
                // Takes the accessor of a field, so that the compiler infers the field's type `F`.
                fn part<S, F: $crate::Element>(_: fn(&S) -> &F, name: &str, at: usize) -> $crate::backend::Field {
                    $crate::backend::Field {
                        name: ::std::string::String::from(name),
                        offset: at as u32,
                        layout: <F as $crate::Element>::layout(),
                    }
                }
                $crate::struct_layout(
                    ::std::any::type_name::<$name>(),
                    ::std::mem::size_of::<$name>(),
                    ::std::mem::align_of::<$name>(),
                    ::std::vec![$(part::<$name, _>(
                        |value| &value.$field,
                        ::std::stringify!($field),
                        ::std::mem::offset_of!($name, $field),
                    )),+],
                )
            }
        }
        const _: () = {
            // Does not compile if the macro call omits a field of the struct, whose layout would then not be compared.
            fn every_field_is_named(value: $name) -> $name {
                $name { $($field: value.$field),+ }
            }
            let _ = every_field_is_named;
        };
    };
}

/// The layout of a struct, for the expansion of [`element!`](crate::element!).
#[doc(hidden)]
#[must_use]
pub fn struct_layout(name: &str, size: usize, align: usize, fields: Vec<Field>) -> Layout {
    Layout { name: name.to_owned(), size: size as u32, align: align as u32, shape: Shape::Struct { fields } }
}

/// A scalar in a type, after its offset in bytes from the start of the type.
pub(crate) type Leaf = (u32, Scalar);

/// Appends all scalars of `layout` to `out`, with their offsets plus `at`.
fn leaves(layout: &Layout, at: u32, out: &mut Vec<Leaf>) {
    match &layout.shape {
        Shape::Scalar(scalar) => out.push((at, *scalar)),
        Shape::Vector { length, scalar } => {
            out.extend((0..*length).map(|index| (at + index * u32::from(scalar.width), *scalar)));
        }
        Shape::Matrix { columns, rows, scalar, column_stride } => {
            for column in 0..*columns {
                let at = at + column * column_stride;
                out.extend((0..*rows).map(|row| (at + row * u32::from(scalar.width), *scalar)));
            }
        }
        Shape::Array { element, count, stride } => {
            for index in 0..count.unwrap_or(1) {
                leaves(element, at + index * stride, out);
            }
        }
        Shape::Struct { fields } => {
            for field in fields {
                leaves(&field.layout, at + field.offset, out);
            }
        }
    }
}

/// Whether the type consists of bytes (`u8` or `i8`), which fit any WGSL type.
pub(crate) fn is_raw(layout: &Layout) -> bool {
    layout.uniform_scalar().is_some_and(|scalar| scalar.width == 1)
}

/// The scalar of a type that consists of one kind of scalar and fills `stride` bytes without padding; otherwise `None`.
fn dense(layout: &Layout, stride: u32) -> Option<Scalar> {
    let scalar = layout.uniform_scalar()?;
    if matches!(layout.shape, Shape::Scalar(_)) {
        return (u32::from(scalar.width) == stride).then_some(scalar);
    }
    let mut all = Vec::new();
    leaves(layout, 0, &mut all);
    (all.len() as u32 * u32::from(scalar.width) == stride).then_some(scalar)
}

/// Whether an array of `rust` values can stand for an array of `wgsl` values, `stride` bytes apart.
///
/// The types agree in two cases. Either neither type has padding, and both consist of the same scalar: then the
/// grouping of the scalars into vectors and arrays does not matter, unless both types are structs, whose fields are
/// compared by name. Or both types have the same size, and every scalar of the WGSL type has its counterpart at the
/// same offset of the Rust type; the content of WGSL's padding does not matter.
pub(crate) fn elements_agree(rust: &Layout, wgsl: &Layout, stride: u32) -> bool {
    if is_raw(rust) {
        return true;
    }
    let both_structs = matches!((&rust.shape, &wgsl.shape), (Shape::Struct { .. }, Shape::Struct { .. }));
    if let (false, Some(a), Some(b)) = (both_structs, dense(rust, rust.size), dense(wgsl, stride)) {
        return a == b;
    }
    rust.size == stride && covers(rust, wgsl)
}

/// Whether one value of the Rust type `rust` can stand for one value of the WGSL type `wgsl`.
pub(crate) fn values_agree(rust: &Layout, wgsl: &Layout) -> bool {
    (rust.size == wgsl.size || rust.size == wgsl.size.next_multiple_of(wgsl.align)) && covers(rust, wgsl)
}

fn covers(rust: &Layout, wgsl: &Layout) -> bool {
    if let (Shape::Struct { fields: has }, Shape::Struct { fields: wants }) = (&rust.shape, &wgsl.shape) {
        // If the Rust struct has a field of the same name, its offset must be the same; otherwise any field at the
        // offset is accepted.
        return wants.iter().all(|want| {
            let named = has.iter().find(|field| field.name == want.name);
            let there = has.iter().find(|field| field.offset == want.offset);
            named.or(there).is_some_and(|field| field.offset == want.offset && covers(&field.layout, &want.layout))
        });
    }
    let (mut has, mut wants) = (Vec::new(), Vec::new());
    leaves(rust, 0, &mut has);
    leaves(wgsl, 0, &mut wants);
    has.sort_unstable_by_key(|leaf| leaf.0);
    wants.iter().all(|want| has.binary_search_by_key(&want.0, |leaf| leaf.0).is_ok_and(|found| has[found] == *want))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wgsl(ty: &str) -> Layout {
        let source = format!("struct P {{ a: f32, b: vec3<f32> }} @group(0) @binding(0) var<storage> v: {ty};");
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let (_, variable) = module.global_variables.iter().next().unwrap();
        anywarp_wgsl::reflect::layout_of(&module, variable.ty).unwrap()
    }

    #[test]
    fn dense_types_of_one_scalar_may_be_grouped_differently() {
        for ty in ["vec4<f32>", "vec2<f32>", "f32", "mat4x4<f32>", "array<f32, 7>"] {
            let layout = wgsl(ty);
            assert!(elements_agree(&f32::layout(), &layout, layout.size), "{ty}");
            assert!(!elements_agree(&u32::layout(), &layout, layout.size), "{ty}");
            assert!(!elements_agree(&i32::layout(), &layout, layout.size), "{ty}");
        }
    }

    #[test]
    fn padding_must_be_matched() {
        let vec3 = wgsl("vec3<f32>");
        assert!(!elements_agree(&f32::layout(), &vec3, 16));
        assert!(!elements_agree(&<[f32; 3]>::layout(), &vec3, 16));
        assert!(elements_agree(&<[f32; 4]>::layout(), &vec3, 16));
        assert!(values_agree(&<[f32; 3]>::layout(), &vec3));
        let mat3 = wgsl("mat3x3<f32>");
        assert!(values_agree(&<[[f32; 4]; 3]>::layout(), &mat3));
        assert!(!values_agree(&<[[f32; 3]; 3]>::layout(), &mat3));
    }

    #[test]
    fn structs_are_compared_by_offset_and_scalar() {
        #[repr(C)]
        #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
        struct Good {
            a: f32,
            gap: [u32; 3],
            b: [f32; 3],
            tail: u32,
        }
        crate::element!(Good { a, gap, b, tail });
        #[repr(C)]
        #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
        struct Bad {
            a: f32,
            b: [f32; 3],
            tail: [f32; 4],
        }
        crate::element!(Bad { a, b, tail });
        let layout = wgsl("P");
        assert!(elements_agree(&Good::layout(), &layout, layout.size));
        assert_eq!(Bad::layout().size, layout.size);
        assert!(!elements_agree(&Bad::layout(), &layout, layout.size));
    }

    #[test]
    fn bytes_fit_anything() {
        assert!(elements_agree(&u8::layout(), &wgsl("P"), 32));
    }
}

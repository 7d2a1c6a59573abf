//! The arguments of a kernel, without the kernel's module.

use anywarp_backend::{Access, BindingClass, BindingInfo, Program, Shape};

/// The arguments that a dispatch of one kernel must pass.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The requirements of the bindings, in the order of a dispatch's arguments.
    pub bindings: Vec<Binding>,
    /// Size of `var<immediate>` in bytes, a multiple of 4; 0 without one.
    pub immediates: u32,
}

/// The requirements of one binding, which are met by the argument that a dispatch passes to one variable.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The variable's name in the WGSL.
    pub name: String,
    /// The variable's address space.
    pub class: BindingClass,
    /// The kernel's access to the variable.
    pub access: Access,
    /// The smallest allowed size in bytes: the size of the variable's type, with one element of a runtime-sized array.
    pub size: u32,
    /// The number of bytes of which the binding's offset must be a multiple: 8 where 64-bit scalars may be changed
    /// atomically, otherwise 4.
    pub alignment: u32,
    /// Offset and stride in bytes of the variable's runtime-sized array, if there is one.
    pub tail: Option<(u32, u32)>,
}

impl Signature {
    /// The signature of a program.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let immediates = program.immediate.as_ref().map_or(0, |(_, layout)| layout.size);
        Self {
            bindings: program.bindings.iter().map(Binding::new).collect(),
            immediates: immediates.checked_next_multiple_of(4).unwrap_or(u32::MAX),
        }
    }
}

impl Binding {
    /// The requirements of the variable `info`.
    #[must_use]
    pub fn new(info: &BindingInfo) -> Self {
        let wide = info.class != BindingClass::Uniform && has_wide_scalar(&info.layout.shape);
        Self {
            name: info.name.clone(),
            class: info.class,
            access: info.access,
            size: info.layout.size,
            alignment: if wide { 8 } else { 4 },
            tail: info.layout.unsized_tail(),
        }
    }

    /// The number of elements of the runtime-sized array in a region of `bytes` bytes, at least 1; 0 without such an
    /// array; `None` if the number exceeds 32 bits, the type of WGSL's `arrayLength`.
    #[must_use]
    pub fn length(&self, bytes: u64) -> Option<u32> {
        self.tail.map_or(Some(0), |(offset, stride)| {
            let length = bytes.saturating_sub(u64::from(offset)) / u64::from(stride.max(1));
            u32::try_from(length).ok().map(|length| length.max(1))
        })
    }
}

fn has_wide_scalar(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(scalar) | Shape::Vector { scalar, .. } | Shape::Matrix { scalar, .. } => scalar.width == 8,
        Shape::Array { element, .. } => has_wide_scalar(&element.shape),
        Shape::Struct { fields } => fields.iter().any(|field| has_wide_scalar(&field.layout.shape)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_backend::{Field, Layout, ResourceId, Scalar, ScalarKind};

    fn scalar(width: u8) -> Layout {
        let shape = Shape::Scalar(Scalar { kind: ScalarKind::Unsigned, width });
        Layout { name: String::new(), size: width.into(), align: width.into(), shape }
    }

    fn binding(class: BindingClass, layout: Layout) -> Binding {
        let resource = ResourceId { group: 0, binding: 0 };
        Binding::new(&BindingInfo { name: "data".to_owned(), resource, class, access: Access::Write, layout })
    }

    fn tailed(tail: Option<(u32, u32)>) -> Binding {
        Binding { tail, ..binding(BindingClass::Storage, scalar(4)) }
    }

    #[test]
    fn lengths_of_runtime_sized_arrays() {
        assert_eq!(tailed(None).length(64), Some(0));
        assert_eq!(tailed(Some((0, 4))).length(64), Some(16));
        assert_eq!(tailed(Some((16, 12))).length(64), Some(4));
        assert_eq!(tailed(Some((16, 12))).length(20), Some(1));
        assert_eq!(tailed(Some((16, 0))).length(0), Some(1));
        assert_eq!(tailed(Some((0, 2))).length(1 << 40), None);
    }

    #[test]
    fn storage_of_64_bit_scalars_begins_at_multiples_of_8() {
        let field = Field { name: "wide".to_owned(), offset: 8, layout: scalar(8) };
        let nested = Layout { shape: Shape::Struct { fields: vec![field] }, ..scalar(8) };
        for (class, layout, alignment) in [
            (BindingClass::Storage, scalar(4), 4),
            (BindingClass::Storage, scalar(8), 8),
            (BindingClass::ReadOnlyStorage, nested, 8),
            (BindingClass::Uniform, scalar(8), 4),
        ] {
            assert_eq!(binding(class, layout).alignment, alignment, "{class:?}");
        }
    }
}

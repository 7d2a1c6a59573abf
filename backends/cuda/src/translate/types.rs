//! Types as C++ text, and the structs of a module with WGSL's layout.

use std::fmt::Write;

use naga::proc::{IndexableLength, TypeResolution};
use naga::valid::TypeFlags;
use naga::{
    AddressSpace, ArraySize, CooperativeRole, Handle, PredeclaredType, Scalar, ScalarKind, StorageAccess, StructMember,
    Type, TypeInner, VectorSize,
};

use super::error::{Result, TranslateError};
use super::writer::ModuleWriter;

/// The largest nesting depth of types, which bounds recursion over a type.
const MAX_NESTED_TYPES: u32 = 64;

/// The largest padding between two members in bytes, which bounds the length of the text.
const MAX_PADDING: u32 = 1 << 16;

impl ModuleWriter<'_> {
    /// Returns the C++ name of a type of the module; [`check_types`](Self::check_types) has refused unsupported types
    /// before.
    pub(super) fn type_name(&self, handle: Handle<Type>) -> String {
        match &self.module.types[handle].inner {
            TypeInner::Struct { .. } => {
                let predeclared = &self.module.special_types.predeclared_types;
                match predeclared.iter().find(|(_, known)| **known == handle) {
                    Some((key, _)) => self.predeclared_name(key),
                    None => self.names.ty(handle).to_owned(),
                }
            }
            inner => self.inner_name(inner),
        }
    }

    /// Returns the C++ name of a type that is not a struct. The result for an unsized array is its element's name,
    /// because such an array is accessed through a pointer to its first element.
    pub(super) fn inner_name(&self, inner: &TypeInner) -> String {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => scalar_name(scalar).to_owned(),
            TypeInner::Vector { size, scalar } => format!("vec{}<{}>", size as u8, scalar_name(scalar)),
            TypeInner::Matrix { columns, rows, scalar } => {
                format!("mat<{}, {}, {}>", scalar_name(scalar), columns as u8, rows as u8)
            }
            TypeInner::Array { base, size, stride } => match self.length(size) {
                Some(count) => format!("array<{}, {count}, {stride}>", self.type_name(base)),
                None => self.element_name(base, stride),
            },
            TypeInner::CooperativeMatrix { columns, rows, scalar, role } => {
                let role = match role {
                    CooperativeRole::A => 0,
                    CooperativeRole::B => 1,
                    CooperativeRole::C => 2,
                };
                format!("coop<{}, {}, {}, {role}>", scalar_name(scalar), columns as u32, rows as u32)
            }
            TypeInner::Pointer { base, space } => format!("{}{}*", constness(space), self.type_name(base)),
            TypeInner::ValuePointer { size, scalar, space } => {
                let pointee = match size {
                    Some(size) => format!("vec{}<{}>", size as u8, scalar_name(scalar)),
                    None => scalar_name(scalar).to_owned(),
                };
                format!("{}{pointee}*", constness(space))
            }
            _ => "aw_unsupported".to_owned(),
        }
    }

    /// Returns the C++ name of an expression's type.
    pub(super) fn resolved_name(&self, resolution: &TypeResolution) -> String {
        match resolution {
            TypeResolution::Handle(handle) => self.type_name(*handle),
            TypeResolution::Value(inner) => self.inner_name(inner),
        }
    }

    /// Returns the element type of an unsized array: `padded` where the stride exceeds the element's size.
    pub(super) fn element_name(&self, base: Handle<Type>, stride: u32) -> String {
        let name = self.type_name(base);
        if self.is_padded(base, stride) { format!("padded<{name}, {stride}>") } else { name }
    }

    /// Returns whether elements of an unsized array are wrapped in `padded`, and accessed through `.value`.
    pub(super) fn is_padded(&self, base: Handle<Type>, stride: u32) -> bool {
        self.module.types[base].inner.size(self.module.to_ctx()) != stride
    }

    /// Returns the number of an array's elements; `None` if the size of the bound memory determines it.
    pub(super) fn length(&self, size: ArraySize) -> Option<u32> {
        match size.resolve(self.module.to_ctx()) {
            Ok(IndexableLength::Known(count)) => Some(count),
            // Overrides have their values at this point; a size without a value is not valid in C++.
            Err(_) => Some(0),
            Ok(IndexableLength::Dynamic) => None,
        }
    }

    /// Returns the element and the stride of the unsized array that a type is or ends in.
    pub(super) fn unsized_tail(&self, handle: Handle<Type>) -> Option<(Handle<Type>, u32)> {
        match &self.module.types[handle].inner {
            TypeInner::Array { base, size: ArraySize::Dynamic, stride } => Some((*base, *stride)),
            TypeInner::Struct { members, .. } => self.unsized_tail(members.last()?.ty),
            _ => None,
        }
    }

    /// Checks that the types can be written in C++; the error names the first one that cannot.
    pub(super) fn check_types(&self) -> Result<()> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.module.types.len());
        for (handle, ty) in self.module.types.iter() {
            let depth = |handle: Handle<Type>| depths.get(handle.index()).map_or(0, |depth: &u32| *depth + 1);
            let line = self.lines.of(self.module.types.get_span(handle));
            let mut here = 0;
            match &ty.inner {
                TypeInner::Scalar(_)
                | TypeInner::Atomic(_)
                | TypeInner::Vector { .. }
                | TypeInner::Matrix { .. }
                | TypeInner::CooperativeMatrix { .. }
                | TypeInner::Pointer { .. }
                | TypeInner::ValuePointer { .. } => {}
                TypeInner::Array { base, .. } => here = depth(*base),
                TypeInner::Struct { members, span } => {
                    here = members.iter().map(|member| depth(member.ty)).max().unwrap_or(0);
                    if let Some(bytes) = self.widest_gap(members, *span).filter(|bytes| *bytes > MAX_PADDING) {
                        let what = format!("{bytes} bytes of padding in a struct, at most {MAX_PADDING} are allowed");
                        return Err(TranslateError::limit(what).at(line));
                    }
                }
                other => return Err(TranslateError::unsupported(kind(other)).at(line)),
            }
            if here > MAX_NESTED_TYPES {
                let what = format!("types nested more than {MAX_NESTED_TYPES} deep");
                return Err(TranslateError::limit(what).at(line));
            }
            depths.push(here);
        }
        Ok(())
    }

    fn widest_gap(&self, members: &[StructMember], span: u32) -> Option<u32> {
        let next = members.iter().skip(1).map(|member| member.offset).chain([span]);
        let end = |member: &StructMember| member.offset.saturating_add(self.cpp_size(member.ty));
        members.iter().zip(next).map(|(member, next)| next.saturating_sub(end(member))).max()
    }

    /// Returns the structs of the module, with WGSL's layout where the host can access them.
    pub(super) fn structs(&self) -> String {
        let mut out = String::new();
        let predeclared = &self.module.special_types.predeclared_types;
        for (handle, ty) in self.module.types.iter() {
            let TypeInner::Struct { members, span } = &ty.inner else { continue };
            if predeclared.values().all(|known| *known != handle) {
                self.declare_struct(&mut out, handle, members, *span);
            }
        }
        out
    }

    fn declare_struct(&self, out: &mut String, handle: Handle<Type>, members: &[StructMember], span: u32) {
        let name = self.names.ty(handle);
        let shareable = self.info[handle].contains(TypeFlags::HOST_SHAREABLE);
        let _ = writeln!(out, "struct {name} {{");
        let mut end = 0;
        for (index, member) in members.iter().enumerate() {
            let label = self.names.member(handle, index as u32);
            let ty = self.type_name(member.ty);
            // An unsized array is declared with one element; the other elements follow it in memory.
            let is_unsized =
                matches!(self.module.types[member.ty].inner, TypeInner::Array { size: ArraySize::Dynamic, .. });
            let extent = if is_unsized { "[1]" } else { "" };
            if !shareable {
                let _ = writeln!(out, "    {ty} {label}{extent};");
                continue;
            }
            let align = self.alignment(member.ty);
            pad(out, end, member.offset, align);
            let _ = writeln!(out, "    alignas({align}) {ty} {label}{extent};");
            end = member.offset + self.cpp_size(member.ty);
        }
        let sized = shareable && self.unsized_tail(handle).is_none();
        if sized {
            pad(out, end, span, self.alignment(handle));
            if self.widest_gap(members, span) > Some(0) {
                self.declare_assignment(out, handle, members);
            }
        }
        out.push_str("};\n");
        if sized {
            let _ = writeln!(out, "static_assert(sizeof({name}) == {span}, \"{name}\");");
        }
    }

    /// Declares an assignment member by member, because a kernel must not write the padding.
    fn declare_assignment(&self, out: &mut String, handle: Handle<Type>, members: &[StructMember]) {
        let name = self.names.ty(handle);
        let _ = write!(out, "    aw_fn {name}& operator=(const {name}& aw_from) {{");
        for index in 0..members.len() {
            let label = self.names.member(handle, index as u32);
            let _ = write!(out, " {label} = aw_from.{label};");
        }
        out.push_str(" return *this; }\n");
    }

    /// Returns the alignment in bytes of a type that host and device share.
    fn alignment(&self, handle: Handle<Type>) -> u32 {
        let vector = |size: VectorSize, scalar: Scalar| match size {
            VectorSize::Bi => 2 * u32::from(scalar.width),
            VectorSize::Tri | VectorSize::Quad => 4 * u32::from(scalar.width),
        };
        match &self.module.types[handle].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => u32::from(scalar.width),
            TypeInner::Vector { size, scalar } => vector(*size, *scalar),
            TypeInner::Matrix { rows, scalar, .. } => vector(*rows, *scalar),
            TypeInner::Array { base, .. } => self.alignment(*base),
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| self.alignment(member.ty)).max().unwrap_or(1)
            }
            _ => 1,
        }
    }

    /// Returns the size in bytes of a type in C++, which is its size in WGSL.
    pub(super) fn cpp_size(&self, handle: Handle<Type>) -> u32 {
        self.module.types[handle].inner.size(self.module.to_ctx())
    }

    fn predeclared_name(&self, key: &PredeclaredType) -> String {
        let vector = |size: Option<VectorSize>, scalar: Scalar| match size {
            Some(size) => format!("vec{}<{}>", size as u8, scalar_name(scalar)),
            None => scalar_name(scalar).to_owned(),
        };
        match *key {
            PredeclaredType::AtomicCompareExchangeWeakResult(scalar) => {
                format!("aw_cas_result<{}>", scalar_name(scalar))
            }
            PredeclaredType::ModfResult { size, scalar } => format!("aw_modf_result<{}>", vector(size, scalar)),
            PredeclaredType::FrexpResult { size, scalar } => {
                let exponent = Scalar { kind: ScalarKind::Sint, width: scalar.width };
                format!("aw_frexp_result<{}, {}>", vector(size, scalar), vector(size, exponent))
            }
        }
    }
}

/// Returns the C++ name of a scalar type.
pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => "bool",
        (ScalarKind::Sint, 2) => "i16",
        (ScalarKind::Sint, 8) => "i64",
        (ScalarKind::Sint, _) => "i32",
        (ScalarKind::Uint, 2) => "u16",
        (ScalarKind::Uint, 8) => "u64",
        (ScalarKind::Uint, _) => "u32",
        (ScalarKind::Float, 2) => "f16",
        (ScalarKind::Float, 8) => "f64",
        (ScalarKind::Float, _) => "f32",
        (ScalarKind::AbstractInt | ScalarKind::AbstractFloat, _) => "aw_abstract",
    }
}

/// Returns `const ` for an address space that the kernel only reads, otherwise an empty text.
pub(super) fn constness(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Uniform | AddressSpace::Immediate => "const ",
        AddressSpace::Storage { access } if !access.contains(StorageAccess::STORE) => "const ",
        _ => "",
    }
}

/// Writes unnamed padding before a member: bit-fields, which initialisers skip.
fn pad(out: &mut String, end: u32, offset: u32, align: u32) {
    if end.next_multiple_of(align.max(1)) >= offset {
        return;
    }
    out.push_str("   ");
    let mut at = end;
    while at < offset {
        let (ty, bytes) = if at.is_multiple_of(4) && offset - at >= 4 { ("u32", 4) } else { ("unsigned char", 1) };
        let _ = write!(out, " {ty} : {};", bytes * 8);
        at += bytes;
    }
    out.push('\n');
}

fn kind(inner: &TypeInner) -> &'static str {
    match inner {
        TypeInner::Image { .. } => "a texture",
        TypeInner::Sampler { .. } => "a sampler",
        TypeInner::AccelerationStructure { .. } => "an acceleration structure",
        TypeInner::RayQuery { .. } => "a ray query",
        TypeInner::BindingArray { .. } => "a binding_array",
        _ => "this type",
    }
}

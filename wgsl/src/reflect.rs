//! Bindings of a module, and the layouts of their types.

use anywarp_backend::{
    Access, BindingClass, BindingInfo, Field, Layout, ResourceId, Scalar, ScalarKind, Shape, Validated,
};
use naga::valid::GlobalUse;
use naga::{AddressSpace, ArraySize, Handle, Module, ScalarKind as NagaKind, StorageAccess, Type, TypeInner};

/// Returns the layout of a host-shareable type; `None` for other types (booleans, pointers, textures).
#[must_use]
pub fn layout_of(module: &Module, ty: Handle<Type>) -> Option<Layout> {
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    build(module, &layouter, ty)
}

fn build(module: &Module, layouter: &naga::proc::Layouter, ty: Handle<Type>) -> Option<Layout> {
    let place = layouter[ty];
    let (name, shape) = match &module.types[ty].inner {
        TypeInner::Scalar(scalar) => {
            let scalar = scalar_of(*scalar)?;
            (scalar.to_string(), Shape::Scalar(scalar))
        }
        TypeInner::Atomic(scalar) => {
            let scalar = scalar_of(*scalar)?;
            (format!("atomic<{scalar}>"), Shape::Scalar(scalar))
        }
        TypeInner::Vector { size, scalar } => {
            let (length, scalar) = (*size as u32, scalar_of(*scalar)?);
            (format!("vec{length}<{scalar}>"), Shape::Vector { length, scalar })
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let (columns, rows, scalar) = (*columns as u32, *rows as u32, scalar_of(*scalar)?);
            let column_stride = place.size / columns;
            (format!("mat{columns}x{rows}<{scalar}>"), Shape::Matrix { columns, rows, scalar, column_stride })
        }
        TypeInner::Array { base, size, stride } => {
            let element = Box::new(build(module, layouter, *base)?);
            let count = match size {
                ArraySize::Constant(count) => Some(count.get()),
                ArraySize::Dynamic => None,
                ArraySize::Pending(_) => return None,
            };
            let name = match count {
                Some(count) => format!("array<{}, {count}>", element.name),
                None => format!("array<{}>", element.name),
            };
            (name, Shape::Array { element, count, stride: *stride })
        }
        TypeInner::Struct { members, .. } => {
            let fields = members.iter().enumerate().map(|(index, member)| {
                Some(Field {
                    name: member.name.clone().unwrap_or_else(|| format!("member_{index}")),
                    offset: member.offset,
                    layout: build(module, layouter, member.ty)?,
                })
            });
            let name = module.types[ty].name.clone().unwrap_or_else(|| "struct".to_owned());
            (name, Shape::Struct { fields: fields.collect::<Option<_>>()? })
        }
        _ => return None,
    };
    Some(Layout { name, size: place.size, align: place.alignment.round_up(1), shape })
}

fn scalar_of(scalar: naga::Scalar) -> Option<Scalar> {
    let kind = match scalar.kind {
        NagaKind::Sint => ScalarKind::Signed,
        NagaKind::Uint => ScalarKind::Unsigned,
        NagaKind::Float => ScalarKind::Float,
        NagaKind::Bool | NagaKind::AbstractInt | NagaKind::AbstractFloat => return None,
    };
    Some(Scalar { kind, width: scalar.width })
}

/// The module's variables that an entry point uses.
#[derive(Default)]
pub struct Reflection {
    /// The uniform and storage buffers, sorted by group and binding.
    pub bindings: Vec<BindingInfo>,
    /// The name and the layout of `var<immediate>`.
    pub immediate: Option<(String, Layout)>,
    /// The size of workgroup memory, in bytes.
    pub workgroup_storage: u32,
    /// The first variable that is not supported, such as a texture, with its span.
    pub foreign: Option<(String, naga::Span)>,
}

/// Reads the module's variables that the entry point at `index` uses.
#[must_use]
pub fn reflect(module: &Validated, index: usize) -> Reflection {
    let mut layouter = naga::proc::Layouter::default();
    let laid_out = layouter.update(module.to_ctx()).is_ok();
    let uses = module.info().get_entry_point(index);
    let mut reflection = Reflection::default();
    for (handle, global) in module.global_variables.iter() {
        if uses[handle].is_empty() {
            continue;
        }
        let name = global.name.clone().unwrap_or_else(|| "unnamed".to_owned());
        let layout = if laid_out { build(module, &layouter, global.ty) } else { None };
        let class = match global.space {
            AddressSpace::Uniform => BindingClass::Uniform,
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => BindingClass::Storage,
            AddressSpace::Storage { .. } => BindingClass::ReadOnlyStorage,
            AddressSpace::WorkGroup => {
                let size = layouter[global.ty].size.next_multiple_of(16);
                reflection.workgroup_storage = reflection.workgroup_storage.saturating_add(size);
                continue;
            }
            AddressSpace::Immediate => {
                reflection.immediate = layout.map(|layout| (name, layout));
                continue;
            }
            AddressSpace::Function | AddressSpace::Private => continue,
            _ => {
                reflection.foreign.get_or_insert((name, module.global_variables.get_span(handle)));
                continue;
            }
        };
        let written = uses[handle].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC);
        match (layout, &global.binding) {
            (Some(layout), Some(binding)) => reflection.bindings.push(BindingInfo {
                name,
                resource: ResourceId { group: binding.group, binding: binding.binding },
                class,
                access: if written { Access::Write } else { Access::Read },
                layout,
            }),
            _ => {
                reflection.foreign.get_or_insert((name, module.global_variables.get_span(handle)));
            }
        }
    }
    reflection.bindings.sort_by_key(|info| info.resource);
    reflection
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(source: &str) -> Layout {
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let (_, variable) = module.global_variables.iter().next().unwrap();
        layout_of(&module, variable.ty).unwrap()
    }

    #[test]
    fn the_layout_matches_the_example_of_the_specification() {
        // WGSL, section "Structure Layout Rules", the struct of the second example.
        let b = layout(
            "struct A { u: f32, v: f32, w: vec2<f32>, x: f32 }
             struct B { a: vec2<f32>, b: vec3<f32>, c: f32, d: f32, @align(16) e: A, f: vec3<f32>, g: array<A, 3>, h: i32 }
             @group(0) @binding(0) var<storage> v: B;",
        );
        let Shape::Struct { fields } = &b.shape else { panic!("{b:?}") };
        let offsets: Vec<u32> = fields.iter().map(|field| field.offset).collect();
        assert_eq!(offsets, [0, 16, 28, 32, 48, 80, 96, 168]);
        assert_eq!((b.size, b.align), (176, 16));
    }

    fn any_member() -> impl Strategy<Value = (&'static str, u32, u32)> {
        // Type, alignment and size, from the specification's table in the section "Alignment and Size".
        prop::sample::select(vec![
            ("f32", 4, 4),
            ("u32", 4, 4),
            ("vec2<f32>", 8, 8),
            ("vec3<i32>", 16, 12),
            ("vec4<f32>", 16, 16),
            ("mat2x2<f32>", 8, 16),
            ("mat3x3<f32>", 16, 48),
            ("mat4x2<f32>", 8, 32),
            ("array<f32, 3>", 4, 12),
            ("array<vec3<f32>, 2>", 16, 32),
        ])
    }

    proptest! {
        #[test]
        fn structs_follow_the_rules_of_the_specification(members in prop::collection::vec(any_member(), 1..8)) {
            let body: Vec<String> =
                members.iter().enumerate().map(|(index, member)| format!("m{index}: {}", member.0)).collect();
            let got = layout(&format!("struct S {{ {} }} @group(0) @binding(0) var<storage> v: S;", body.join(", ")));
            let Shape::Struct { fields } = &got.shape else { panic!("{got:?}") };
            let (mut at, mut widest) = (0u32, 1u32);
            for (field, (_, align, size)) in fields.iter().zip(&members) {
                at = at.next_multiple_of(*align);
                prop_assert_eq!(field.offset, at);
                prop_assert_eq!(field.layout.size, *size);
                at += size;
                widest = widest.max(*align);
            }
            prop_assert_eq!(got.size, at.next_multiple_of(widest));
            prop_assert_eq!(got.align, widest);
        }
    }
}

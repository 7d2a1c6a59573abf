//! Constants for values that are the same in every launch.

use naga::{
    AddressSpace, Arena, ArraySize, Expression, GlobalVariable, Handle, Literal, Module, Scalar, ScalarKind, Type,
    TypeInner,
};
use smallvec::SmallVec;

use crate::Circumstances;

/// A value that is the same in every launch.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Known {
    /// A scalar.
    Scalar(Literal),
    /// A vector of this type, with the literals of its components.
    Vector(Handle<Type>, SmallVec<[Literal; 4]>),
}

/// The memory that a pointer with constant indices points to.
struct Place {
    variable: Handle<GlobalVariable>,
    offset: u32,
    at: At,
}

enum At {
    Type(Handle<Type>),
    Scalar(Scalar),
}

/// The value of a load, if that value is the same in every launch. `index_of` returns the value of a constant index.
pub(super) fn load(
    module: &Module,
    circumstances: &Circumstances,
    expressions: &Arena<Expression>,
    pointer: Handle<Expression>,
    index_of: &dyn Fn(Handle<Expression>) -> Option<Literal>,
) -> Option<Known> {
    if circumstances.uniforms.is_empty() && circumstances.immediate.is_empty() {
        return None;
    }
    let place = place(module, expressions, pointer, index_of)?;
    let variable = &module.global_variables[place.variable];
    let bytes = match variable.space {
        AddressSpace::Uniform => {
            let binding = variable.binding?;
            let is_this = |known: &&(anywarp_backend::ResourceId, Vec<Option<u8>>)| {
                (known.0.group, known.0.binding) == (binding.group, binding.binding)
            };
            &circumstances.uniforms.iter().find(is_this)?.1
        }
        AddressSpace::Immediate => &circumstances.immediate,
        _ => return None,
    };
    let read = |scalar: Scalar, number: u32| {
        let start = usize::try_from(place.offset.checked_add(number.checked_mul(scalar.width.into())?)?).ok()?;
        let bytes = bytes.get(start..start.checked_add(scalar.width.into())?)?;
        literal(scalar, &bytes.iter().copied().collect::<Option<SmallVec<[u8; 8]>>>()?)
    };
    match place.at {
        At::Scalar(scalar) => read(scalar, 0).map(Known::Scalar),
        At::Type(ty) => match module.types[ty].inner {
            TypeInner::Scalar(scalar) => read(scalar, 0).map(Known::Scalar),
            TypeInner::Vector { size, scalar } => {
                let components: Option<_> = (0..size as u32).map(|number| read(scalar, number)).collect();
                Some(Known::Vector(ty, components?))
            }
            _ => None,
        },
    }
}

/// The number of elements of a runtime-sized array, if that number is the same in every launch.
pub(super) fn length(
    module: &Module,
    circumstances: &Circumstances,
    expressions: &Arena<Expression>,
    mut pointer: Handle<Expression>,
) -> Option<Literal> {
    while let Expression::AccessIndex { base, .. } = expressions[pointer] {
        pointer = base;
    }
    let Expression::GlobalVariable(variable) = expressions[pointer] else { return None };
    let binding = module.global_variables[variable].binding?;
    let known =
        circumstances.lengths.iter().find(|(id, _)| (id.group, id.binding) == (binding.group, binding.binding))?;
    Some(Literal::U32(known.1))
}

fn place(
    module: &Module,
    expressions: &Arena<Expression>,
    pointer: Handle<Expression>,
    index_of: &dyn Fn(Handle<Expression>) -> Option<Literal>,
) -> Option<Place> {
    // The nesting depth of types is limited, so no valid path has more steps.
    const MAX_STEPS: usize = 64;
    let mut steps = SmallVec::<[u32; 4]>::new();
    let mut pointer = pointer;
    let variable = loop {
        if steps.len() > MAX_STEPS {
            return None;
        }
        match expressions[pointer] {
            Expression::AccessIndex { base, index } => {
                steps.push(index);
                pointer = base;
            }
            Expression::Access { base, index } => {
                steps.push(match index_of(index)? {
                    Literal::U32(index) => index,
                    Literal::I32(index) => u32::try_from(index).ok()?,
                    _ => return None,
                });
                pointer = base;
            }
            Expression::GlobalVariable(variable) => break variable,
            _ => return None,
        }
    };
    let (mut offset, mut at) = (0u32, At::Type(module.global_variables[variable].ty));
    for step in steps.into_iter().rev() {
        let At::Type(ty) = at else { return None };
        let moved;
        (moved, at) = match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                let member = members.get(usize::try_from(step).ok()?)?;
                (member.offset, At::Type(member.ty))
            }
            TypeInner::Array { base, size: ArraySize::Constant(size), stride } if step < size.get() => {
                (step.checked_mul(*stride)?, At::Type(*base))
            }
            TypeInner::Vector { size, scalar } if step < *size as u32 => {
                (step * u32::from(scalar.width), At::Scalar(*scalar))
            }
            _ => return None,
        };
        offset = offset.checked_add(moved)?;
    }
    Some(Place { variable, offset, at })
}

/// The literal with these bytes. Only integers become literals, because a compiler may round floats differently from
/// the device.
fn literal(scalar: Scalar, bytes: &[u8]) -> Option<Literal> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Uint, 4) => Some(Literal::U32(u32::from_le_bytes(bytes.try_into().ok()?))),
        (ScalarKind::Sint, 4) => Some(Literal::I32(i32::from_le_bytes(bytes.try_into().ok()?))),
        (ScalarKind::Uint, 8) => Some(Literal::U64(u64::from_le_bytes(bytes.try_into().ok()?))),
        (ScalarKind::Sint, 8) => Some(Literal::I64(i64::from_le_bytes(bytes.try_into().ok()?))),
        _ => None,
    }
}

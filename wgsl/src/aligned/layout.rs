//! The layout rules of WGSL for the types of a module.

use naga::proc::Layouter;
use naga::{ArraySize, Module, Span, StructMember, Type, TypeInner};

use super::attributes::{Attributes, Member};
use crate::words::Finding;

/// naga's own limit on the size of a type, in bytes.
const MAX_SIZE: u32 = i32::MAX as u32;

/// The alignment and the size of a type, in bytes.
#[derive(Clone, Copy)]
struct Extent {
    align: u64,
    size: u64,
}

/// Replaces the types of a module whose offsets, strides or sizes differ from those of WGSL.
pub(super) fn correct(module: &mut Module, attributes: &Attributes) -> Result<(), Finding> {
    let mut layouter = Layouter::default();
    if layouter.update(module.to_ctx()).is_err() {
        // The validator reports the type.
        return Ok(());
    }
    let mut extents: Vec<Extent> = Vec::with_capacity(module.types.len());
    let mut changed = Vec::new();
    for (handle, ty) in module.types.iter() {
        let place = layouter[handle];
        let mut extent = Extent { align: place.alignment.round_up(1).into(), size: place.size.into() };
        match &ty.inner {
            TypeInner::Array { base, size, stride } => {
                // naga lists a type after the types that it consists of.
                let element = extents[base.index()];
                let wide = element.size.next_multiple_of(element.align);
                let count = if let ArraySize::Constant(count) = size { u64::from(count.get()) } else { 1 };
                extent = Extent { align: element.align, size: wide.saturating_mul(count) };
                if wide != u64::from(*stride) {
                    let stride = fitting(wide, ty, module.types.get_span(handle))?;
                    let inner = TypeInner::Array { base: *base, size: *size, stride };
                    changed.push((handle, Type { name: ty.name.clone(), inner }));
                }
            }
            TypeInner::Struct { members, span } => {
                let Some(of_members) = ty.name.as_deref().and_then(|name| attributes.of(name)) else {
                    extents.push(extent);
                    continue;
                };
                let mut placed = members.clone();
                extent = place_members(&mut placed, of_members, |member| extents[member.ty.index()])?;
                let whole = fitting(extent.size, ty, module.types.get_span(handle))?;
                if placed != *members || whole != *span {
                    let inner = TypeInner::Struct { members: placed, span: whole };
                    changed.push((handle, Type { name: ty.name.clone(), inner }));
                }
            }
            _ => {}
        }
        extents.push(extent);
    }
    // Types differ in more than their offsets, so that no two of them become equal.
    for (handle, ty) in changed {
        module.types.replace(handle, ty);
    }
    Ok(())
}

/// Computes the offsets of a struct's members, and its own extent.
fn place_members(
    members: &mut [StructMember],
    attributes: &[Member],
    extent_of: impl Fn(&StructMember) -> Extent,
) -> Result<Extent, Finding> {
    let mut whole = Extent { align: 1, size: 0 };
    let none = Member::default();
    for (index, member) in members.iter_mut().enumerate() {
        let Member { align, size } = attributes.get(index).unwrap_or(&none);
        let least = extent_of(member);
        let mut extent = least;
        let name = member.name.as_deref().unwrap_or("a member");
        if let Some((align, value)) = align.as_ref().and_then(|align| Some((align, u64::from(align.value?)))) {
            if value < least.align {
                let message = format!("`@align({value})` of '{name}' is below the alignment of its type");
                return Err(align.finding(message, format!("the type is aligned to {} bytes", least.align)));
            }
            extent.align = value;
        }
        if let Some((size, value)) = size.as_ref().and_then(|size| Some((size, u64::from(size.value?)))) {
            if value < least.size {
                let message = format!("`@size({value})` of '{name}' is below the size of its type");
                return Err(size.finding(message, format!("the type has {} bytes", least.size)));
            }
            extent.size = value;
        }
        let offset = whole.size.next_multiple_of(extent.align);
        // A struct with larger offsets is refused as a whole.
        member.offset = u32::try_from(offset).unwrap_or(u32::MAX);
        whole = Extent { align: whole.align.max(extent.align), size: offset.saturating_add(extent.size) };
    }
    whole.size = whole.size.checked_next_multiple_of(whole.align).unwrap_or(u64::MAX);
    Ok(whole)
}

fn fitting(size: u64, ty: &Type, span: Span) -> Result<u32, Finding> {
    u32::try_from(size).ok().filter(|size| *size <= MAX_SIZE).ok_or_else(|| Finding {
        message: "type is too large".to_owned(),
        marks: vec![(span, format!("{} has {size} bytes", ty.name.as_deref().unwrap_or("this array")))],
        help: vec![format!("the maximum size is {MAX_SIZE} bytes")],
    })
}

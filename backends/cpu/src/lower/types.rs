//! Sizes and offsets of types.
//!
//! A type has different layouts in buffers (given by WGSL), in workgroup memory, in private memory and in registers.
//! The last three layouts are this backend's own: members follow each other without padding other than for the
//! alignment of scalars, and only the sizes of scalars differ between the three.

use naga::proc::{IndexableLength, TypeResolution};
use naga::{ArraySize, Handle, Type, TypeInner, VectorSize};

use super::error::{LowerError, Result};
use super::shape::{Rule, Shape, kind, leaf, mem_type, scalar_bytes};
use crate::ir::MemType;

/// The largest nesting depth of types, which bounds recursion over a type.
const MAX_NESTED_TYPES: u32 = 64;

/// The size and alignment of a type by one [`Rule`].
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    size: u32,
    align: u32,
}

/// The facts about one type of the module.
#[derive(Debug, Default)]
struct Facts {
    depth: u32,
    /// By [`Rule`] other than [`Rule::Buffer`]: the extent of the type. A runtime-sized array counts as one element.
    extents: [Extent; 3],
    /// By member of a struct, then by [`Rule`]: the offset of the member.
    offsets: Vec<[u32; 3]>,
}

/// The elements of a composite that can be indexed dynamically.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) shape: Shape,
    pub(super) stride: u32,
    /// The number of elements; `None` for a runtime-sized array.
    pub(super) count: Option<u32>,
}

/// Up to four consecutive scalars of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) offset: u32,
    pub(super) ty: MemType,
    pub(super) count: u8,
}

/// The types of a module.
pub(super) struct Types<'a> {
    module: &'a naga::Module,
    facts: Vec<Facts>,
    /// Whether workgroup memory has the padding of WGSL's layouts, as on GPUs. It has none otherwise.
    padded: bool,
}

impl<'a> Types<'a> {
    /// Computes the sizes of every type of the module. With `padded`, workgroup memory has the padding that GPUs give it.
    pub(super) fn new(module: &'a naga::Module, padded: bool) -> Result<Self> {
        let mut types = Self { module, facts: Vec::with_capacity(module.types.len()), padded };
        for (handle, ty) in module.types.iter() {
            let facts = types.measure(handle, &ty.inner);
            if facts.depth > MAX_NESTED_TYPES {
                let message = format!("the kernel's types are nested more than {MAX_NESTED_TYPES} deep");
                return Err(LowerError::new(message).at(module.types.get_span(handle)));
            }
            types.facts.push(facts);
        }
        Ok(types)
    }

    fn measure(&self, handle: Handle<Type>, inner: &TypeInner) -> Facts {
        let mut facts = Facts { depth: 1, ..Facts::default() };
        match inner {
            TypeInner::Struct { members, .. } => {
                facts.offsets = vec![[0; 3]; members.len()];
                for (member, offsets) in members.iter().zip(&mut facts.offsets) {
                    facts.depth = facts.depth.max(1 + self.depth(member.ty));
                    for rule in [Rule::Workgroup, Rule::Private, Rule::Registers] {
                        let part = self.handle_extent(member.ty, rule);
                        let whole = &mut facts.extents[rule as usize];
                        offsets[rule as usize] = round_up(whole.size, part.align);
                        whole.size = offsets[rule as usize].saturating_add(part.size);
                        whole.align = whole.align.max(part.align);
                    }
                }
                for whole in &mut facts.extents {
                    whole.size = round_up(whole.size, whole.align);
                }
            }
            TypeInner::Array { base, size, .. } => {
                facts.depth = 1 + self.depth(*base);
                let count = self.array_count(*size).flatten().unwrap_or(1);
                for rule in [Rule::Workgroup, Rule::Private, Rule::Registers] {
                    let part = self.handle_extent(*base, rule);
                    let stride = round_up(part.size, part.align);
                    facts.extents[rule as usize] = Extent { size: stride.saturating_mul(count), align: part.align };
                }
            }
            _ => {
                if let Some(shape) = leaf(inner) {
                    let (scalar, count) = shape.scalars();
                    for rule in [Rule::Workgroup, Rule::Private, Rule::Registers] {
                        let bytes = scalar_bytes(scalar, rule);
                        facts.extents[rule as usize] = Extent { size: bytes.saturating_mul(count), align: bytes };
                    }
                    if self.padded {
                        facts.extents[Rule::Workgroup as usize] = padded(shape);
                    }
                }
            }
        }
        debug_assert_eq!(handle.index(), self.facts.len());
        facts
    }

    /// The number of elements of an array: `Some(None)` for a runtime-sized array, `None` for an invalid size.
    fn array_count(&self, size: ArraySize) -> Option<Option<u32>> {
        match size.resolve(self.module.to_ctx()).ok()? {
            IndexableLength::Known(count) => Some(Some(count)),
            IndexableLength::Dynamic => Some(None),
        }
    }

    fn depth(&self, handle: Handle<Type>) -> u32 {
        self.facts.get(handle.index()).map_or(u32::MAX - 1, |facts| facts.depth)
    }

    fn handle_extent(&self, handle: Handle<Type>, rule: Rule) -> Extent {
        self.facts.get(handle.index()).map_or_else(Extent::default, |facts| facts.extents[rule as usize])
    }

    /// The shape of a type of the module.
    pub(super) fn of(&self, handle: Handle<Type>) -> Result<Shape> {
        match &self.module.types[handle].inner {
            TypeInner::Array { .. } => Ok(Shape::Array(handle)),
            TypeInner::Struct { .. } => Ok(Shape::Struct(handle)),
            other => leaf(other).ok_or_else(|| LowerError::unsupported(kind(other))),
        }
    }

    /// The shape of an expression's type.
    pub(super) fn resolved(&self, resolution: &TypeResolution) -> Result<Shape> {
        match resolution {
            TypeResolution::Handle(handle) => self.of(*handle),
            TypeResolution::Value(inner) => leaf(inner).ok_or_else(|| LowerError::unsupported(kind(inner))),
        }
    }

    /// The shape of a pointer's pointee; `None` if the type is not a pointer.
    pub(super) fn pointee(&self, resolution: &TypeResolution) -> Option<Shape> {
        match *resolution.inner_with(&self.module.types) {
            TypeInner::Pointer { base, .. } => self.of(base).ok(),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => Some(Shape::Vector(size, scalar)),
            TypeInner::ValuePointer { size: None, scalar, .. } => Some(Shape::Scalar(scalar)),
            _ => None,
        }
    }

    /// The size of a shape by a rule other than [`Rule::Buffer`]: in bytes, or in scalars for [`Rule::Registers`].
    pub(super) fn size(&self, shape: Shape, rule: Rule) -> u32 {
        match shape {
            Shape::Array(handle) | Shape::Struct(handle) => self.handle_extent(handle, rule).size,
            leaf => {
                let (scalar, count) = leaf.scalars();
                scalar_bytes(scalar, rule).saturating_mul(count)
            }
        }
    }

    /// The number of scalars of a value of the shape.
    pub(super) fn count(&self, shape: Shape) -> u32 {
        self.size(shape, Rule::Registers)
    }

    /// The elements of a vector, matrix or array.
    pub(super) fn elements(&self, shape: Shape, rule: Rule) -> Option<Elements> {
        Some(match shape {
            Shape::Vector(size, scalar) => {
                Elements { shape: Shape::Scalar(scalar), stride: scalar_bytes(scalar, rule), count: Some(size as u32) }
            }
            Shape::Matrix { columns, rows, scalar } => {
                let is_padded = rule == Rule::Buffer || rule == Rule::Workgroup && self.padded;
                let height = if is_padded && rows == VectorSize::Tri { 4 } else { rows as u32 };
                Elements {
                    shape: Shape::Vector(rows, scalar),
                    stride: height * scalar_bytes(scalar, rule),
                    count: Some(columns as u32),
                }
            }
            Shape::Array(handle) => {
                let TypeInner::Array { base, size, stride } = self.module.types[handle].inner else { return None };
                let count = self.array_count(size)?;
                let stride = if rule == Rule::Buffer {
                    stride
                } else {
                    let element = self.handle_extent(base, rule);
                    round_up(element.size, element.align)
                };
                Elements { shape: self.of(base).ok()?, stride, count }
            }
            _ => return None,
        })
    }

    /// The number of a struct's members.
    pub(super) fn member_count(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Struct(handle) => match &self.module.types[handle].inner {
                TypeInner::Struct { members, .. } => u32::try_from(members.len()).unwrap_or(u32::MAX),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The name of a struct's member.
    pub(super) fn member_name(&self, shape: Shape, index: u32) -> Option<&'a str> {
        let Shape::Struct(handle) = shape else { return None };
        match &self.module.types[handle].inner {
            TypeInner::Struct { members, .. } => members.get(index as usize)?.name.as_deref(),
            _ => None,
        }
    }

    /// The offset and shape of a struct's member.
    pub(super) fn member(&self, shape: Shape, index: u32, rule: Rule) -> Option<(u32, Shape)> {
        let Shape::Struct(handle) = shape else { return None };
        let TypeInner::Struct { members, .. } = &self.module.types[handle].inner else { return None };
        let member = members.get(index as usize)?;
        let offset = match rule {
            Rule::Buffer => member.offset,
            _ => self.facts[handle.index()].offsets.get(index as usize)?[rule as usize],
        };
        Some((offset, self.of(member.ty).ok()?))
    }

    /// The scalars of a shape in order, in runs that one instruction can load.
    pub(super) fn runs(&self, shape: Shape, rule: Rule) -> Result<Vec<Run>> {
        let mut runs = Vec::new();
        self.collect(shape, rule, 0, &mut runs)?;
        Ok(runs)
    }

    fn collect(&self, shape: Shape, rule: Rule, offset: u32, runs: &mut Vec<Run>) -> Result<()> {
        match shape {
            Shape::Scalar(scalar) | Shape::Atomic(scalar) => {
                let ty = mem_type(scalar)?;
                if let Some(last) = runs.last_mut() {
                    let end = last.offset + u32::from(last.count) * scalar_bytes(scalar, rule);
                    if last.ty == ty && end == offset && last.count < 4 {
                        last.count += 1;
                        return Ok(());
                    }
                }
                runs.push(Run { offset, ty, count: 1 });
            }
            Shape::Cooperative { scalar, .. } => {
                let (_, count) = shape.scalars();
                for index in 0..count {
                    self.collect(Shape::Scalar(scalar), rule, offset + index * scalar_bytes(scalar, rule), runs)?;
                }
            }
            Shape::Struct(_) => {
                for index in 0..self.member_count(shape) {
                    let (at, member) = self.member(shape, index, rule).ok_or_else(|| LowerError::invalid("member"))?;
                    self.collect(member, rule, offset + at, runs)?;
                }
            }
            Shape::Vector(..) | Shape::Matrix { .. } | Shape::Array(_) => {
                let elements = self.elements(shape, rule).ok_or_else(|| LowerError::invalid("array size"))?;
                for index in 0..elements.count.unwrap_or(0) {
                    self.collect(elements.shape, rule, offset + index * elements.stride, runs)?;
                }
            }
        }
        Ok(())
    }

    /// The register class of every scalar of a shape, in order.
    pub(super) fn classes(&self, shape: Shape) -> Result<Vec<crate::ir::Class>> {
        let runs = self.runs(shape, Rule::Registers)?;
        Ok(runs.iter().flat_map(|run| std::iter::repeat_n(run.ty.class(), usize::from(run.count))).collect())
    }
}

/// The extent of a scalar, vector or matrix in WGSL's layout.
fn padded(shape: Shape) -> Extent {
    let (scalar, count) = shape.scalars();
    let bytes = scalar_bytes(scalar, Rule::Workgroup);
    match shape {
        Shape::Vector(size, _) => {
            Extent { size: bytes * size as u32, align: bytes * (size as u32).next_power_of_two() }
        }
        Shape::Matrix { columns, rows, .. } => {
            let column = bytes * (rows as u32).next_power_of_two();
            Extent { size: column * columns as u32, align: column }
        }
        _ => Extent { size: bytes.saturating_mul(count), align: bytes },
    }
}

fn round_up(offset: u32, align: u32) -> u32 {
    offset.checked_next_multiple_of(align.max(1)).unwrap_or(u32::MAX)
}

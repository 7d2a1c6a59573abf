//! The memory that a pointer refers to, as CUDA C++: the expression, its address space and its bounds.

use naga::proc::index::GuardedIndex;
use naga::{AddressSpace, ArraySize, Expression, Handle, TypeInner, VectorSize};

use super::super::error::{Result, TranslateError};
use super::super::expr::{bare, is_cheap};
use super::super::types::constness;
use super::super::writer::FunctionWriter;
use super::{Pointee, component_name};

/// The purpose of an lvalue, which decides the effect of an index out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::translate) enum Purpose {
    /// A read: an index out of range selects the last element.
    Read,
    /// A change: with an index out of range the change is not made, because the lvalue has a test.
    Change,
}

/// An lvalue for the memory that a pointer refers to.
#[derive(Clone, Debug)]
pub(in crate::translate) struct Place {
    pub(in crate::translate) text: String,
    pub(in crate::translate) space: AddressSpace,
    /// The conditions under which all indices are in range.
    tests: Vec<String>,
    /// The number of elements, if the lvalue is or ends in an unsized array.
    pub(in crate::translate) count: Option<String>,
}

impl Place {
    fn new(text: String, space: AddressSpace, count: Option<String>) -> Self {
        Self { text, space, tests: Vec::new(), count }
    }

    /// Returns the condition under which all indices are in range; `None` if they always are.
    pub(in crate::translate) fn test(&self) -> Option<String> {
        if self.tests.is_empty() { None } else { Some(self.tests.join(" && ")) }
    }

    /// Returns the lvalue's address.
    pub(in crate::translate) fn address(&self) -> String {
        self.pointer().map_or_else(|| format!("&{}", self.text), str::to_owned)
    }

    /// Returns the pointer that the lvalue dereferences, if the lvalue has the form `(*pointer)`.
    fn pointer(&self) -> Option<&str> {
        self.text.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')).filter(|pointer| is_cheap(pointer))
    }

    /// Returns a statement that executes `action` if the test holds.
    pub(in crate::translate) fn guarded(&self, action: &str) -> String {
        match self.test() {
            Some(test) => format!("if ({test}) {action};"),
            None => format!("{action};"),
        }
    }
}

impl<'a> FunctionWriter<'a, '_> {
    /// Returns the lvalue for a pointer.
    pub(in crate::translate) fn place(&mut self, pointer: Handle<Expression>, purpose: Purpose) -> Result<Place> {
        match self.function.expressions[pointer] {
            Expression::GlobalVariable(global) => {
                let global = self.global(global);
                Ok(Place::new(global.text, global.space, global.count))
            }
            Expression::LocalVariable(local) => Ok(Place::new(self.local(local), AddressSpace::Function, None)),
            Expression::FunctionArgument(index) => self.argument_place(pointer, index),
            Expression::AccessIndex { base, index } => {
                let place = self.place(base, purpose)?;
                self.step(place, pointer, base, GuardedIndex::Known(index), purpose)
            }
            Expression::Access { base, index } => {
                let place = self.place(base, purpose)?;
                self.step(place, pointer, base, GuardedIndex::Expression(index), purpose)
            }
            _ => Err(TranslateError::unsupported("a pointer that is selected at run time")),
        }
    }

    fn argument_place(&mut self, pointer: Handle<Expression>, index: u32) -> Result<Place> {
        let name = self.argument(index);
        let space = self.type_of(pointer).pointer_space().unwrap_or(AddressSpace::Function);
        let Pointee::Type(ty) = self.pointee(pointer)? else {
            return Err(TranslateError::unsupported("an argument that points to a component of a vector"));
        };
        let count = self.m.unsized_tail(ty).map(|_| format!("{name}_count"));
        let is_unsized = matches!(self.m.module.types[ty].inner, TypeInner::Array { size: ArraySize::Dynamic, .. });
        let text = if is_unsized { name.clone() } else { format!("(*{name})") };
        let mut place = Place::new(text, space, count);
        if self.m.checked && !is_unsized && self.has_atomics(ty) {
            place.tests.push(format!("{name} != nullptr"));
        }
        Ok(place)
    }

    /// Extends an lvalue to a member or element.
    fn step(
        &mut self,
        mut place: Place,
        access: Handle<Expression>,
        base: Handle<Expression>,
        index: GuardedIndex,
        purpose: Purpose,
    ) -> Result<Place> {
        let module = self.m.module;
        let size = match self.pointee(base)? {
            Pointee::Type(ty) => match (&module.types[ty].inner, index) {
                (TypeInner::Struct { .. }, GuardedIndex::Known(member)) => {
                    let member = self.m.names.member(ty, member);
                    place.text = match place.pointer() {
                        Some(pointer) => format!("{pointer}->{member}"),
                        None => format!("{}.{member}", place.text),
                    };
                    return Ok(place);
                }
                (&TypeInner::Array { base: element, size, stride }, _) => {
                    let length = self.m.length(size);
                    self.subscript(&mut place, access, index, length, purpose)?;
                    if length.is_none() && self.m.is_padded(element, stride) {
                        place.text.push_str(".value");
                    }
                    return Ok(place);
                }
                (&TypeInner::Matrix { columns, .. }, _) => {
                    place.text.push_str(".columns");
                    self.subscript(&mut place, access, index, Some(columns as u32), purpose)?;
                    return Ok(place);
                }
                (&TypeInner::Vector { size, .. }, _) => Some(size),
                _ => return Err(TranslateError::invalid("an index into a type without elements")),
            },
            Pointee::Part(size, _) => size,
        };
        let Some(size) = size else {
            return Err(TranslateError::invalid("an index into a scalar"));
        };
        self.component(&mut place, access, index, size, purpose)?;
        Ok(place)
    }

    /// Adds `[index]` to an lvalue.
    fn subscript(
        &mut self,
        place: &mut Place,
        access: Handle<Expression>,
        index: GuardedIndex,
        length: Option<u32>,
        purpose: Purpose,
    ) -> Result<()> {
        let (index, is_certain) = self.index(access, index, length)?;
        let index = if is_certain {
            index
        } else {
            let count = match (length, &place.count) {
                (Some(length), _) => format!("{length}u"),
                (None, Some(count)) => count.clone(),
                (None, None) => return Err(TranslateError::invalid("an unsized array outside of a binding")),
            };
            match purpose {
                Purpose::Read => format!("aw_at({index}, {count})"),
                Purpose::Change => {
                    place.tests.push(format!("aw_in({index}, {count})"));
                    index
                }
            }
        };
        place.text = format!("{}[{}]", place.text, bare(&index));
        Ok(())
    }

    /// Adds a component of a vector to an lvalue.
    pub(super) fn component(
        &mut self,
        place: &mut Place,
        access: Handle<Expression>,
        index: GuardedIndex,
        size: VectorSize,
        purpose: Purpose,
    ) -> Result<()> {
        if let GuardedIndex::Known(index) = index {
            place.text = format!("{}.{}", place.text, component_name(index)?);
            return Ok(());
        }
        let (mut index, is_certain) = self.index(access, index, Some(size as u32))?;
        // When passed by value, a private variable's vector can stay in registers, and a read-only one in constant
        // memory.
        let by_value = is_own(place.space) || !constness(place.space).is_empty();
        if purpose == Purpose::Read && by_value {
            place.text = format!("aw_get({}, {})", place.text, bare(&index));
            return Ok(());
        }
        if !is_certain {
            match purpose {
                Purpose::Read => index = format!("aw_at({index}, {}u)", size as u8),
                Purpose::Change => place.tests.push(format!("aw_in({index}, {}u)", size as u8)),
            }
        }
        place.text = format!("aw_ref_unchecked({}, {})", place.text, bare(&index));
        Ok(())
    }

    /// Returns the text of an access's index, and whether the index is always in range.
    pub(in crate::translate) fn index(
        &mut self,
        access: Handle<Expression>,
        index: GuardedIndex,
        length: Option<u32>,
    ) -> Result<(String, bool)> {
        let is_trusted = !self.m.checked || self.proven.in_range(access);
        let handle = match index {
            // The validator has checked a known index; an unsized array has at least one element.
            GuardedIndex::Known(index) => {
                let is_certain = length.is_some() || index == 0 || is_trusted;
                return Ok((format!("{index}u"), is_certain));
            }
            GuardedIndex::Expression(handle) => handle,
        };
        let most = self.greatest(handle);
        let is_certain = is_trusted || most.is_some_and(|most| most < length.unwrap_or(1));
        let text = self.value(handle)?;
        if is_certain || self.type_of(handle).scalar_width() != Some(8) {
            return Ok((text, is_certain));
        }
        // A 64-bit index must not be truncated to the 32 bits of a count.
        Ok((format!("u32(aw_min(u64({}), 4294967295ull))", bare(&text)), false))
    }
}

/// Returns whether variables are private to an invocation. Such variables are in registers, unless their address is
/// taken.
pub(super) fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private)
}

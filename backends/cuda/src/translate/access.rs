//! Memory: pointers as lvalues, with the checks that keep every access inside its variable.
//!
//! A pointer is never a value of its own: at each use, its access chain is written again, with the indices it was made
//! with.

mod bounds;
#[cfg(test)]
mod tests;

use naga::proc::index::GuardedIndex;
use naga::{AddressSpace, ArraySize, Expression, Handle, Scalar, Type, TypeInner, VectorSize};

use super::error::{Result, TranslateError};
use super::expr::{Text, bare, is_cheap};
use super::types::constness;
use super::writer::FunctionWriter;

/// The purpose of an lvalue, which decides what an index out of range does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A read: an index out of range gives the last element.
    Read,
    /// A change: an index out of range has no effect, because the lvalue has a test.
    Change,
}

/// An lvalue.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) space: AddressSpace,
    /// The conditions under which the lvalue exists.
    tests: Vec<String>,
    /// The number of elements of the unsized array that it is or ends in.
    pub(super) count: Option<String>,
}

impl Place {
    fn new(text: String, space: AddressSpace, count: Option<String>) -> Self {
        Self { text, space, tests: Vec::new(), count }
    }

    /// The condition under which the lvalue exists, unless it always does.
    pub(super) fn test(&self) -> Option<String> {
        if self.tests.is_empty() { None } else { Some(self.tests.join(" && ")) }
    }

    /// Its address.
    pub(super) fn address(&self) -> String {
        self.pointer().map_or_else(|| format!("&{}", self.text), str::to_owned)
    }

    /// The pointer that the lvalue dereferences, if it is one.
    fn pointer(&self) -> Option<&str> {
        self.text.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')).filter(|pointer| is_cheap(pointer))
    }

    /// Returns `action` under the test, as one statement.
    pub(super) fn guarded(&self, action: &str) -> String {
        match self.test() {
            Some(test) => format!("if ({test}) {action};"),
            None => format!("{action};"),
        }
    }
}

/// The type that a pointer points to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pointee {
    Type(Handle<Type>),
    /// A vector or one of its components, for which the module may have no type.
    Part(Option<VectorSize>, Scalar),
}

impl<'a> FunctionWriter<'a, '_> {
    /// Writes a store: the value is evaluated first, then stored if all indices are in range.
    pub(super) fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<()> {
        if self.store_component(pointer, value)? {
            return Ok(());
        }
        let value = self.value(value)?;
        let place = self.place(pointer, Purpose::Change)?;
        let action = if self.atomic_scalar(pointer)?.is_some() {
            format!("aw_atomicStore({}, {})", place.address(), bare(&value))
        } else {
            format!("{} = {}", bare(&place.text), bare(&value))
        };
        self.line(&place.guarded(&action));
        Ok(())
    }

    /// Writes a store to a component, chosen at run time, of a variable of the function: each component is replaced
    /// conditionally, so that none needs an address. Returns whether this is such a store.
    fn store_component(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<bool> {
        let Expression::Access { base, index } = self.function.expressions[pointer] else { return Ok(false) };
        let Pointee::Type(ty) = self.pointee(base)? else { return Ok(false) };
        let TypeInner::Vector { size, .. } = self.m.module.types[ty].inner else { return Ok(false) };
        let vector = self.place(base, Purpose::Change)?;
        if !is_own(vector.space) || !is_cheap(&vector.text) {
            return Ok(false);
        }
        self.name(value);
        let (index, value) = (self.value(index)?, self.value(value)?);
        for component in 0..size as u32 {
            let place = format!("{}.{}", vector.text, component_name(component)?);
            self.line(&format!("{place} = {index} == {component} ? {value} : {place};"));
        }
        Ok(true)
    }

    /// Returns the current value behind a pointer.
    pub(super) fn load(&mut self, pointer: Handle<Expression>) -> Result<Text> {
        if let Some(scalar) = self.atomic_scalar(pointer)? {
            let place = self.place(pointer, Purpose::Change)?;
            let call = format!("aw_atomicLoad({})", place.address());
            let zero = format!("{}(0)", self.m.inner_name(&TypeInner::Scalar(scalar)));
            return Ok(either(place.test(), call, &zero));
        }
        let place = self.place(pointer, Purpose::Read)?;
        let zero = match self.pointee(pointer)? {
            Pointee::Type(ty) => self.m.type_name(ty),
            Pointee::Part(Some(size), scalar) => self.m.inner_name(&TypeInner::Vector { size, scalar }),
            Pointee::Part(None, scalar) => self.m.inner_name(&TypeInner::Scalar(scalar)),
        };
        Ok(either(place.test(), place.text, &format!("{zero}{{}}")))
    }

    /// Writes a load by all invocations of the workgroup, between two barriers.
    pub(super) fn workgroup_uniform_load(
        &mut self,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        self.line("__syncthreads();");
        let value = self.load(pointer)?;
        self.declare(result, &value.text);
        self.line("__syncthreads();");
        Ok(())
    }

    /// Returns a pointer as the argument of a call: its address, and the number of elements if its type is or ends in
    /// an unsized array.
    ///
    /// Out of range it points to a copy of the last element, so that changes are lost; for a type with atomics, which
    /// cannot be copied, it is null.
    pub(super) fn pointer_argument(&mut self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer, Purpose::Change)?;
        let Pointee::Type(ty) = self.pointee(pointer)? else {
            return Err(TranslateError::unsupported("a pointer to a component of a vector as an argument"));
        };
        if let Some(count) = &place.count
            && self.m.unsized_tail(ty).is_some()
        {
            let is_array = matches!(self.m.module.types[ty].inner, TypeInner::Array { .. });
            return Ok(if is_array {
                format!("{}, {count}", place.text)
            } else {
                format!("{}, {count}", place.address())
            });
        }
        let Some(test) = place.test() else { return Ok(place.address()) };
        if self.has_atomics(ty) {
            return Ok(format!("{test} ? {} : nullptr", place.address()));
        }
        let copy = self.place(pointer, Purpose::Read)?;
        let name = self.m.names.fresh("spare", &mut self.scope);
        let line = format!("{} {name} = {};", self.m.type_name(ty), copy.text);
        self.line(&line);
        Ok(format!("{test} ? {} : &{name}", place.address()))
    }

    /// Returns the number of elements of an unsized array.
    pub(super) fn array_length(&mut self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer, Purpose::Read)?;
        place.count.ok_or_else(|| TranslateError::invalid("the length of an expression that is not an unsized array"))
    }

    /// Returns the lvalue for a pointer.
    pub(super) fn place(&mut self, pointer: Handle<Expression>, purpose: Purpose) -> Result<Place> {
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
    fn component(
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
        // By value, a variable's vector may stay in registers, and a read-only one in constant memory.
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

    /// Returns the text of an access's index, and whether it is always in range.
    pub(super) fn index(
        &mut self,
        access: Handle<Expression>,
        index: GuardedIndex,
        length: Option<u32>,
    ) -> Result<(String, bool)> {
        let is_trusted = !self.m.checked || self.proven.in_range(access);
        let handle = match index {
            // The validator has checked it; an unsized array has at least one element.
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

    /// Returns the type that a pointer points to.
    pub(super) fn pointee(&self, pointer: Handle<Expression>) -> Result<Pointee> {
        match *self.type_of(pointer) {
            TypeInner::Pointer { base, .. } => Ok(Pointee::Type(base)),
            TypeInner::ValuePointer { size, scalar, .. } => Ok(Pointee::Part(size, scalar)),
            _ => Err(TranslateError::unsupported("a value of this type where a pointer is expected")),
        }
    }

    /// Returns the scalar type of an atomic behind a pointer.
    pub(super) fn atomic_scalar(&self, pointer: Handle<Expression>) -> Result<Option<Scalar>> {
        Ok(match self.pointee(pointer)? {
            Pointee::Type(ty) => match self.m.module.types[ty].inner {
                TypeInner::Atomic(scalar) => Some(scalar),
                _ => None,
            },
            Pointee::Part(..) => None,
        })
    }

    /// Returns whether values of a type contain an atomic.
    fn has_atomics(&self, ty: Handle<Type>) -> bool {
        match &self.m.module.types[ty].inner {
            TypeInner::Atomic(_) => true,
            TypeInner::Array { base, .. } => self.has_atomics(*base),
            TypeInner::Struct { members, .. } => members.iter().any(|member| self.has_atomics(member.ty)),
            _ => false,
        }
    }

    /// Returns the type of an expression.
    pub(super) fn type_of(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.m.module.types)
    }
}

/// Returns whether variables are private to an invocation: registers, unless their address is taken.
fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private)
}

/// Returns the name of a component of a vector.
pub(super) fn component_name(index: u32) -> Result<char> {
    ['x', 'y', 'z', 'w']
        .get(index as usize)
        .copied()
        .ok_or_else(|| TranslateError::invalid("a component that a vector does not have"))
}

/// Returns `value` if the test holds, otherwise `zero`.
pub(super) fn either(test: Option<String>, value: String, zero: &str) -> Text {
    match test {
        Some(test) => Text::loose(format!("{test} ? {value} : {zero}")),
        None => Text::tight(value),
    }
}

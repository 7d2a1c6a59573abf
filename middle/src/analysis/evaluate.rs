//! The values of expressions.

use std::rc::Rc;

use naga::{
    AddressSpace, BinaryOperator, Expression, Handle, Literal, MathFunction, RelationalFunction, ScalarKind,
    StorageAccess, TypeInner, UnaryOperator,
};

use super::state::{Place, Root, Value};
use super::types;
use super::values::{BOOL, Binary, Id, Node, Part, Unary};
use super::walk::{Frame, Walker};
use crate::domain::{Comparison, Int, Known};

/// The largest number of levels to which the analysis follows nested constant expressions of the module.
const MAX_NESTED: u32 = 16;

impl<'a> Walker<'a> {
    /// The value of an expression that was evaluated before, or that no statement evaluates.
    pub(super) fn value(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Value {
        if let Some(value) = &frame.values[handle.index()] {
            return value.clone();
        }
        let value = self.evaluate(frame, handle);
        frame.values[handle.index()] = Some(value.clone());
        value
    }

    /// Evaluates an expression in the current state.
    pub(super) fn evaluate(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Value {
        self.work += 1;
        let value = self.computed(frame, handle).unwrap_or(Value::Opaque);
        self.typed(frame, handle, value)
    }

    /// Returns `value`, or a new unknown value of the expression's type if `value` is opaque.
    pub(super) fn typed(&mut self, frame: &Frame<'a>, handle: Handle<Expression>, value: Value) -> Value {
        match value {
            Value::Opaque => {
                let ty = frame.info[handle].ty.inner_with(&self.module.types);
                types::unknown(self.module, &mut self.values, ty)
            }
            value => value,
        }
    }

    fn inner(&self, frame: &Frame<'a>, handle: Handle<Expression>) -> &'a TypeInner {
        frame.info[handle].ty.inner_with(&self.module.types)
    }

    /// The value of an expression, from the values of its operands; `None` if the analysis does not track that value.
    fn computed(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Option<Value> {
        let function = frame.function;
        Some(match function.expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => self.constant(self.module.constants[constant].init, 0),
            Expression::ZeroValue(ty) => types::zero(self.module, &mut self.values, &self.module.types[ty].inner),
            Expression::Compose { ref components, .. } => {
                let vector = matches!(self.inner(frame, handle), TypeInner::Vector { .. });
                if components.len() > 64 || matches!(self.inner(frame, handle), TypeInner::Matrix { .. }) {
                    return None;
                }
                let mut parts = Vec::with_capacity(components.len());
                for component in components {
                    match self.value(frame, *component) {
                        // A vector may be composed of shorter vectors.
                        Value::Parts(inner) if vector => parts.extend(inner.iter().cloned()),
                        Value::Opaque if vector => return None,
                        part => parts.push(part),
                    }
                }
                Value::Parts(parts.into())
            }
            Expression::Access { base, index } => {
                let (of, index) = (self.value(frame, base), self.value(frame, index).scalar());
                self.access(frame, handle, base, &of, index);
                match (of, index) {
                    (Value::Pointer(place), Some(index)) => {
                        let part = match self.values.constant_of(index).and_then(|known| u32::try_from(known).ok()) {
                            Some(known) => Part::At(known),
                            None => Part::Index(index),
                        };
                        Value::Pointer(Rc::new(place.step(part)))
                    }
                    (Value::Pointer(_), None) => Value::Pointer(Rc::new(Place::at(Root::Unknown))),
                    (of, Some(index)) => self.one_part(&of, index)?,
                    _ => return None,
                }
            }
            Expression::AccessIndex { base, index } => match self.value(frame, base) {
                Value::Pointer(place) => Value::Pointer(Rc::new(place.step(Part::At(index)))),
                value => value.part(index as usize),
            },
            Expression::Splat { size, value } => {
                let part = self.value(frame, value);
                Value::Parts(vec![part; size as usize].into())
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(frame, vector);
                Value::Parts(pattern[..size as usize].iter().map(|from| vector.part(*from as usize)).collect())
            }
            Expression::FunctionArgument(index) => self.argument(frame, index),
            Expression::GlobalVariable(global) => {
                let root = self.private.get(&global).map_or(Root::Global(global), |slot| Root::Slot(*slot));
                Value::Pointer(Rc::new(Place::at(root)))
            }
            Expression::LocalVariable(local) => {
                Value::Pointer(Rc::new(Place::at(Root::Slot(frame.first_slot + local.index()))))
            }
            Expression::Load { pointer } => match self.value(frame, pointer) {
                Value::Pointer(place) => {
                    let ty = self.inner(frame, handle);
                    self.load(&place, ty)?
                }
                _ => return None,
            },
            Expression::Unary { op, expr } => {
                let of = self.value(frame, expr);
                let op = match op {
                    UnaryOperator::Negate => Unary::Negate,
                    UnaryOperator::BitwiseNot | UnaryOperator::LogicalNot => Unary::Complement,
                };
                self.each(&[of], &mut |this, of| {
                    let ty = this.values.ty(of[0]);
                    Some(this.values.unary(op, ty, of[0]))
                })?
            }
            Expression::Binary { op, left, right } => {
                let (left, right) = (self.value(frame, left), self.value(frame, right));
                self.each(&[left, right], &mut |this, of| this.operator(op, of[0], of[1]))?
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.value(frame, condition);
                let (accept, reject) = (self.value(frame, accept), self.value(frame, reject));
                self.each(&[condition, accept, reject], &mut |this, of| Some(this.values.select(of[0], of[1], of[2])))?
            }
            Expression::Relational { fun, argument } => {
                let Value::Parts(parts) = self.value(frame, argument) else { return None };
                let op = match fun {
                    RelationalFunction::All => Binary::And,
                    RelationalFunction::Any => Binary::Or,
                    RelationalFunction::IsNan | RelationalFunction::IsInf => return None,
                };
                let ids: Option<Vec<Id>> = parts.iter().map(Value::scalar).collect();
                Value::Scalar(ids?.into_iter().reduce(|a, b| self.values.binary(op, a, b))?)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let of: Vec<Value> =
                    [Some(arg), arg1, arg2, arg3].into_iter().flatten().map(|arg| self.value(frame, arg)).collect();
                self.each(&of, &mut |this, of| this.math(fun, of))?
            }
            Expression::As { expr, kind, convert } => {
                let of = self.value(frame, expr);
                self.each(&[of], &mut |this, of| this.cast(of[0], kind, convert))?
            }
            Expression::ArrayLength(pointer) => match self.value(frame, pointer) {
                Value::Pointer(place) => match place.root {
                    Root::Global(global) => Value::Scalar(self.length(global)?),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Applies `make` to each component of vector operands. A scalar operand is used for all components.
    fn each(&mut self, of: &[Value], make: &mut impl FnMut(&mut Self, &[Id]) -> Option<Id>) -> Option<Value> {
        let lanes = of.iter().find_map(|value| match value {
            Value::Parts(parts) => Some(parts.len()),
            _ => None,
        });
        let lane = |index: usize| -> Option<Vec<Id>> {
            let one = |value: &Value| match value {
                Value::Parts(parts) => parts.get(index)?.scalar(),
                value => value.scalar(),
            };
            of.iter().map(one).collect()
        };
        match lanes {
            None => Some(Value::Scalar(make(self, &lane(0)?)?)),
            Some(lanes) => {
                let parts: Option<Vec<Value>> =
                    (0..lanes).map(|index| Some(Value::Scalar(make(self, &lane(index)?)?))).collect();
                Some(Value::Parts(parts?.into()))
            }
        }
    }

    fn literal(&mut self, literal: Literal) -> Option<Value> {
        Some(Value::Scalar(match literal {
            Literal::I32(number) => self.values.constant(Int::I32, i64::from(number)),
            Literal::U32(number) => self.values.constant(Int::U32, i64::from(number)),
            Literal::Bool(truth) => self.values.truth(truth),
            Literal::I16(number) => self.values.constant(Int { signed: true, width: 16 }, i64::from(number)),
            Literal::U16(number) => self.values.constant(Int { signed: false, width: 16 }, i64::from(number)),
            _ => return None,
        }))
    }

    /// The value of a constant of the module.
    pub(super) fn constant(&mut self, handle: Handle<Expression>, depth: u32) -> Value {
        if depth > MAX_NESTED {
            return Value::Opaque;
        }
        match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.literal(*literal).unwrap_or(Value::Opaque),
            Expression::Constant(constant) => self.constant(self.module.constants[*constant].init, depth + 1),
            Expression::ZeroValue(ty) => types::zero(self.module, &mut self.values, &self.module.types[*ty].inner),
            Expression::Compose { ty, components } if components.len() <= 64 => {
                let vector = matches!(self.module.types[*ty].inner, TypeInner::Vector { .. });
                let mut parts = Vec::new();
                for component in components {
                    match self.constant(*component, depth + 1) {
                        Value::Parts(inner) if vector => parts.extend(inner.iter().cloned()),
                        part => parts.push(part),
                    }
                }
                Value::Parts(parts.into())
            }
            Expression::Splat { size, value } => {
                let part = self.constant(*value, depth + 1);
                Value::Parts(vec![part; *size as usize].into())
            }
            _ => Value::Opaque,
        }
    }

    fn operator(&mut self, op: BinaryOperator, left: Id, right: Id) -> Option<Id> {
        let arithmetic = match op {
            BinaryOperator::Add => Binary::Add,
            BinaryOperator::Subtract => Binary::Subtract,
            BinaryOperator::Multiply => Binary::Multiply,
            BinaryOperator::Divide => Binary::Divide,
            BinaryOperator::Modulo => Binary::Remainder,
            BinaryOperator::And | BinaryOperator::LogicalAnd => Binary::And,
            BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr => Binary::Or,
            BinaryOperator::ExclusiveOr => Binary::Xor,
            BinaryOperator::ShiftLeft => Binary::ShiftLeft,
            BinaryOperator::ShiftRight => Binary::ShiftRight,
            _ => {
                let comparison = match op {
                    BinaryOperator::Equal => Comparison::Equal,
                    BinaryOperator::NotEqual => Comparison::NotEqual,
                    BinaryOperator::Less => Comparison::Less,
                    BinaryOperator::LessEqual => Comparison::LessEqual,
                    BinaryOperator::Greater => Comparison::Greater,
                    _ => Comparison::GreaterEqual,
                };
                return Some(self.values.compare(comparison, left, right));
            }
        };
        Some(self.values.binary(arithmetic, left, right))
    }

    fn math(&mut self, fun: MathFunction, of: &[Id]) -> Option<Id> {
        let ty = self.values.ty(of[0]);
        let unary = match fun {
            MathFunction::Abs => Unary::Absolute,
            MathFunction::Sign => Unary::Sign,
            MathFunction::CountOneBits => Unary::CountOnes,
            MathFunction::CountLeadingZeros => Unary::LeadingZeros,
            MathFunction::CountTrailingZeros => Unary::TrailingZeros,
            MathFunction::FirstLeadingBit => Unary::FirstLeading,
            MathFunction::FirstTrailingBit => Unary::FirstTrailing,
            MathFunction::ReverseBits => Unary::Reverse,
            MathFunction::Min => return Some(self.values.binary(Binary::Minimum, of[0], *of.get(1)?)),
            MathFunction::Max => return Some(self.values.binary(Binary::Maximum, of[0], *of.get(1)?)),
            MathFunction::Clamp => {
                let least = self.values.binary(Binary::Maximum, of[0], *of.get(1)?);
                return Some(self.values.binary(Binary::Minimum, least, *of.get(2)?));
            }
            MathFunction::ExtractBits => {
                let [value, offset, count] = [0, 1, 2].map(|at| of.get(at).copied());
                let [value, offset, count] = [value?, offset?, count?].map(|id| self.facts.range(&self.values, id));
                return Some(self.values.unknown(value.extract_bits(offset, count)));
            }
            MathFunction::InsertBits => {
                let [value, new, offset, count] = [0, 1, 2, 3].map(|at| of.get(at).copied());
                let [value, new, offset, count] =
                    [value?, new?, offset?, count?].map(|id| self.facts.range(&self.values, id));
                return Some(self.values.unknown(value.insert_bits(new, offset, count)));
            }
            _ => return None,
        };
        Some(self.values.unary(unary, ty, of[0]))
    }

    fn cast(&mut self, of: Id, kind: ScalarKind, convert: Option<u8>) -> Option<Id> {
        let from = self.values.ty(of);
        let width = convert.unwrap_or(if from == BOOL { 1 } else { from.width / 8 });
        let to = types::int(naga::Scalar { kind, width })?;
        if to == BOOL && from != BOOL {
            let zero = self.values.constant(from, 0);
            return Some(self.values.compare(Comparison::NotEqual, of, zero));
        }
        Some(self.values.unary(Unary::Cast, to, of))
    }

    /// The value that a load from `place` returns; `None` if the analysis does not track that value.
    fn load(&mut self, place: &Place, ty: &TypeInner) -> Option<Value> {
        let Root::Global(global) = place.root else { return self.held(place) };
        let fixed = match self.module.global_variables[global].space {
            AddressSpace::Uniform | AddressSpace::Immediate => true,
            AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
            _ => false,
        };
        if !fixed {
            return None;
        }
        // The kernel does not write this memory, so all loads from one location return the same value.
        let one = |this: &mut Self, scalar, component: Option<u32>| {
            let path = place.path.iter().copied().chain(component.map(Part::At)).collect();
            Some(Value::Scalar(this.values.outer(Node::Fixed(global, path), Known::any(types::int(scalar)?))))
        };
        match *ty {
            TypeInner::Scalar(scalar) => one(self, scalar, None),
            TypeInner::Vector { size, scalar } => {
                let parts: Option<Vec<Value>> =
                    (0..size as u32).map(|component| one(self, scalar, Some(component))).collect();
                Some(Value::Parts(parts?.into()))
            }
            _ => None,
        }
    }
}

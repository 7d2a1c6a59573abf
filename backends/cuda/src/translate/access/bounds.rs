//! Upper bounds of indices, where simple expressions imply them.

use naga::{BinaryOperator, Binding, BuiltIn, Expression, Handle, Literal, MathFunction, ScalarKind, TypeInner};

use crate::translate::writer::FunctionWriter;

/// The depth to which operands of an index are examined.
const DEPTH: u32 = 12;

impl FunctionWriter<'_, '_> {
    /// Returns the greatest possible value of an index, if a bound is known and the index cannot be negative.
    pub(in crate::translate) fn greatest(&self, index: Handle<Expression>) -> Option<u32> {
        self.most(index, DEPTH)
    }

    fn most(&self, handle: Handle<Expression>, depth: u32) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        let of = |handle: Handle<Expression>| self.most(handle, depth);
        let scalar = self.type_of(handle).scalar()?;
        let is_unsigned = scalar.kind == ScalarKind::Uint;
        if !is_unsigned && scalar.kind != ScalarKind::Sint || scalar.width != 4 {
            return None;
        }
        // A 32-bit pattern above this limit is negative as a signed value.
        let limit = if is_unsigned { u32::MAX } else { i32::MAX.cast_unsigned() };
        let or_any = |most: Option<u32>| if is_unsigned { Some(most.unwrap_or(u32::MAX)) } else { most };
        match self.function.expressions[handle] {
            Expression::Literal(literal) => known(literal),
            Expression::Constant(constant) => {
                let module = self.m.module;
                match module.global_expressions[module.constants[constant].init] {
                    Expression::Literal(literal) => known(literal),
                    _ => None,
                }
            }
            Expression::ZeroValue(_) => Some(0),
            Expression::FunctionArgument(argument) => {
                self.max_of_builtin(self.function.arguments.get(argument as usize)?.binding.as_ref()?, 0)
            }
            Expression::AccessIndex { base, index } => self.max_of_part(base, index, depth),
            Expression::Select { accept, reject, .. } => Some(of(accept)?.max(of(reject)?)),
            Expression::As { expr, .. } => of(expr).filter(|most| *most <= limit),
            Expression::Binary { op, left, right } => match op {
                BinaryOperator::And => match (of(left), of(right)) {
                    (Some(left), Some(right)) => Some(left.min(right)),
                    (one, other) => one.or(other),
                },
                BinaryOperator::Modulo => {
                    let divisor = self.known_value(right).filter(|divisor| *divisor > 0)?;
                    Some(or_any(of(left))?.min(divisor - 1))
                }
                BinaryOperator::Divide => {
                    let divisor = self.known_value(right).filter(|divisor| *divisor > 0)?;
                    Some(or_any(of(left))? / divisor)
                }
                BinaryOperator::ShiftRight => {
                    let amount = self.known_value(right)?;
                    Some(or_any(of(left))? >> (amount & 31))
                }
                BinaryOperator::Add => of(left)?.checked_add(of(right)?).filter(|most| *most <= limit),
                BinaryOperator::Multiply => of(left)?.checked_mul(of(right)?).filter(|most| *most <= limit),
                _ => None,
            },
            Expression::Math { fun: MathFunction::Min, arg, arg1: Some(other), .. } => {
                Some(or_any(of(arg))?.min(or_any(of(other))?)).filter(|most| *most < u32::MAX)
            }
            Expression::Math { fun: MathFunction::Clamp, arg2: Some(high), .. } if is_unsigned => of(high),
            _ => None,
        }
    }

    /// Returns the bound of a struct member or vector component.
    fn max_of_part(&self, base: Handle<Expression>, index: u32, depth: u32) -> Option<u32> {
        match self.function.expressions[base] {
            Expression::FunctionArgument(argument) => {
                let argument = self.function.arguments.get(argument as usize)?;
                match (&argument.binding, &self.m.module.types[argument.ty].inner) {
                    (Some(binding), _) => self.max_of_builtin(binding, index),
                    (None, TypeInner::Struct { members, .. }) => {
                        self.max_of_builtin(members.get(index as usize)?.binding.as_ref()?, 0)
                    }
                    _ => None,
                }
            }
            Expression::AccessIndex { base, index: member } => {
                let Expression::FunctionArgument(argument) = self.function.expressions[base] else { return None };
                let argument = self.function.arguments.get(argument as usize)?;
                let TypeInner::Struct { members, .. } = &self.m.module.types[argument.ty].inner else { return None };
                self.max_of_builtin(members.get(member as usize)?.binding.as_ref()?, index)
            }
            Expression::Swizzle { vector, ref pattern, .. } => {
                self.max_of_part(vector, *pattern.get(index as usize)? as u32, depth.checked_sub(1)?)
            }
            Expression::Compose { ty, ref components } => match self.m.module.types[ty].inner {
                // A vector may also be composed of smaller vectors; here each component must be one operand.
                TypeInner::Vector { size, .. } if components.len() == size as usize => {
                    self.most(*components.get(index as usize)?, depth)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the bound of a built-in input of the entry point.
    fn max_of_builtin(&self, binding: &Binding, component: u32) -> Option<u32> {
        let size = self.m.program.workgroup_size;
        let Binding::BuiltIn(builtin) = binding else { return None };
        match builtin {
            BuiltIn::LocalInvocationId => size.get(component as usize)?.checked_sub(1),
            BuiltIn::LocalInvocationIndex => size.iter().product::<u32>().checked_sub(1),
            BuiltIn::SubgroupInvocationId => Some(31),
            _ => None,
        }
    }

    fn known_value(&self, handle: Handle<Expression>) -> Option<u32> {
        let is_known = matches!(self.function.expressions[handle], Expression::Literal(_) | Expression::Constant(_));
        if is_known { self.most(handle, 1) } else { None }
    }
}

fn known(literal: Literal) -> Option<u32> {
    match literal {
        Literal::U32(value) => Some(value),
        Literal::I32(value) => u32::try_from(value).ok(),
        _ => None,
    }
}

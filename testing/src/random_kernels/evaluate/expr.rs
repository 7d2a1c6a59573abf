//! Expressions, for one invocation.

use super::scalar::{binary, bitcast, convert, unary};
use super::{Machine, Stop, builtins};
use crate::random_kernels::ast::{Binary, Expr, Kind, Outside, Type, Value};

impl<'p> Machine<'p> {
    pub(super) fn eval(&mut self, expr: &'p Expr, lane: usize) -> Result<Value, Stop> {
        match &expr.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Zero => Ok(expr.ty.zero(&self.program.structs)),
            Kind::Compose(parts) => self.compose(&expr.ty, parts, lane),
            Kind::Load(place) => {
                let address = self.address(place, lane)?;
                self.load(&address, lane)
            }
            Kind::AddressOf(place) => {
                let address = self.address(place, lane)?;
                let (settled, _) = self.settle(&address, lane)?;
                self.find(&settled, lane)?;
                Ok(Value::Pointer(address))
            }
            Kind::Index(base, index) => {
                let base = self.eval(base, lane)?;
                let at = self.index(index, lane)?;
                let last = if let Value::Many(parts) = &base { parts.len().saturating_sub(1) } else { 0 };
                let defined = self.program.outside == Outside::Defined;
                self.outside += u64::from(defined && at > last);
                part(base, if defined { at.min(last) } else { at })
            }
            Kind::Member(base, at) => part(self.eval(base, lane)?, *at),
            Kind::Swizzle(base, components) => {
                let base = self.eval(base, lane)?;
                if let [only] = components.as_slice() {
                    return part(base, usize::from(*only));
                }
                let all: Result<_, _> = components.iter().map(|at| part(base.clone(), usize::from(*at))).collect();
                Ok(Value::Many(all?))
            }
            Kind::Unary(op, operand) => unary(*op, &self.eval(operand, lane)?),
            Kind::Binary(op @ (Binary::BothOf | Binary::OneOf), left, right) => {
                let (yes, no) = self.part(left, vec![lane])?;
                let decided = if *op == Binary::BothOf { yes.is_empty() } else { no.is_empty() };
                if decided { Ok(Value::Bool(*op == Binary::OneOf)) } else { self.eval(right, lane) }
            }
            Kind::Binary(op, left, right) => {
                let matrix = |expr: &Expr| matches!(expr.ty, Type::Matrix(..));
                let vector = |expr: &Expr| matches!(expr.ty, Type::Vector(..));
                let (left_is, right_is) = (matrix(left), matrix(right));
                let product = *op == Binary::Mul
                    && (left_is && (right_is || vector(right)) || right_is && (left_is || vector(left)));
                let (left, right) = (self.eval(left, lane)?, self.eval(right, lane)?);
                if product {
                    return builtins::matrix_product(&left, &right, left_is, right_is);
                }
                binary(*op, &left, &right)
            }
            Kind::Builtin(builtin, arguments) => {
                let values: Result<Vec<Value>, Stop> =
                    arguments.iter().map(|argument| self.eval(argument, lane)).collect();
                builtins::call(*builtin, &values?)
            }
            Kind::Convert(operand) => {
                let (scalar, _) = expr.ty.numeric().ok_or(Stop("a conversion's type"))?;
                convert(scalar, &self.eval(operand, lane)?)
            }
            Kind::Bitcast(operand) => {
                let (scalar, _) = expr.ty.numeric().ok_or(Stop("a conversion's type"))?;
                bitcast(scalar, &self.eval(operand, lane)?, matches!(operand.kind, Kind::Convert(_)))
            }
            Kind::Call(function, arguments) => {
                let values: Result<Vec<Value>, Stop> =
                    arguments.iter().map(|argument| self.eval(argument, lane)).collect();
                self.call(*function, &[lane], vec![values?]).map(|mut results| results.swap_remove(0))
            }
            Kind::Length(global) => match self.program.globals.get(*global).map(|global| &global.ty) {
                Some(Type::Array(_, length)) => Ok(Value::U32(*length)),
                _ => Err(Stop("`arrayLength` of a global that is no array")),
            },
        }
    }

    pub(super) fn index(&mut self, index: &'p Expr, lane: usize) -> Result<usize, Stop> {
        match self.eval(index, lane)? {
            Value::U32(at) => Ok(at as usize),
            Value::I32(at) if self.program.outside == Outside::Defined => Ok(at.cast_unsigned() as usize),
            Value::I32(at) => usize::try_from(at).map_err(|_| Stop("an index is out of range")),
            _ => Err(Stop("an index's type")),
        }
    }

    fn compose(&mut self, ty: &Type, parts: &'p [Expr], lane: usize) -> Result<Value, Stop> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            let value = self.eval(part, lane)?;
            match (ty, value) {
                (Type::Vector(..), Value::Many(components)) => values.extend(components),
                (Type::Vector(_, width), scalar) if parts.len() == 1 => {
                    values.resize(usize::from(*width), scalar);
                }
                (_, value) => values.push(value),
            }
        }
        Ok(Value::Many(values))
    }
}

fn part(value: Value, at: usize) -> Result<Value, Stop> {
    match value {
        Value::Many(mut parts) if at < parts.len() => Ok(parts.swap_remove(at)),
        _ => Err(Stop("an index is out of range")),
    }
}

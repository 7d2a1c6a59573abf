//! Expressions of all types, of booleans and of composites.

use super::Generator;
use super::scope::STORED;
use crate::random_kernels::ast::{Binary, Builtin, Expr, Kind, Place, Root, Scalar, Space, Step, Type, Unary, Value};

/// An expression with facts about its value.
pub(super) struct Made {
    pub(super) expr: Expr,
    /// The largest magnitude of the floats in the value.
    pub(super) bound: f64,
    /// The number of fractional bits: the floats in the value are multiples of 2^-fraction.
    pub(super) fraction: u32,
    /// Whether the expression is constant: an overflow in a constant expression makes the kernel invalid.
    pub(super) constant: bool,
}

impl Made {
    pub(super) fn plain(expr: Expr, constant: bool) -> Self {
        Self { expr, bound: STORED, fraction: 0, constant }
    }
}

impl Generator {
    /// An expression whose floats are small whole numbers, so that they may be stored in memory.
    pub(super) fn value(&mut self, ty: &Type, depth: usize) -> Made {
        let made = self.expr(ty, depth);
        self.storable(made)
    }

    /// Any expression of type `ty`.
    pub(super) fn expr(&mut self, ty: &Type, depth: usize) -> Made {
        if depth > 0
            && !self.only_uniform
            && self.random.chance(8)
            && let Some(call) = self.call_of(ty, depth - 1)
        {
            return call;
        }
        if depth > 0
            && !self.only_uniform
            && self.random.chance(3)
            && let Some(member) = self.member_of_call(ty, depth - 1)
        {
            return member;
        }
        match ty {
            Type::Scalar(scalar) => self.of_numbers(*scalar, 1, depth),
            Type::Vector(scalar, width) => self.of_numbers(*scalar, *width, depth),
            Type::Matrix(columns, rows) => self.matrix(*columns, *rows, depth),
            _ => self.composite(ty, depth),
        }
    }

    fn of_numbers(&mut self, scalar: Scalar, width: u8, depth: usize) -> Made {
        let ty = Type::vector(scalar, width);
        if depth == 0 {
            return self.leaf(&ty);
        }
        if self.random.chance(10) {
            return self.chosen(&ty, depth);
        }
        if width > 1 && self.random.chance(15) {
            return self.assembled(scalar, width, depth);
        }
        if width == 1 && self.random.chance(6) {
            return self.component(scalar, depth);
        }
        match scalar {
            Scalar::Bool => self.boolean(width, depth),
            Scalar::U32 | Scalar::I32 => self.integer(scalar, width, depth),
            Scalar::F32 => self.float(width, depth),
        }
    }

    /// An expression that only reads a variable, or a literal.
    pub(super) fn leaf(&mut self, ty: &Type) -> Made {
        if *ty == Type::U32 && !self.only_uniform && self.random.chance(12) {
            return Made::plain(self.input_word(), false);
        }
        if self.random.chance(80)
            && let Some(read) = self.read(ty, false)
        {
            return read;
        }
        match ty.numeric() {
            Some((scalar, 1)) => self.literal(scalar),
            Some((scalar, width)) => {
                let part = self.leaf(&Type::Scalar(scalar));
                Made { expr: part.expr.splat(&Type::vector(scalar, width)), ..part }
            }
            None => Made::plain(Expr::new(ty.clone(), Kind::Zero), true),
        }
    }

    /// A word of the input at an index that each invocation computes.
    pub(super) fn input_word(&mut self) -> Expr {
        let input = self.globals.iter().position(|global| global.name == "input").unwrap_or_default();
        let at = self.read(&Type::U32, true).map_or_else(|| Expr::u32(self.random.word()), |read| read.expr);
        let length = Expr::new(Type::U32, Kind::Length(input));
        let index = Expr::binary(Binary::Rem, at, length);
        let path = vec![Step::Index(index)];
        Expr::new(Type::U32, Kind::Load(Place { root: Root::Global(input), path }))
    }

    pub(super) fn literal(&mut self, scalar: Scalar) -> Made {
        let value = match scalar {
            Scalar::Bool => Value::Bool(self.random.chance(50)),
            Scalar::U32 => Value::U32(self.random.interesting()),
            Scalar::I32 => Value::I32(self.random.interesting().cast_signed()),
            Scalar::F32 => Value::F32(self.random.small_float()),
        };
        Made::plain(Expr::new(Type::Scalar(scalar), Kind::Literal(value)), true)
    }

    /// An expression that is known only at run time; a literal if no variable can be read.
    pub(super) fn runtime(&mut self, ty: &Type) -> Made {
        if let Some(read) = self.read(ty, true) {
            return read;
        }
        let Some((scalar, width)) = ty.numeric() else { return self.leaf(ty) };
        let Some(word) = self.read(&Type::U32, true) else { return self.leaf(ty) };
        let single = match scalar {
            Scalar::U32 => word.expr,
            Scalar::I32 => word.expr.bitcast(Type::I32),
            Scalar::F32 => Expr::binary(Binary::And, word.expr, Expr::u32(1023)).convert(Type::F32),
            Scalar::Bool => word.expr.convert(Type::BOOL),
        };
        Made::plain(single.splat(&Type::vector(scalar, width)), false)
    }

    fn chosen(&mut self, ty: &Type, depth: usize) -> Made {
        let (no, yes) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
        let width = ty.numeric().map_or(1, |(_, width)| width);
        let width = if self.random.chance(50) { 1 } else { width };
        // The constant evaluator of naga panics on some constant conditions.
        let condition = self.at_runtime(&Type::vector(Scalar::Bool, width), depth - 1);
        Made {
            bound: no.bound.max(yes.bound),
            fraction: no.fraction.max(yes.fraction),
            constant: false,
            expr: Expr::builtin(ty.clone(), Builtin::Select, vec![no.expr, yes.expr, condition]),
        }
    }

    /// A vector that is composed of scalars and vectors, or is a swizzle of another vector.
    fn assembled(&mut self, scalar: Scalar, width: u8, depth: usize) -> Made {
        let ty = Type::vector(scalar, width);
        if self.random.chance(50) {
            let from = self.random.between(2, 4) as u8;
            let base = self.expr(&Type::vector(scalar, from), depth - 1);
            let components = (0..width).map(|_| self.random.below(usize::from(from)) as u8).collect();
            return Made { expr: Expr::new(ty, Kind::Swizzle(Box::new(base.expr), components)), ..base };
        }
        let (mut parts, mut left) = (Vec::new(), width);
        let (mut bound, mut fraction, mut constant) = (0f64, 0, true);
        while left > 0 {
            let most = if parts.is_empty() { left - 1 } else { left };
            let part = self.random.between(1, usize::from(most.max(1))) as u8;
            let made = self.expr(&Type::vector(scalar, part), depth - 1);
            (bound, fraction) = (bound.max(made.bound), fraction.max(made.fraction));
            constant &= made.constant;
            parts.push(made.expr);
            left -= part;
        }
        Made { expr: Expr::new(ty, Kind::Compose(parts)), bound, fraction, constant }
    }

    /// A component of a vector value.
    fn component(&mut self, scalar: Scalar, depth: usize) -> Made {
        let width = self.random.between(2, 4) as u8;
        let base = self.expr(&Type::vector(scalar, width), depth - 1);
        let ty = Type::Scalar(scalar);
        if base.constant || self.random.chance(60) {
            let at = self.random.below(usize::from(width)) as u8;
            return Made { expr: Expr::new(ty, Kind::Swizzle(Box::new(base.expr), vec![at])), ..base };
        }
        let (index, _) = self.index_below(u32::from(width), 0);
        Made { expr: Expr::new(ty, Kind::Index(Box::new(base.expr), Box::new(index))), ..base }
    }

    fn boolean(&mut self, width: u8, depth: usize) -> Made {
        let ty = Type::vector(Scalar::Bool, width);
        match self.random.below(12) {
            0..6 => {
                let scalar = *self.random.pick(&[Scalar::U32, Scalar::U32, Scalar::I32, Scalar::I32, Scalar::F32]);
                let operand = Type::vector(scalar, width);
                let ops = [
                    Binary::Equal,
                    Binary::NotEqual,
                    Binary::Less,
                    Binary::LessEqual,
                    Binary::Greater,
                    Binary::GreaterEqual,
                ];
                let op = *self.random.pick(&ops);
                let (left, right) = (self.expr(&operand, depth - 1), self.expr(&operand, depth - 1));
                let constant = left.constant && right.constant;
                Made::plain(Expr::binary(op, left.expr, right.expr), constant)
            }
            6..9 => {
                let mut ops = vec![Binary::And, Binary::Or, Binary::Equal, Binary::NotEqual];
                if width == 1 {
                    ops.extend([Binary::BothOf, Binary::OneOf, Binary::BothOf, Binary::OneOf]);
                }
                let op = *self.random.pick(&ops);
                let (left, right) = (self.expr(&ty, depth - 1), self.expr(&ty, depth - 1));
                let constant = left.constant && right.constant;
                Made::plain(Expr::binary(op, left.expr, right.expr), constant)
            }
            9 => {
                let operand = self.expr(&ty, depth - 1);
                Made::plain(Expr::new(ty, Kind::Unary(Unary::Not, Box::new(operand.expr))), operand.constant)
            }
            10 => {
                let scalar = *self.random.pick(&[Scalar::U32, Scalar::I32, Scalar::F32]);
                let operand = self.expr(&Type::vector(scalar, width), depth - 1);
                Made::plain(operand.expr.convert(ty), operand.constant)
            }
            _ if width == 1 => {
                let width = self.random.between(2, 4) as u8;
                let operand = self.expr(&Type::vector(Scalar::Bool, width), depth - 1);
                let builtin = *self.random.pick(&[Builtin::All, Builtin::Any]);
                Made::plain(Expr::builtin(ty, builtin, vec![operand.expr]), operand.constant)
            }
            _ => self.leaf(&ty),
        }
    }

    fn matrix(&mut self, columns: u8, rows: u8, depth: usize) -> Made {
        let ty = Type::Matrix(columns, rows);
        if depth > 0 && self.random.chance(20) {
            let operand = self.expr(&Type::Matrix(rows, columns), depth - 1);
            return Made { expr: Expr::builtin(ty, Builtin::Transpose, vec![operand.expr]), ..operand };
        }
        if self.random.chance(60)
            && let Some(read) = self.read(&ty, false)
            && read.bound <= STORED
        {
            return read;
        }
        let column = Type::vector(Scalar::F32, rows);
        let (mut parts, mut constant) = (Vec::new(), true);
        for _ in 0..columns {
            let part = self.value(&column, depth.saturating_sub(1));
            constant &= part.constant;
            parts.push(part.expr);
        }
        Made::plain(Expr::new(ty, Kind::Compose(parts)), constant)
    }

    /// An expression that composes an array or a struct.
    fn composite(&mut self, ty: &Type, depth: usize) -> Made {
        if self.random.chance(65)
            && let Some(read) = self.read(ty, false)
        {
            return read;
        }
        if ty.scalars(&self.structs) > 24 || self.random.chance(15) {
            return Made::plain(Expr::new(ty.clone(), Kind::Zero), true);
        }
        let (mut parts, mut constant) = (Vec::new(), true);
        for part in ty.parts(&self.structs) {
            let made = self.value(&part, depth.saturating_sub(1).min(2));
            constant &= made.constant;
            parts.push(made.expr);
        }
        Made::plain(Expr::new(ty.clone(), Kind::Compose(parts)), constant)
    }

    /// A call of a function that returns `ty`.
    fn call_of(&mut self, ty: &Type, depth: usize) -> Option<Made> {
        let fits = |index: &usize| {
            let callable = &self.callables[*index];
            callable.result.as_ref() == Some(ty)
                && !callable.meets
                && (self.ordered || !callable.effects)
                && self.affordable(callable.cost)
        };
        let fitting: Vec<usize> = (0..self.callables.len()).filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let function = *self.random.pick(&fitting);
        let arguments = self.arguments(function, depth)?;
        Some(Made::plain(Expr::new(ty.clone(), Kind::Call(function, arguments)), false))
    }

    /// An expression of type `ty` that reads a member of the struct that a called function returns.
    fn member_of_call(&mut self, ty: &Type, depth: usize) -> Option<Made> {
        let results = self.callables.iter().filter_map(|callable| match callable.result {
            Some(Type::Struct(index)) => Some(index),
            _ => None,
        });
        let found = results.flat_map(|index| {
            let members = self.structs[index].iter().enumerate();
            members.filter(|(_, member)| *member == ty).map(move |(at, _)| (index, at))
        });
        let (index, at) = found.last()?;
        let call = self.call_of(&Type::Struct(index), depth)?;
        Some(Made { expr: Expr::new(ty.clone(), Kind::Member(Box::new(call.expr), at)), ..call })
    }

    /// Whether the kernel stays fast enough if an expression of this cost is added at the current point.
    pub(super) fn affordable(&self, cost: u64) -> bool {
        self.cost + self.times * cost < 1500
    }

    /// The arguments of a call; `None` if no variable can be passed for a pointer parameter.
    pub(super) fn arguments(&mut self, function: usize, depth: usize) -> Option<Vec<Expr>> {
        let (params, cost, meets) = {
            let callable = &self.callables[function];
            (callable.params.clone(), callable.cost, callable.meets)
        };
        let (uses_private, effects) = (self.callables[function].private, self.callables[function].effects);
        let (mut arguments, mut taken) = (Vec::new(), Vec::new());
        for (at, param) in params.iter().enumerate() {
            if meets && at == 0 {
                arguments.push(Expr::slot(self.index?, Type::U32));
                continue;
            }
            if let Type::Pointer(space, of) = param {
                if *space == Space::Private && uses_private {
                    return None;
                }
                let place: Place = self.addressable(*space, of, &taken)?;
                // Only one pointer to each variable is passed, and no other argument reads the variable.
                taken.push(place.root);
                arguments.push(Expr::new(param.clone(), Kind::AddressOf(place)));
            } else {
                arguments.push(self.value(param, depth.min(2)).expr);
            }
        }
        self.cost += self.times * cost;
        self.private |= uses_private;
        self.effects |= effects && (uses_private || taken.iter().any(|root| !matches!(root, Root::Slot(_))));
        Some(arguments)
    }
}

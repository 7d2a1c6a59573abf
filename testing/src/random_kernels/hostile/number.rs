//! Integers, computed in all the ways that the range analysis follows, and often near a limit.

use super::{Maker, value};
use crate::random_kernels::ast::{Binary, Builtin, Expr, Kind, Place, Root, Scalar, Space, Step, Type, Unary};

impl Maker {
    /// An index into memory with `length` elements, in range or not; it is not constant.
    pub(super) fn index(&mut self, length: u32) -> Expr {
        let scalar = self.scalar();
        if self.random.chance(25) {
            return self.atom(scalar);
        }
        let depth = self.random.between(1, 3);
        self.number(scalar, depth, length)
    }

    pub(super) fn scalar(&mut self) -> Scalar {
        if self.random.chance(65) { Scalar::U32 } else { Scalar::I32 }
    }

    /// An integer expression that is not constant and at most `depth` deep.
    pub(super) fn number(&mut self, scalar: Scalar, depth: usize, near: u32) -> Expr {
        let ty = Type::Scalar(scalar);
        let Some(depth) = depth.checked_sub(1) else { return self.atom(scalar) };
        let operand = self.number(scalar, depth, near);
        let edge = self.edge(scalar, near);
        let one = |builtin| Expr::builtin(ty.clone(), builtin, vec![operand.clone()]);
        match self.random.below(24) {
            0..4 => {
                let op = *self.random.pick(&[Binary::Add, Binary::Add, Binary::Sub, Binary::Sub, Binary::Mul]);
                let other = if self.random.chance(50) { edge } else { self.number(scalar, depth / 2, near) };
                if self.random.chance(75) { Expr::binary(op, operand, other) } else { Expr::binary(op, other, operand) }
            }
            4..7 => {
                let builtin = *self.random.pick(&[Builtin::Min, Builtin::Min, Builtin::Max]);
                Expr::builtin(ty, builtin, vec![operand, edge])
            }
            7 => {
                let (low, high) = (self.number(scalar, depth / 2, near), edge);
                Expr::builtin(ty, Builtin::Clamp, vec![operand, low, high])
            }
            8 => {
                let low = if self.random.chance(50) { 0 } else { self.random.below(3) as u32 };
                let high = low + near.saturating_sub(self.random.below(2) as u32);
                let [low, high] = [low, high].map(|bound| literal(scalar, bound));
                Expr::builtin(ty, Builtin::Clamp, vec![operand, low, high])
            }
            9..12 => {
                let masks = [near.saturating_sub(1), near, near.next_power_of_two() - 1, 1, 3, 7, 0x8000_0001];
                let mask = *self.random.pick(&masks);
                Expr::binary(Binary::And, operand, literal(scalar, mask))
            }
            12 => Expr::binary(*self.random.pick(&[Binary::Or, Binary::Xor]), operand, edge),
            13..15 => {
                let divisors = [near.max(1), near + 1, near.saturating_sub(1).max(1), 2, 3];
                let divisor = literal(scalar, *self.random.pick(&divisors));
                let op = *self.random.pick(&[Binary::Rem, Binary::Rem, Binary::Div]);
                Expr::binary(op, operand, divisor)
            }
            15 => {
                let divisor = self.number(scalar, depth / 2, near);
                Expr::binary(*self.random.pick(&[Binary::Rem, Binary::Div]), operand, divisor)
            }
            16..18 => {
                let amount = *self.random.pick(&[1, 2, 3, 28, 29, 30, 31]);
                let op = *self.random.pick(&[Binary::Shr, Binary::Shr, Binary::Shl]);
                // The amount of a shift is unsigned, also for a signed integer.
                Expr::binary(op, operand, Expr::u32(amount))
            }
            18 => {
                let (other, condition) = (self.number(scalar, depth / 2, near), self.comparison(near));
                Expr::builtin(ty, Builtin::Select, vec![operand, other, condition])
            }
            19..21 => {
                let other = if scalar == Scalar::U32 { Scalar::I32 } else { Scalar::U32 };
                let operand = self.number(other, depth, near);
                if self.random.chance(50) { operand.convert(ty) } else { operand.bitcast(ty) }
            }
            21 => match scalar {
                Scalar::I32 => {
                    let op = *self.random.pick(&[Unary::Negate, Unary::Complement]);
                    Expr::new(ty, Kind::Unary(op, Box::new(operand)))
                }
                _ => Expr::new(ty, Kind::Unary(Unary::Complement, Box::new(operand))),
            },
            22 => {
                let (offset, count) = (self.random.below(31) as u32, self.random.between(0, 4) as u32);
                let count = count.min(32 - offset);
                Expr::builtin(ty, Builtin::ExtractBits, vec![operand, Expr::u32(offset), Expr::u32(count)])
            }
            _ => {
                let counts =
                    [Builtin::CountOneBits, Builtin::CountLeadingZeros, Builtin::FirstLeadingBit, Builtin::Abs];
                one(*self.random.pick(&counts))
            }
        }
    }

    /// A constant that is likely to reveal faults: near `length`, near 0, or near an end of the range of an integer
    /// type.
    pub(super) fn edge(&mut self, scalar: Scalar, length: u32) -> Expr {
        let value = match self.random.below(10) {
            0..2 => length,
            2..4 => length.wrapping_sub(1),
            4 => length + 1,
            5..8 => self.random.below(4) as u32,
            8 => *self.random.pick(&[0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe, 0x1_0000, 16, 64]),
            _ => self.random.interesting(),
        };
        literal(scalar, value)
    }

    /// An integer that is only known at run time.
    pub(super) fn atom(&mut self, scalar: Scalar) -> Expr {
        let fitting: Vec<Root> =
            self.numbers.iter().filter(|number| number.scalar == scalar).map(|number| number.root).collect();
        if !fitting.is_empty() && self.random.chance(55) {
            // Loops and guards depend on the newest variable.
            let at = if self.random.chance(40) { fitting.len() - 1 } else { self.random.below(fitting.len()) };
            return value(fitting[at], scalar);
        }
        match (scalar, self.random.below(10)) {
            (_, 0..4) => self.parameter(scalar),
            (Scalar::U32, 4..7) if self.main => self.built_in(),
            (Scalar::U32, 7) => self.length(),
            _ => {
                let place = self.input_word();
                let word = Expr::new(Type::U32, Kind::Load(place));
                if scalar == Scalar::U32 { word } else { word.bitcast(Type::I32) }
            }
        }
    }

    /// A member of the uniform buffer, such as `params.m0.y`.
    pub(super) fn parameter(&mut self, scalar: Scalar) -> Expr {
        let member = usize::from(scalar == Scalar::I32);
        let mut path = vec![Step::Member(member)];
        if self.random.chance(75) {
            path.push(Step::Component(self.random.below(4) as u8));
        } else {
            path[0] = Step::Member(member + 2);
        }
        Expr::new(Type::Scalar(scalar), Kind::Load(Place { root: Root::Global(0), path }))
    }

    fn built_in(&mut self) -> Expr {
        let slot = self.random.below(5);
        let axis = if self.random.chance(70) { 0 } else { self.random.below(3) as u8 };
        let path = if slot == 2 { Vec::new() } else { vec![Step::Component(axis)] };
        Expr::new(Type::U32, Kind::Load(Place { root: Root::Slot(slot), path }))
    }

    /// The length of a buffer, or a number next to it.
    pub(super) fn length(&mut self) -> Expr {
        let unsized_arrays: Vec<usize> =
            (0..self.globals.len()).filter(|index| self.globals[*index].unsized_array).collect();
        let length = Expr::new(Type::U32, Kind::Length(*self.random.pick(&unsized_arrays)));
        match self.random.below(6) {
            0 => Expr::binary(Binary::Sub, length, Expr::u32(1)),
            1 => Expr::binary(Binary::Div, length, Expr::u32(2)),
            _ => length,
        }
    }

    /// A word of the input, at an index in range.
    fn input_word(&mut self) -> Place {
        let input = self.globals.iter().position(|global| global.name == "input").unwrap_or_default();
        let at = self.random.below(super::memory::INPUT as usize) as u32;
        Place { root: Root::Global(input), path: vec![Step::Index(Expr::u32(at))] }
    }

    /// A comparison of a random number with a limit, which is often near `near`.
    pub(super) fn comparison(&mut self, near: u32) -> Expr {
        let scalar = self.scalar();
        let depth = self.random.below(2);
        let left = self.number(scalar, depth, near);
        self.compared(left, scalar, near)
    }

    /// A guard of `left`: correct, off by one, or unrelated.
    pub(super) fn compared(&mut self, left: Expr, scalar: Scalar, near: u32) -> Expr {
        let ops = [
            Binary::Less,
            Binary::Less,
            Binary::Less,
            Binary::LessEqual,
            Binary::Greater,
            Binary::GreaterEqual,
            Binary::Equal,
            Binary::NotEqual,
        ];
        let op = *self.random.pick(&ops);
        let right = match self.random.below(8) {
            0..4 => self.edge(scalar, near),
            4 => self.parameter(scalar),
            5 if scalar == Scalar::U32 => self.length(),
            _ => self.number(scalar, 1, near),
        };
        let (left, right) = if self.random.chance(85) { (left, right) } else { (right, left) };
        let mut condition = Expr::binary(op, left, right);
        if self.random.chance(15) {
            condition = Expr::new(Type::BOOL, Kind::Unary(Unary::Not, Box::new(condition)));
        }
        if self.random.chance(20) {
            let op = *self.random.pick(&[Binary::BothOf, Binary::BothOf, Binary::OneOf, Binary::And]);
            let mut other = self.comparison(near);
            other.ty = Type::BOOL;
            condition = Expr { ty: Type::BOOL, kind: Kind::Binary(op, Box::new(condition), Box::new(other)) };
        }
        condition
    }

    /// Whether other invocations read and write this variable.
    pub(super) fn is_shared(&self, root: Root) -> bool {
        matches!(root, Root::Global(index)
            if matches!(self.globals[index].space, Space::Output | Space::Workgroup))
    }
}

pub(super) fn literal(scalar: Scalar, value: u32) -> Expr {
    if scalar == Scalar::U32 { Expr::u32(value) } else { Expr::i32(value.cast_signed()) }
}

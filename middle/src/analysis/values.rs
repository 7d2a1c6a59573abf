//! Symbolic values, identified by the operation and the operands that compute them.

use naga::{BuiltIn, GlobalVariable, Handle};
use rustc_hash::FxHashMap;

use crate::domain::{Comparison, Int, Known};

/// The type of booleans, which are integers of one bit.
pub(super) const BOOL: Int = Int { signed: false, width: 1 };

/// A symbolic value. It never changes: a store to a variable replaces the variable's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(u32);

impl Id {
    /// The value that was created after `index` other values.
    pub(super) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The index of the value: the number of values that were created before this one.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary {
    Negate,
    Complement,
    Absolute,
    Sign,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    FirstLeading,
    FirstTrailing,
    Reverse,
    /// A cast, which keeps the bits if the width stays the same, and otherwise converts the number.
    Cast,
}

/// Operations with two operands, as WGSL defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// The operation or the source from which a value results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(i64),
    /// An unknown number. The operand is a serial number, so that two unknown values are never the same.
    Unknown(u32),
    /// The number of elements of a variable's runtime-sized array.
    Length(Handle<GlobalVariable>),
    /// The component with this index of a built-in input.
    Input(BuiltIn, u8),
    /// The content of a memory location that nothing writes.
    Fixed(Handle<GlobalVariable>, Box<[Part]>),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    Compare(Comparison, Id, Id),
    Select(Id, Id, Id),
    /// The content of a variable where two paths join: `accept` or `reject`. Two such values are never the same.
    Merge {
        condition: Option<Id>,
        accept: Id,
        reject: Id,
        serial: u32,
    },
}

/// One step from a variable to a memory location inside the variable: a member or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    At(u32),
    Index(Id),
}

#[derive(Clone, Debug)]
struct Made {
    node: Node,
    ty: Int,
    /// The range of the value at every point of the kernel.
    known: Known,
}

/// All symbolic values of one analysis.
#[derive(Debug, Default)]
pub(super) struct Values {
    made: Vec<Made>,
    found: FxHashMap<(Int, Node), Id>,
    serial: u32,
}

impl Values {
    pub(super) fn count(&self) -> usize {
        self.made.len()
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.made[id.0 as usize].node
    }

    pub(super) fn ty(&self, id: Id) -> Int {
        self.made[id.0 as usize].ty
    }

    /// The range of a value at every point of the kernel.
    pub(super) fn known(&self, id: Id) -> Known {
        self.made[id.0 as usize].known
    }

    /// The number of a value that is constant; `None` for other values.
    pub(super) fn constant_of(&self, id: Id) -> Option<i64> {
        self.known(id).value()
    }

    pub(super) fn constant(&mut self, ty: Int, number: i64) -> Id {
        self.make(ty, Node::Constant(number), Known::exactly(ty, number))
    }

    pub(super) fn truth(&mut self, truth: bool) -> Id {
        self.constant(BOOL, i64::from(truth))
    }

    /// Creates an unknown value in the range `known`.
    pub(super) fn unknown(&mut self, known: Known) -> Id {
        self.serial += 1;
        self.make(known.ty(), Node::Unknown(self.serial), known)
    }

    /// The value of a node that the kernel does not compute, such as a built-in input. Equal nodes have the same value.
    pub(super) fn outer(&mut self, node: Node, known: Known) -> Id {
        self.make(known.ty(), node, known)
    }

    pub(super) fn unary(&mut self, op: Unary, ty: Int, of: Id) -> Id {
        if op == Unary::Cast && self.ty(of) == ty {
            return of;
        }
        let node = Node::Unary(op, of);
        self.computed(ty, node)
    }

    pub(super) fn binary(&mut self, op: Binary, left: Id, right: Id) -> Id {
        let ty = self.ty(left);
        let neutral = |number: i64| match op {
            Binary::Add | Binary::Or | Binary::Xor => number == 0,
            Binary::Multiply => number == 1,
            _ => false,
        };
        if self.constant_of(left).is_some_and(neutral) {
            return right;
        }
        let right_neutral = |number: i64| match op {
            Binary::Subtract | Binary::ShiftLeft | Binary::ShiftRight => number == 0,
            Binary::Divide => number == 1,
            _ => neutral(number),
        };
        if self.constant_of(right).is_some_and(right_neutral) {
            return left;
        }
        // The operands are put in a fixed order, constants last, so that `a + b` and `b + a` are the same value.
        let commutes = !matches!(
            op,
            Binary::Subtract | Binary::Divide | Binary::Remainder | Binary::ShiftLeft | Binary::ShiftRight
        );
        let turned = commutes && (self.constant_of(left).is_some(), left) > (self.constant_of(right).is_some(), right);
        let (left, right) = if turned { (right, left) } else { (left, right) };
        self.computed(ty, Node::Binary(op, left, right))
    }

    pub(super) fn compare(&mut self, op: Comparison, left: Id, right: Id) -> Id {
        self.computed(BOOL, Node::Compare(op, left, right))
    }

    pub(super) fn select(&mut self, condition: Id, accept: Id, reject: Id) -> Id {
        match self.constant_of(condition) {
            _ if accept == reject => accept,
            Some(0) => reject,
            Some(_) => accept,
            None => self.computed(self.ty(accept), Node::Select(condition, accept, reject)),
        }
    }

    /// Creates the value of a variable where two paths join, in the range `known`.
    pub(super) fn merge(&mut self, condition: Option<Id>, accept: Id, reject: Id, known: Known) -> Id {
        self.serial += 1;
        let node = Node::Merge { condition, accept, reject, serial: self.serial };
        self.make(known.ty(), node, known)
    }

    fn computed(&mut self, ty: Int, node: Node) -> Id {
        let key = (ty, node);
        if let Some(id) = self.found.get(&key) {
            return *id;
        }
        let node = key.1;
        let known = apply(&node, ty, |id| self.known(id)).unwrap_or(Known::any(ty));
        match known.value() {
            Some(number) => self.constant(ty, number),
            None => self.make(ty, node, known),
        }
    }

    fn make(&mut self, ty: Int, node: Node, known: Known) -> Id {
        let next = Id(u32::try_from(self.made.len()).unwrap_or(u32::MAX));
        let id = *self.found.entry((ty, node.clone())).or_insert(next);
        if id == next {
            self.made.push(Made { node, ty, known });
        }
        id
    }
}

/// The range of the result of an operation, from the ranges of its operands; `None` for a value without operands.
pub(super) fn apply(node: &Node, ty: Int, mut known: impl FnMut(Id) -> Known) -> Option<Known> {
    Some(match *node {
        Node::Unary(op, of) => {
            let of = known(of);
            match op {
                Unary::Negate => of.neg(),
                Unary::Complement => of.not(),
                Unary::Absolute => of.abs(),
                Unary::Sign => of.sign(),
                Unary::CountOnes => of.count_one_bits(),
                Unary::LeadingZeros => of.count_leading_zeros(),
                Unary::TrailingZeros => of.count_trailing_zeros(),
                Unary::FirstLeading => of.first_leading_bit(),
                Unary::FirstTrailing => of.first_trailing_bit(),
                Unary::Reverse => of.reverse_bits(),
                Unary::Cast if of.ty().width == ty.width => of.bitcast(ty),
                Unary::Cast => of.convert(ty),
            }
        }
        Node::Binary(op, left, right) => {
            let (left, right) = (known(left), known(right));
            match op {
                Binary::Add => left.add(right),
                Binary::Subtract => left.sub(right),
                Binary::Multiply => left.mul(right),
                Binary::Divide => left.div(right),
                Binary::Remainder => left.rem(right),
                Binary::Minimum => left.min(right),
                Binary::Maximum => left.max(right),
                Binary::And => left.and(right),
                Binary::Or => left.or(right),
                Binary::Xor => left.xor(right),
                Binary::ShiftLeft => left.shl(right),
                Binary::ShiftRight => left.shr(right),
            }
        }
        Node::Compare(op, left, right) => match Known::compare(op, known(left), known(right)) {
            Some(truth) => Known::exactly(BOOL, i64::from(truth)),
            None => Known::any(BOOL),
        },
        Node::Select(condition, accept, reject) => match known(condition).value() {
            Some(0) => known(reject),
            Some(_) => known(accept),
            None => known(accept).join(known(reject)),
        },
        Node::Constant(_)
        | Node::Unknown(_)
        | Node::Length(_)
        | Node::Input(..)
        | Node::Fixed(..)
        | Node::Merge { .. } => return None,
    })
}

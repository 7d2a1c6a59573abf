//! Statements: accesses, guards around them, switches.

use super::memory::{Memory, WORDS};
use super::number::literal;
use super::{Around, Maker, Number, whole};
use crate::random_kernels::ast::{Atomic, Binary, Block, Expr, Kind, Place, Root, Scalar, Space, Step, Stmt, Type};

impl Maker {
    /// A block from `count` random choices of a statement. Each choice adds no, one or several statements.
    pub(super) fn statements(&mut self, count: usize) -> Block {
        let mut block = Vec::new();
        for _ in 0..count {
            self.statement(&mut block);
        }
        block
    }

    fn statement(&mut self, block: &mut Block) {
        self.budget = self.budget.saturating_sub(1);
        let deeper = self.depth < 4 && self.budget > 0;
        match self.random.below(100) {
            0..14 => self.store(block, None),
            14..22 => self.load(block, None),
            22..27 => self.atomic(block, None),
            27..34 => self.new_number(block),
            34..42 => self.change_number(block),
            42..47 => self.pointer(block),
            47..50 => self.copy(block),
            50..66 if deeper => self.guard(block),
            66..84 if deeper => self.loop_statement(block),
            84..88 if deeper => self.switch(block),
            88..93 => self.call(block),
            93..97 => self.jump(block),
            _ => self.store_own(block),
        }
    }

    /// A store or a compound assignment, at any index or at the given one.
    pub(super) fn store(&mut self, block: &mut Block, index: Option<Expr>) {
        let Some(memory) = self.memory(|memory| memory.writable && !memory.atomic) else { return };
        let (place, scalar) = self.place(&memory, index);
        let value = self.stored(scalar);
        let integer = matches!(scalar, Scalar::U32 | Scalar::I32);
        block.push(match self.random.below(10) {
            0..3 if integer => {
                Stmt::Compound(place, *self.random.pick(&[Binary::Add, Binary::Xor, Binary::Sub]), value)
            }
            3 if integer => Stmt::Step(place, self.random.chance(50)),
            _ => Stmt::Assign(place, value),
        });
    }

    fn load(&mut self, block: &mut Block, index: Option<Expr>) {
        let Some(memory) = self.memory(|memory| !memory.atomic) else { return };
        let (place, scalar) = self.place(&memory, index);
        let word = self.loaded(place, scalar);
        // Through `mix`, the hash of all variables depends on the value.
        self.mix(block, word);
    }

    /// Combines a value with an existing number, or stores it in a new one.
    fn mix(&mut self, block: &mut Block, word: Expr) {
        let targets: Vec<Root> = self
            .numbers
            .iter()
            .filter(|number| number.mutable && number.scalar == Scalar::U32)
            .map(|number| number.root)
            .collect();
        if targets.is_empty() || self.random.chance(30) {
            let (slot, mutable) = (self.slot(), self.random.chance(50));
            self.numbers.push(Number::local(slot, Scalar::U32, mutable));
            return block.push(if mutable { Stmt::Var(slot, Type::U32, Some(word)) } else { Stmt::Let(slot, word) });
        }
        let root = *self.random.pick(&targets);
        let op = *self.random.pick(&[Binary::Xor, Binary::Add]);
        block.push(Stmt::Compound(Place { root, path: Vec::new() }, op, word));
    }

    fn atomic(&mut self, block: &mut Block, index: Option<Expr>) {
        let Some(memory) = self.memory(|memory| memory.atomic) else { return self.store(block, index) };
        let (place, scalar) = self.place(&memory, index);
        let value = self.stored(scalar);
        if !self.alone() {
            // All invocations accumulate, so the order does not change the result.
            return block.push(Stmt::Atomic(None, Atomic::Add, place, Some(value)));
        }
        let ops = [
            Atomic::Add,
            Atomic::Sub,
            Atomic::And,
            Atomic::Or,
            Atomic::Xor,
            Atomic::Min,
            Atomic::Max,
            Atomic::Exchange,
            Atomic::Load,
            Atomic::Store,
        ];
        let op = *self.random.pick(&ops);
        let slot = if op == Atomic::Load || op != Atomic::Store && self.random.chance(60) {
            let slot = self.slot();
            self.numbers.push(Number::local(slot, scalar, false));
            Some(slot)
        } else {
            None
        };
        block.push(Stmt::Atomic(slot, op, place, (op != Atomic::Load).then_some(value)));
    }

    fn new_number(&mut self, block: &mut Block) {
        let (scalar, depth) = (self.scalar(), self.random.between(1, 3));
        let near = self.random.between(1, 9) as u32;
        let value = self.number(scalar, depth, near);
        let (slot, mutable) = (self.slot(), self.random.chance(60));
        block.push(if mutable { Stmt::Var(slot, Type::Scalar(scalar), Some(value)) } else { Stmt::Let(slot, value) });
        self.numbers.push(Number::local(slot, scalar, mutable));
    }

    /// Changes a number, even one that a guard or a loop uses.
    pub(super) fn change_number(&mut self, block: &mut Block) {
        let all: Vec<Number> = self.numbers.iter().filter(|number| number.mutable).cloned().collect();
        if all.is_empty() {
            return self.new_number(block);
        }
        let Number { root, scalar, .. } = *self.random.pick(&all);
        let place = whole(root);
        block.push(match self.random.below(4) {
            0 => Stmt::Step(place, self.random.chance(50)),
            1 => Stmt::Assign(place, self.number(scalar, 2, 8)),
            _ => {
                let op = *self.random.pick(&[Binary::Add, Binary::Sub, Binary::And, Binary::Mul, Binary::Or]);
                let amount = self.random.between(1, 4) as u32;
                Stmt::Compound(place, op, literal(scalar, amount))
            }
        });
    }

    /// Declares `let p = &v[i];`, which later statements use.
    fn pointer(&mut self, block: &mut Block) {
        let composite =
            |memory: &Memory| matches!(&memory.ty, Type::Array(element, _) if !matches!(**element, Type::Scalar(_)));
        // An immutable value has no address.
        let value = |memory: &Memory| matches!(memory.root, Root::Slot(_)) && !memory.writable;
        let Some(memory) = self.memory(|memory| !memory.atomic && composite(memory) && !value(memory)) else {
            return self.store(block, None);
        };
        let Type::Array(element, length) = memory.ty.clone() else { return };
        let index = self.index(length);
        let place = Place { root: memory.root, path: vec![Step::Index(index)] };
        let slot = self.slot();
        let pointer = Type::Pointer(Space::Function, element.clone());
        block.push(Stmt::Let(slot, Expr::new(pointer, Kind::AddressOf(place))));
        if matches!(*element, Type::Struct(_)) && self.is_shared(memory.root) && !self.alone() {
            return;
        }
        self.memories.push(Memory { root: Root::Deref(slot), ty: *element, ..memory });
    }

    /// Declares a copy of a composite, which can be indexed as well.
    fn copy(&mut self, block: &mut Block) {
        let small = |memory: &Memory| !matches!(memory.ty, Type::Array(_, length) if length > 8);
        let whole = |maker: &Self, memory: &Memory| match memory.root {
            Root::Global(index) => !maker.globals[index].unsized_array,
            _ => true,
        };
        let mut all = self.memories.clone();
        all.extend(self.global_memories());
        all.retain(|memory| !memory.atomic && small(memory) && whole(self, memory));
        if all.is_empty() {
            return;
        }
        let memory = self.random.pick(&all).clone();
        let slot = self.slot();
        let value = Expr::new(memory.ty.clone(), Kind::Load(Place { root: memory.root, path: Vec::new() }));
        block.push(Stmt::Let(slot, value));
        self.memories.push(Memory { root: Root::Slot(slot), writable: false, ..memory });
    }

    /// An access inside an `if` that compares its index: the comparison is correct, off by one, inverted, or of another
    /// number.
    fn guard(&mut self, block: &mut Block) {
        let Some(memory) = self.memory(|_| true) else { return };
        let parts = memory.ty.parts(&self.structs);
        let length = parts.len() as u32;
        let (scalar, depth) = (self.scalar(), self.random.below(3));
        let value = self.number(scalar, depth, length);
        let (slot, mutable) = (self.slot(), self.random.chance(40));
        block.push(if mutable { Stmt::Var(slot, Type::Scalar(scalar), Some(value)) } else { Stmt::Let(slot, value) });
        self.numbers.push(Number::local(slot, scalar, mutable));
        let index = Expr::slot(slot, Type::Scalar(scalar));
        let condition = self.compared(index.clone(), scalar, length);
        let shifted = if self.random.chance(25) {
            let op = *self.random.pick(&[Binary::Add, Binary::Sub]);
            Expr::binary(op, index, literal(scalar, 1))
        } else {
            index
        };
        let exit = self.exit();
        if self.random.chance(25)
            && let Some(exit) = exit
        {
            block.push(Stmt::If(condition, vec![exit], Vec::new()));
            return self.access(block, &memory, shifted);
        }
        let inside = |maker: &mut Self, index: Expr| {
            let count = maker.random.below(2);
            let mut inner = maker.statements(count);
            maker.access(&mut inner, &memory, index);
            inner
        };
        let then = self.scoped(|maker| inside(maker, shifted.clone()));
        let otherwise = if self.random.chance(30) { self.scoped(|maker| inside(maker, shifted)) } else { Vec::new() };
        block.push(Stmt::If(condition, then, otherwise));
    }

    /// An access of this memory at this index.
    fn access(&mut self, block: &mut Block, memory: &Memory, index: Expr) {
        let (place, scalar) = self.place(memory, Some(index));
        if memory.atomic {
            let value = self.stored(scalar);
            return block.push(Stmt::Atomic(None, Atomic::Add, place, Some(value)));
        }
        if memory.writable && self.random.chance(60) {
            let value = self.stored(scalar);
            return block.push(Stmt::Assign(place, value));
        }
        let word = self.loaded(place, scalar);
        self.mix(block, word);
    }

    fn switch(&mut self, block: &mut Block) {
        let scalar = self.scalar();
        let selector = self.number(scalar, 1, 4);
        let selector =
            if self.random.chance(60) { Expr::binary(Binary::And, selector, literal(scalar, 3)) } else { selector };
        self.around.push(Around::Switch);
        let mut cases = Vec::new();
        for value in 0..4 {
            if self.random.chance(60) {
                cases.push((vec![value], self.scoped(|maker| maker.statements(1))));
            }
        }
        let default = self.scoped(|maker| maker.statements(1));
        self.around.pop();
        block.push(Stmt::Switch(selector, cases, default));
    }

    /// A statement that leaves the current block; `None` where no such statement is allowed.
    fn exit(&mut self) -> Option<Stmt> {
        let mut exits = Vec::new();
        match self.around.last() {
            Some(Around::Loop { continues }) => {
                exits.push(Stmt::Break);
                if *continues {
                    exits.push(Stmt::Continue);
                }
            }
            Some(Around::Switch) => exits.push(Stmt::Break),
            None => {}
        }
        if !self.main {
            exits.push(Stmt::Return(Some(Expr::u32(self.random.below(9) as u32))));
        } else if self.random.chance(30) {
            // The hash of this invocation is missing then, but not what it stored, nor the hashes of its neighbours.
            exits.push(Stmt::Return(None));
        }
        if exits.is_empty() { None } else { Some(self.random.pick(&exits).clone()) }
    }

    fn jump(&mut self, block: &mut Block) {
        let Some(exit) = self.exit() else { return self.change_number(block) };
        let condition = self.comparison(6);
        block.push(Stmt::If(condition, vec![exit], Vec::new()));
    }

    /// A store into the words of `output` that the invocation owns, or out of their range.
    fn store_own(&mut self, block: &mut Block) {
        if !self.main {
            return self.store(block, None);
        }
        let output = self.globals.iter().position(|global| global.name == "output").unwrap_or_default();
        let length = Expr::new(Type::U32, Kind::Length(output));
        let number = self.number(Scalar::U32, 2, WORDS);
        let small = match self.random.below(4) {
            0 => Expr::binary(Binary::And, number, Expr::u32(WORDS / 2 - 1)),
            1 => Expr::binary(Binary::Rem, number, Expr::u32(WORDS / 2)),
            2 => Expr::binary(Binary::Shr, number, Expr::u32(30)),
            _ => Expr::builtin(Type::U32, crate::random_kernels::ast::Builtin::Min, vec![number, Expr::u32(3)]),
        };
        let own = Expr::binary(Binary::Mul, Expr::slot(super::program::FLAT, Type::U32), Expr::u32(WORDS));
        let own = Expr::binary(Binary::Add, own, small.clone());
        let index = match self.random.below(6) {
            0 => Expr::binary(Binary::Add, length, small),
            1 => Expr::binary(Binary::Sub, Expr::u32(0), Expr::binary(Binary::Add, small, Expr::u32(1))),
            2 => Expr::binary(Binary::Or, small, Expr::u32(0x8000_0000)),
            _ => own,
        };
        let index = if self.random.chance(20) { index.convert(Type::I32) } else { index };
        let place = Place { root: Root::Global(output), path: vec![Step::Index(index)] };
        let value = self.number(Scalar::U32, 1, 8);
        block.push(if self.random.chance(75) {
            Stmt::Assign(place, value)
        } else {
            Stmt::Compound(place, Binary::Add, value)
        });
    }
}

//! Workgroup memory. Between two barriers an array has one use: the invocations own one element each, or all of them
//! only read, or all of them only accumulate. The use may change at a barrier.

use super::Generator;
use super::scope::Variable;
use crate::random_kernels::ast::{Atomic, Binary, Block, Expr, Global, Place, Root, Space, Step, Stmt, Type};

/// A workgroup variable, with its use between the last barrier and the next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shared {
    global: usize,
    ty: Type,
    state: State,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// Invocation i owns element (i + shift) modulo the size of the workgroup; with `reversed`, invocations are counted
    /// from the last.
    Owned { shift: u32, reversed: bool },
    /// All invocations may read the variable, and none writes it.
    Read,
    /// All invocations accumulate with this operation, and use no result.
    Accumulate(Atomic),
    /// A scalar that only the invocation with this index may access.
    OfOne(u32),
}

impl Generator {
    pub(super) fn size(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    pub(super) fn make_shared_globals(&mut self) {
        let size = self.size();
        let make = |this: &mut Self, ty: Type, atomic: bool| {
            let name = format!("w{}", this.globals.len());
            let (space, binding, unsized_array, init) = (Space::Workgroup, None, false, None);
            this.globals.push(Global { name, ty, space, binding, atomic, unsized_array, init });
        };
        for _ in 0..self.random.between(1, 2) {
            let mut element = self.any_type(false, 1);
            if element.scalars(&self.structs) as u32 * size > 2000 {
                element = self.numeric(false);
            }
            make(self, Type::Array(Box::new(element), size), false);
        }
        if self.random.chance(60) {
            let ty = self.numeric(false);
            make(self, ty, false);
        }
        let atomics = [Type::U32, Type::I32];
        if self.random.chance(70) {
            let element = Box::new(self.random.pick(&atomics).clone());
            make(self, Type::Array(element, size), true);
        }
        if self.random.chance(40) {
            let ty = self.random.pick(&atomics).clone();
            make(self, ty, true);
        }
    }

    /// Sets the use of workgroup memory at the start of a function. `at_start` is true for `main`, where any use is
    /// possible; other functions only read before their first barrier.
    pub(super) fn start_shared(&mut self, at_start: bool) {
        self.shared.clear();
        for (global, item) in self.globals.iter().enumerate() {
            if item.space == Space::Workgroup {
                self.shared.push(Shared { global, ty: item.ty.clone(), state: State::Read });
            }
        }
        if at_start {
            self.roll();
        }
    }

    fn roll(&mut self) {
        let size = self.size();
        let mut shared = std::mem::take(&mut self.shared);
        for item in &mut shared {
            let atomic = self.globals[item.global].atomic;
            let array = matches!(item.ty, Type::Array(..));
            let ops =
                [Atomic::Add, Atomic::Add, Atomic::Sub, Atomic::And, Atomic::Or, Atomic::Xor, Atomic::Min, Atomic::Max];
            item.state = match self.random.below(10) {
                0..4 if array => {
                    let shift = self.random.below(size as usize) as u32;
                    State::Owned { shift, reversed: self.random.chance(30) }
                }
                0..4 => State::OfOne(self.random.below(size as usize) as u32),
                4..8 if atomic => State::Accumulate(*self.random.pick(&ops)),
                _ => State::Read,
            };
        }
        self.shared = shared;
    }

    /// Adds a barrier, and chooses the use of workgroup memory after the barrier.
    pub(super) fn barrier(&mut self, block: &mut Block) {
        block.push(Stmt::WorkgroupBarrier);
        self.roll();
    }

    /// The index of the element that the executing invocation owns.
    fn own_element(&self, shift: u32, reversed: bool) -> Option<Step> {
        let (index, size) = (Expr::slot(self.index?, Type::U32), self.size());
        let index = if reversed { Expr::binary(Binary::Sub, Expr::u32(size - 1), index) } else { index };
        let index = if shift == 0 {
            index
        } else {
            Expr::binary(Binary::Rem, Expr::binary(Binary::Add, index, Expr::u32(shift)), Expr::u32(size))
        };
        Some(Step::Index(index))
    }

    /// The workgroup memory that expressions and assignments may use at the current point of the kernel.
    pub(super) fn shared_variables(&self) -> Vec<Variable> {
        let mut all = Vec::new();
        if self.index.is_none() {
            return all;
        }
        for item in &self.shared {
            if self.globals[item.global].atomic {
                continue;
            }
            let mut variable = Variable::global(item.global, item.ty.clone());
            match (&item.state, &item.ty) {
                (State::Read, _) => all.push(variable),
                (State::Owned { shift, reversed }, Type::Array(element, _)) => {
                    let Some(step) = self.own_element(*shift, *reversed) else { continue };
                    variable.prefix.push(step);
                    variable.ty = (**element).clone();
                    variable.mutable = true;
                    all.push(variable);
                }
                _ => {}
            }
        }
        all
    }

    /// Adds a barrier, an atomic operation, or a write by one invocation.
    pub(super) fn shared_statement(&mut self, block: &mut Block) {
        if self.uniform && self.random.chance(45) {
            return self.meeting(block);
        }
        if self.shared.is_empty() || self.random.chance(25) {
            return self.accumulate_in_storage(block);
        }
        let item = self.random.pick(&self.shared).clone();
        let Some(index) = self.index else { return };
        let element = match &item.ty {
            Type::Array(element, _) => (**element).clone(),
            ty => ty.clone(),
        };
        let root = Root::Global(item.global);
        let atomic = self.globals[item.global].atomic;
        let anywhere = |this: &mut Self| match item.ty {
            Type::Array(_, length) => vec![Step::Index(this.index_below(length, 0).0)],
            _ => Vec::new(),
        };
        match item.state {
            State::OfOne(who) => {
                let value = self.value(&element, 2).expr;
                let place = Place { root, path: Vec::new() };
                let store = if atomic {
                    Stmt::Atomic(None, Atomic::Store, place, Some(value))
                } else {
                    Stmt::Assign(place, value)
                };
                let condition = Expr::binary(Binary::Equal, Expr::slot(index, Type::U32), Expr::u32(who));
                block.push(Stmt::If(condition, vec![store], Vec::new()));
            }
            State::Accumulate(op) => {
                let path = anywhere(self);
                let value = self.value(&element, 2).expr;
                block.push(Stmt::Atomic(None, op, Place { root, path }, Some(value)));
            }
            State::Read if atomic => {
                let path = anywhere(self);
                self.atomic_result(block, Atomic::Load, Place { root, path }, element, None);
            }
            State::Owned { shift, reversed } if atomic => {
                let Some(step) = self.own_element(shift, reversed) else { return };
                let ops = [
                    Atomic::Add,
                    Atomic::Sub,
                    Atomic::And,
                    Atomic::Or,
                    Atomic::Xor,
                    Atomic::Min,
                    Atomic::Max,
                    Atomic::Exchange,
                ];
                let op = *self.random.pick(&ops);
                let value = self.value(&element, 2).expr;
                self.atomic_result(block, op, Place { root, path: vec![step] }, element, Some(value));
            }
            _ => {
                let ty = element;
                if let Some(place) = self.target(&ty) {
                    let value = self.value(&ty, 3).expr;
                    block.push(Stmt::Assign(place, value));
                }
            }
        }
    }

    fn atomic_result(&mut self, block: &mut Block, op: Atomic, place: Place, ty: Type, operand: Option<Expr>) {
        let slot = self.slot();
        block.push(Stmt::Atomic(Some(slot), op, place, operand));
        self.variables.push(Variable::local(slot, ty, false));
    }

    /// Adds a barrier or a `workgroupUniformLoad`, which all invocations reach together.
    fn meeting(&mut self, block: &mut Block) {
        let shared = self.shared.clone();
        let loadable: Vec<_> = shared.iter().filter(|item| !self.globals[item.global].atomic).collect();
        if self.random.chance(25) && !loadable.is_empty() {
            let item = (*self.random.pick(&loadable)).clone();
            let (path, ty) = match item.ty {
                Type::Array(element, length) => {
                    let at = self.random.below(length as usize) as u32;
                    (vec![Step::Index(Expr::u32(at))], *element)
                }
                ty => (Vec::new(), ty),
            };
            let slot = self.slot();
            block.push(Stmt::UniformLoad(slot, Place { root: Root::Global(item.global), path }));
            let mut variable = Variable::local(slot, ty, false);
            variable.uniform = true;
            self.variables.push(variable);
            return self.roll();
        }
        if self.random.chance(10) {
            return block.push(Stmt::StorageBarrier);
        }
        self.barrier(block);
    }

    /// Adds an atomic operation on storage that all workgroups share; each element is only used with one operation.
    fn accumulate_in_storage(&mut self, block: &mut Block) {
        let all: Vec<(usize, Type)> = self
            .globals
            .iter()
            .enumerate()
            .filter(|(_, global)| global.space == Space::Output && global.atomic)
            .map(|(index, global)| (index, global.ty.clone()))
            .collect();
        if all.is_empty() {
            return;
        }
        let (global, ty) = self.random.pick(&all).clone();
        let Type::Array(element, _) = ty else { return };
        let ops = [Atomic::Add, Atomic::Or, Atomic::Xor, Atomic::Min, Atomic::Max, Atomic::And];
        let at = self.random.below(ops.len());
        let value = self.value(&element, 2).expr;
        // Elements at a distance of `ops.len()` have the same operation.
        let index = if self.random.chance(50) {
            Expr::u32(at as u32)
        } else {
            let half = Expr::binary(Binary::And, self.at_runtime(&Type::U32, 1), Expr::u32(1));
            let skipped = Expr::binary(Binary::Mul, half, Expr::u32(ops.len() as u32));
            Expr::binary(Binary::Add, skipped, Expr::u32(at as u32))
        };
        let place = Place { root: Root::Global(global), path: vec![Step::Index(index)] };
        block.push(Stmt::Atomic(None, ops[at], place, Some(value)));
    }
}

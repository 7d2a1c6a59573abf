//! Branches and loops.

use super::Generator;
use super::scope::{Loop, Variable};
use crate::random_kernels::ast::{Binary, Block, Builtin, Expr, Place, Root, Scalar, Stmt, Type};

impl Generator {
    /// Adds an `if`; where control flow is uniform, half of the conditions are uniform as well.
    pub(super) fn branch(&mut self, block: &mut Block) {
        let uniform = self.uniform && self.random.chance(50);
        let condition = if uniform { self.uniform_condition() } else { self.condition() };
        let (first, second) = (self.random.between(1, 3), self.random.between(1, 3));
        let then = self.arm(uniform, first);
        let otherwise = if self.random.chance(55) { self.arm(uniform, second) } else { Vec::new() };
        block.push(Stmt::If(condition, then, otherwise));
    }

    fn arm(&mut self, uniform: bool, count: usize) -> Block {
        if uniform {
            self.together(|this| this.statements(count))
        } else {
            self.divergent(|this| this.statements(count))
        }
    }

    pub(super) fn switch(&mut self, block: &mut Block) {
        let uniform = self.uniform && self.random.chance(40);
        let scalar = *self.random.pick(&[Scalar::U32, Scalar::I32]);
        let ty = Type::Scalar(scalar);
        let before = self.only_uniform;
        self.only_uniform |= uniform;
        let selector = self.at_runtime(&ty, 2);
        self.only_uniform = before;
        let count = self.random.between(2, 6);
        let modulus = if scalar == Scalar::U32 { Expr::u32(count as u32) } else { Expr::i32(count as i32) };
        let selector = Expr::binary(Binary::Rem, selector, modulus);
        self.loops.push(Loop { switch: true, uniform, shared: self.shared.clone() });
        let lowest = if scalar == Scalar::U32 { 0 } else { 1 - count as i64 };
        let mut cases: Vec<(Vec<i64>, Block)> = Vec::new();
        for value in lowest..count as i64 {
            if self.random.chance(25) {
                continue;
            }
            match cases.last_mut() {
                Some((selectors, _)) if self.random.chance(30) => selectors.push(value),
                _ => {
                    let statements = self.random.between(1, 2);
                    let arm = self.arm(uniform, statements);
                    cases.push((vec![value], arm));
                }
            }
        }
        let default = if self.random.chance(60) { self.arm(uniform, 1) } else { Vec::new() };
        self.loops.pop();
        block.push(Stmt::Switch(selector, cases, default));
    }

    pub(super) fn loop_statement(&mut self, block: &mut Block) {
        let uniform = self.uniform && self.random.chance(50);
        let rounds = self.random.between(1, 5) as u32;
        self.loops.push(Loop { switch: false, uniform, shared: self.shared.clone() });
        self.times *= u64::from(rounds);
        let count = self.random.between(1, 4);
        match self.random.below(4) {
            0..2 => self.for_loop(block, uniform, rounds, count),
            2 => self.while_loop(block, uniform, rounds, count),
            _ => self.plain_loop(block, uniform, rounds, count),
        }
        self.times /= u64::from(rounds);
        self.loops.pop();
    }

    fn bound(&mut self, uniform: bool, rounds: u32) -> Expr {
        if self.random.chance(40) {
            return Expr::u32(rounds);
        }
        let before = self.only_uniform;
        self.only_uniform |= uniform;
        let value = self.at_runtime(&Type::U32, 1);
        self.only_uniform = before;
        if self.random.chance(50) {
            Expr::binary(Binary::Rem, value, Expr::u32(rounds + 1))
        } else {
            Expr::builtin(Type::U32, Builtin::Min, vec![value, Expr::u32(rounds)])
        }
    }

    fn counter(&mut self, uniform: bool) -> usize {
        let slot = self.slot();
        let mut counter = Variable::local(slot, Type::U32, false);
        counter.uniform = uniform;
        self.variables.push(counter);
        slot
    }

    fn for_loop(&mut self, block: &mut Block, uniform: bool, rounds: u32, count: usize) {
        let bound = self.bound(uniform, rounds);
        let visible = self.variables.len();
        let slot = self.counter(uniform);
        let body = self.arm(uniform, count);
        self.variables.truncate(visible);
        block.push(Stmt::For(slot, bound, body));
    }

    /// A loop whose body advances the counter first, so that no `continue` skips that.
    fn while_loop(&mut self, block: &mut Block, uniform: bool, rounds: u32, count: usize) {
        let slot = self.counter(uniform);
        block.push(Stmt::Var(slot, Type::U32, Some(Expr::u32(0))));
        let counter = Expr::slot(slot, Type::U32);
        let in_time = Expr::binary(Binary::Less, counter, Expr::u32(rounds));
        let condition = if uniform { self.uniform_condition() } else { self.condition() };
        let condition = if self.random.chance(50) { Expr::binary(Binary::BothOf, in_time, condition) } else { in_time };
        let mut body = vec![Stmt::Step(Place { root: Root::Slot(slot), path: Vec::new() }, true)];
        body.extend(self.arm(uniform, count));
        block.push(Stmt::While(condition, body));
    }

    fn plain_loop(&mut self, block: &mut Block, uniform: bool, rounds: u32, count: usize) {
        let slot = self.counter(uniform);
        block.push(Stmt::Var(slot, Type::U32, Some(Expr::u32(0))));
        let mut counter = Expr::slot(slot, Type::U32);
        let step = Stmt::Step(Place { root: Root::Slot(slot), path: Vec::new() }, true);
        if self.random.chance(50) {
            let stop = Expr::binary(Binary::GreaterEqual, counter, Expr::u32(rounds));
            let mut body = vec![Stmt::If(stop, vec![Stmt::Break], Vec::new()), step];
            body.extend(self.arm(uniform, count));
            return block.push(Stmt::Loop(body, Vec::new(), None));
        }
        let body = self.arm(uniform, count);
        let mut continuing = vec![step];
        if self.random.chance(60)
            && let Some(place) = self.target(&Type::U32)
        {
            let value = self.expr(&Type::U32, 1).expr;
            continuing.push(Stmt::Compound(place, Binary::Xor, value));
        }
        counter = Expr::binary(Binary::GreaterEqual, counter, Expr::u32(rounds));
        block.push(Stmt::Loop(body, continuing, Some(counter)));
    }
}

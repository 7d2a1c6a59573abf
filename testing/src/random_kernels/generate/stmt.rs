//! Statements that do not branch.

use super::Generator;
use super::scope::Variable;
use crate::random_kernels::ast::{Binary, Block, Expr, Kind, Place, Root, Scalar, Space, Stmt, Type};

impl Generator {
    /// A block from `count` random choices of a statement. A choice may add several statements.
    pub(super) fn statements(&mut self, count: usize) -> Block {
        let mut block = Vec::new();
        for _ in 0..count {
            self.statement(&mut block);
        }
        block
    }

    fn statement(&mut self, block: &mut Block) {
        self.cost += self.times;
        let branch = self.depth < 4 && self.affordable(8);
        match self.random.below(100) {
            0..14 => self.let_statement(block),
            14..28 => self.var_statement(block),
            28..42 => self.assignment(block),
            42..52 => self.compound(block),
            52..55 => self.pointer(block),
            55..68 if branch => self.branch(block),
            68..72 if branch => self.switch(block),
            72..82 if branch => self.loop_statement(block),
            82..87 => self.call_statement(block),
            87..91 => self.jump(block),
            91..93 if branch => {
                let count = self.random.between(1, 3);
                let inner = if self.uniform {
                    self.together(|this| this.statements(count))
                } else {
                    self.divergent(|this| this.statements(count))
                };
                block.push(Stmt::Block(inner));
            }
            93.. if self.index.is_some() => self.shared_statement(block),
            _ => self.assignment(block),
        }
    }

    fn let_statement(&mut self, block: &mut Block) {
        let uniform = self.uniform && self.random.chance(20);
        let before = self.only_uniform;
        self.only_uniform |= uniform;
        let made = if self.random.chance(6) {
            self.product_of_matrices()
        } else {
            let ty = if uniform { self.numeric(false) } else { self.any_type(false, 1) };
            let made = self.expr(&ty, 3);
            if matches!(ty, Type::Array(..) | Type::Struct(_)) { self.storable(made) } else { made }
        };
        self.only_uniform = before;
        let slot = self.slot();
        let mut variable = Variable::local(slot, made.expr.ty.clone(), false);
        (variable.bound, variable.fraction, variable.uniform) = (made.bound, made.fraction, uniform);
        self.variables.push(variable);
        block.push(Stmt::Let(slot, made.expr));
    }

    fn product_of_matrices(&mut self) -> super::expr::Made {
        let mut size = || self.random.between(2, 4) as u8;
        let (columns, inner, rows) = (size(), size(), size());
        let left = self.value(&Type::Matrix(inner, rows), 1);
        let right = self.value(&Type::Matrix(columns, inner), 1);
        let mut expr = Expr::binary(Binary::Mul, left.expr, right.expr);
        expr.ty = Type::Matrix(columns, rows);
        let bound = f64::from(inner) * left.bound * right.bound;
        super::expr::Made { expr, bound, fraction: 0, constant: left.constant && right.constant }
    }

    fn var_statement(&mut self, block: &mut Block) {
        let ty = self.any_type(false, 2);
        let init = (!self.random.chance(15)).then(|| self.value(&ty, 3).expr);
        let slot = self.slot();
        self.variables.push(Variable::local(slot, ty.clone(), true));
        block.push(Stmt::Var(slot, ty, init));
    }

    fn assignment(&mut self, block: &mut Block) {
        if let Some((place, ty)) = self.any_target() {
            let value = self.value(&ty, 3).expr;
            block.push(Stmt::Assign(place, value));
        } else {
            self.var_statement(block);
        }
    }

    fn compound(&mut self, block: &mut Block) {
        let width = *self.random.pick(&[1, 1, 1, 2, 3, 4]);
        let scalar = *self.random.pick(&[Scalar::U32, Scalar::I32]);
        let ty = Type::vector(scalar, width);
        let Some(place) = self.target(&ty) else { return self.assignment(block) };
        if width == 1 && self.random.chance(25) {
            let up = self.random.chance(60);
            return block.push(Stmt::Step(place, up));
        }
        let ops = [Binary::Add, Binary::Sub, Binary::Mul, Binary::And, Binary::Or, Binary::Xor];
        let op = *self.random.pick(&ops);
        let made = self.expr(&ty, 2);
        block.push(Stmt::Compound(place, op, made.expr));
    }

    /// Adds a declaration of a pointer, such as `let p = &v.x[i];`.
    fn pointer(&mut self, block: &mut Block) {
        let variables: Vec<Variable> = self
            .variables
            .iter()
            .filter(|variable| variable.mutable && matches!(variable.root, Root::Slot(_)) && variable.prefix.is_empty())
            .filter(|variable| !matches!(variable.ty, Type::Scalar(_) | Type::Vector(..)))
            .cloned()
            .collect();
        if variables.is_empty() {
            return self.var_statement(block);
        }
        let variable = self.random.pick(&variables).clone();
        let parts = variable.ty.parts(&self.structs);
        let ty = self.random.pick(&parts).clone();
        // The pointer may address any location in this variable that has exactly this type, through new indices.
        let Some(place) = self.part_of(&variable, &ty) else { return };
        let slot = self.slot();
        let pointer = Expr::new(Type::Pointer(Space::Function, Box::new(ty.clone())), Kind::AddressOf(place));
        let mut target = Variable::local(slot, ty, true);
        (target.root, target.space) = (Root::Deref(slot), None);
        self.variables.push(target);
        block.push(Stmt::Let(slot, pointer));
    }

    fn part_of(&mut self, variable: &Variable, ty: &Type) -> Option<Place> {
        let parts = variable.ty.parts(&self.structs);
        let ways: Vec<usize> = (0..parts.len()).filter(|way| parts[*way] == *ty).collect();
        let way = *ways.get(self.random.below(ways.len().max(1)))?;
        let step = if matches!(variable.ty, Type::Struct(_)) {
            crate::random_kernels::ast::Step::Member(way)
        } else {
            crate::random_kernels::ast::Step::Index(self.index_below(parts.len() as u32, way as u32).0)
        };
        Some(Place { root: variable.root, path: vec![step] })
    }

    /// Adds a call by all active invocations.
    fn call_statement(&mut self, block: &mut Block) {
        let can = |index: &usize| {
            let callable = &self.callables[*index];
            self.affordable(callable.cost) && (!callable.meets || self.uniform && self.index.is_some())
        };
        let fitting: Vec<usize> = (0..self.callables.len()).filter(can).collect();
        if fitting.is_empty() {
            return self.assignment(block);
        }
        let meeting: Vec<usize> = fitting.iter().copied().filter(|index| self.callables[*index].meets).collect();
        let from = if !meeting.is_empty() && self.random.chance(60) { meeting } else { fitting };
        let function = *self.random.pick(&from);
        let Some(arguments) = self.arguments(function, 2) else { return self.assignment(block) };
        let (result, meets) = (self.callables[function].result.clone(), self.callables[function].meets);
        let slot = match result {
            Some(ty) if self.random.chance(85) => {
                let slot = self.slot();
                self.variables.push(Variable::local(slot, ty, false));
                Some(slot)
            }
            _ => None,
        };
        block.push(Stmt::Call(slot, function, arguments));
        if meets {
            self.barrier(block);
        }
    }

    /// Adds a conditional `break`, `continue` or `return`.
    fn jump(&mut self, block: &mut Block) {
        let depth = self.loops.len();
        let within = |at: &super::Loop| !at.uniform || self.uniform && at.shared == self.shared;
        let can_break = self.loops.last().is_some_and(within);
        let around = self.loops.iter().rposition(|at| !at.switch);
        let can_continue =
            around.is_some_and(|at| within(&self.loops[at]) && (at + 1 == depth || !self.uniform_switch(at)));
        // A function returns early only if it has no barriers.
        let can_return = self.result.is_some() && self.index.is_none();
        let mut jumps = Vec::new();
        if can_break {
            jumps.push(Stmt::Break);
        }
        if can_continue {
            jumps.push(Stmt::Continue);
        }
        if can_return && let Some(ty) = self.result.clone() {
            jumps.push(Stmt::Return(Some(self.value(&ty, 2).expr)));
        }
        if jumps.is_empty() {
            return self.assignment(block);
        }
        let jump = self.random.pick(&jumps).clone();
        let together = self.uniform;
        let condition = if together { self.uniform_condition() } else { self.condition() };
        let mut then = self.divergent(|this| if this.random.chance(40) { this.statements(1) } else { Vec::new() });
        then.push(jump);
        block.push(Stmt::If(condition, then, Vec::new()));
    }

    /// Whether the current point, where control flow is not uniform, is within a `switch` in loop `at` that all
    /// invocations entered together.
    fn uniform_switch(&self, at: usize) -> bool {
        self.loops[at + 1..].iter().any(|inner| inner.uniform && !self.uniform)
    }

    pub(super) fn condition(&mut self) -> Expr {
        if self.random.chance(45) {
            return self.even_condition();
        }
        let condition = self.expr(&Type::BOOL, 3);
        if condition.constant { self.runtime(&Type::BOOL).expr } else { condition.expr }
    }

    /// A condition that is true for many values and false for many values.
    fn even_condition(&mut self) -> Expr {
        let word = if self.only_uniform || self.random.chance(30) {
            self.at_runtime(&Type::U32, 2)
        } else if self.random.chance(50) {
            self.input_word()
        } else {
            self.runtime(&Type::U32).expr
        };
        if self.random.chance(40) {
            let bit = Expr::binary(Binary::And, word, Expr::u32(1 << self.random.below(5)));
            let op = *self.random.pick(&[Binary::Equal, Binary::NotEqual]);
            return Expr::binary(op, bit, Expr::u32(0));
        }
        let modulus = self.random.between(2, 5);
        let op = *self.random.pick(&[Binary::Equal, Binary::NotEqual, Binary::Less, Binary::GreaterEqual]);
        let limit = Expr::u32(self.random.between(1, modulus - 1) as u32);
        Expr::binary(op, Expr::binary(Binary::Rem, word, Expr::u32(modulus as u32)), limit)
    }

    /// A condition with the same value in all invocations of a workgroup.
    pub(super) fn uniform_condition(&mut self) -> Expr {
        let before = std::mem::replace(&mut self.only_uniform, true);
        let condition = self.condition();
        self.only_uniform = before;
        condition
    }
}

//! Rewrites a function so that its arrays are in variables.

use anywarp_backend::statements;
use naga::{Block, Expression, Function, Handle, LocalVariable, Module, Span, Statement};
use rustc_hash::FxHashMap;

use super::Plan;
use super::constants::Constants;
use crate::rebuild::emitter::Emitter;
use crate::rebuild::operands::{
    for_each_operand, for_each_statement_operand, map_operands, map_statement_operands, statement_result,
    statement_result_mut,
};

/// Rewrites a function of `module` so that the arrays that `plan` lists are in variables.
pub(super) fn write(function: &Function, plan: &Plan, constants: &mut Constants, module: &mut Module) -> Function {
    let new = Function {
        name: function.name.clone(),
        arguments: function.arguments.clone(),
        result: function.result.clone(),
        local_variables: function.local_variables.clone(),
        diagnostic_filter_leaf: function.diagnostic_filter_leaf,
        ..Function::default()
    };
    let mut writing = Writing {
        old: function,
        plan,
        new,
        moved: Vec::with_capacity(function.expressions.len()),
        pointers: FxHashMap::default(),
        stored: FxHashMap::default(),
    };
    writing.declare(constants, module);
    writing.expressions();
    let mut body = Emitter::default();
    for (handle, expression) in function.expressions.iter() {
        if matches!(expression, Expression::FunctionArgument(_)) {
            writing.store(handle, &mut body);
        }
    }
    writing.fill(&function.body, &mut body);
    writing.new.body = body.finish();
    writing.new
}

struct Writing<'a> {
    old: &'a Function,
    plan: &'a Plan,
    new: Function,
    /// By expression of the old function: the expression of the new function with the same value.
    moved: Vec<Handle<Expression>>,
    /// For each expression of the old function that is an array or an element of one: the pointer to the same array or
    /// element in a variable.
    pointers: FxHashMap<Handle<Expression>, Handle<Expression>>,
    /// For each array of the old function that has to be stored after its evaluation: the pointer to its variable.
    /// Constant arrays have initial values instead.
    stored: FxHashMap<Handle<Expression>, Handle<Expression>>,
}

impl Writing<'_> {
    /// Declares a variable for each array.
    fn declare(&mut self, constants: &mut Constants, module: &mut Module) {
        // The arrays are visited in the order of the source, so that the result is deterministic.
        for (array, _) in self.old.expressions.iter() {
            let Some(ty) = self.plan.arrays.get(&array).copied() else { continue };
            let span = self.old.expressions.get_span(array);
            let pointer = match constants.variable(self.old, array, ty, module) {
                Some(variable) => self.new.expressions.append(Expression::GlobalVariable(variable), span),
                None => {
                    let name = self.old.named_expressions.get(&array).map_or("array", String::as_str).to_owned();
                    let variable = LocalVariable { name: Some(name), ty, init: None };
                    let variable = self.new.local_variables.append(variable, span);
                    let pointer = self.new.expressions.append(Expression::LocalVariable(variable), span);
                    self.stored.insert(array, pointer);
                    pointer
                }
            };
            self.pointers.insert(array, pointer);
        }
    }

    fn expressions(&mut self) {
        let values = self.values();
        for (handle, expression) in self.old.expressions.iter() {
            let span = self.old.expressions.get_span(handle);
            let mut expression = expression.clone();
            let moved = if self.plan.inside[handle.index()] {
                match &mut expression {
                    Expression::Access { base, index } => {
                        (*base, *index) = (self.pointers[base], self.moved[index.index()]);
                    }
                    Expression::AccessIndex { base, .. } => *base = self.pointers[base],
                    _ => {}
                }
                let pointer = self.new.expressions.append(expression, span);
                self.pointers.insert(handle, pointer);
                let load = Expression::Load { pointer };
                if values[handle.index()] { self.new.expressions.append(load, span) } else { pointer }
            } else {
                map_operands(&mut expression, |operand| self.moved[operand.index()]);
                self.new.expressions.append(expression, span)
            };
            self.moved.push(moved);
        }
        for (_, variable) in self.new.local_variables.iter_mut() {
            variable.init = variable.init.map(|init| self.moved[init.index()]);
        }
        for (handle, name) in &self.old.named_expressions {
            // An expression of the old function that became only a step of a pointer has no value that could have a
            // name.
            if !self.plan.inside[handle.index()] || values[handle.index()] {
                self.new.named_expressions.insert(self.moved[handle.index()], name.clone());
            }
        }
    }

    /// By expression: whether the whole value is used, rather than only elements that are read through a pointer.
    fn values(&self) -> Vec<bool> {
        let mut used = vec![false; self.old.expressions.len()];
        for (handle, expression) in self.old.expressions.iter() {
            match *expression {
                Expression::Access { index, .. } if self.plan.inside[handle.index()] => used[index.index()] = true,
                Expression::AccessIndex { .. } if self.plan.inside[handle.index()] => {}
                _ => for_each_operand(expression, |operand| used[operand.index()] = true),
            }
        }
        for (statement, _) in statements(&self.old.body) {
            for_each_statement_operand(statement, |operand| used[operand.index()] = true);
        }
        used
    }

    /// Stores an array that was just evaluated to its variable, if the array has one.
    fn store(&self, array: Handle<Expression>, out: &mut Emitter) {
        if let Some(pointer) = self.stored.get(&array) {
            let store = Statement::Store { pointer: *pointer, value: self.moved[array.index()] };
            out.push(store, self.old.expressions.get_span(array));
        }
    }

    fn fill(&self, block: &Block, out: &mut Emitter) {
        for (statement, span) in block.span_iter() {
            self.statement(statement, *span, out);
        }
    }

    fn block(&self, block: &Block) -> Block {
        let mut out = Emitter::default();
        self.fill(block, &mut out);
        out.finish()
    }

    fn statement(&self, statement: &Statement, span: Span, out: &mut Emitter) {
        let statement = match statement {
            Statement::Emit(range) => {
                for old in range.clone() {
                    self.emit(old, span, out);
                }
                return;
            }
            Statement::Block(inner) => Statement::Block(self.block(inner)),
            Statement::If { condition, accept, reject } => Statement::If {
                condition: self.moved[condition.index()],
                accept: self.block(accept),
                reject: self.block(reject),
            },
            Statement::Switch { selector, cases } => {
                let mut cases = cases.clone();
                cases.iter_mut().for_each(|case| case.body = self.block(&case.body));
                Statement::Switch { selector: self.moved[selector.index()], cases }
            }
            Statement::Loop { body, continuing, break_if } => Statement::Loop {
                body: self.block(body),
                continuing: self.block(continuing),
                break_if: break_if.map(|condition| self.moved[condition.index()]),
            },
            other => {
                let mut same = other.clone();
                map_statement_operands(&mut same, |operand| self.moved[operand.index()]);
                if let Some(result) = statement_result_mut(&mut same) {
                    *result = self.moved[result.index()];
                }
                out.push(same, span);
                if let Some(result) = statement_result(other) {
                    self.store(result, out);
                }
                return;
            }
        };
        out.push(statement, span);
    }

    fn emit(&self, old: Handle<Expression>, span: Span, out: &mut Emitter) {
        let moved = self.moved[old.index()];
        if let Some(pointer) = self.pointers.get(&old).filter(|_| self.plan.inside[old.index()]) {
            out.emit(*pointer, span);
            if moved == *pointer {
                return;
            }
        }
        out.emit(moved, span);
        self.store(old, out);
    }
}

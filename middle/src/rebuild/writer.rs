//! Writes a new function: expressions in a new arena, and the statements that emit them.

use naga::{Block, Expression, Function, Handle, Range, Span, Statement};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::emitter::Emitter;
use super::key::{Key, key};
use super::operands::needs_emit;

/// A function that is being written, statement by statement.
pub(crate) struct Writer {
    /// The function so far; it has no body until [`finish`](Self::finish).
    pub(crate) function: Function,
    open: Vec<Emitter>,
    /// The expressions of the new function that need no statement, by key, so that no such expression is added twice.
    free: FxHashMap<Key, Handle<Expression>>,
}

impl Writer {
    /// Returns a function with the signature and the variables of `source`, without expressions, names and body. The
    /// variables' initial values are handles of `source` until [`initialise`](Self::initialise) is called.
    pub(crate) fn like(source: &Function) -> Self {
        let function = Function {
            name: source.name.clone(),
            arguments: source.arguments.clone(),
            result: source.result.clone(),
            local_variables: source.local_variables.clone(),
            diagnostic_filter_leaf: source.diagnostic_filter_leaf,
            ..Function::default()
        };
        Self {
            function,
            open: vec![Emitter::default()],
            free: FxHashMap::with_capacity_and_hasher(source.expressions.len() / 4, FxBuildHasher),
        }
    }

    /// Copies the initial values of all variables from `source`.
    pub(crate) fn initialise(&mut self, source: &Function) {
        let mut copied = FxHashMap::default();
        let mut variables = std::mem::take(&mut self.function.local_variables);
        for (_, variable) in variables.iter_mut() {
            if let Some(init) = variable.init {
                variable.init = Some(self.constant(source, init, &mut copied));
            }
        }
        self.function.local_variables = variables;
    }

    /// Copies a constant expression of `source`, which no statement emits.
    pub(crate) fn constant(
        &mut self,
        source: &Function,
        root: Handle<Expression>,
        copied: &mut FxHashMap<Handle<Expression>, Handle<Expression>>,
    ) -> Handle<Expression> {
        use super::operands::{for_each_operand, map_operands};
        let mut stack = vec![root];
        while let Some(&next) = stack.last() {
            let waiting = stack.len();
            if !copied.contains_key(&next) {
                for_each_operand(&source.expressions[next], |operand| {
                    if !copied.contains_key(&operand) {
                        stack.push(operand);
                    }
                });
            }
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            if copied.contains_key(&next) {
                continue;
            }
            let mut expression = source.expressions[next].clone();
            map_operands(&mut expression, |operand| copied[&operand]);
            let span = source.expressions.get_span(next);
            let made =
                if needs_emit(&expression) { self.result(expression, span) } else { self.free(expression, span) };
            copied.insert(next, made);
        }
        copied[&root]
    }

    /// Adds an expression that needs no statement, or returns an equal expression that was added before.
    pub(crate) fn free(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        match key(&expression) {
            Some(key) => {
                let expressions = &mut self.function.expressions;
                *self.free.entry(key).or_insert_with(|| expressions.append(expression, span))
            }
            None => self.function.expressions.append(expression, span),
        }
    }

    /// Adds an expression that is the result of the next statement, or a component of an initial value.
    pub(crate) fn result(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.function.expressions.append(expression, span)
    }

    /// Adds an expression and emits it.
    pub(crate) fn emit(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        let made = self.function.expressions.append(expression, span);
        if let Some(block) = self.open.last_mut() {
            block.emit(made, span);
        }
        made
    }

    /// Adds a statement after the expressions that were emitted so far.
    pub(crate) fn push(&mut self, statement: Statement, span: Span) {
        if let Some(block) = self.open.last_mut() {
            block.push(statement, span);
        }
    }

    /// Emits expressions that were added before without a statement.
    pub(crate) fn emit_made(&mut self, made: &[Handle<Expression>]) {
        let mut rest = made;
        while let [first, ..] = rest {
            let run = rest.windows(2).take_while(|pair| pair[0].index() + 1 == pair[1].index()).count() + 1;
            let last = rest[run - 1];
            let span = self.function.expressions.get_span(*first);
            self.push(Statement::Emit(Range::new_from_bounds(*first, last)), span);
            rest = &rest[run..];
        }
    }

    /// Begins a nested block.
    pub(crate) fn open(&mut self) {
        self.open.push(Emitter::default());
    }

    /// Ends the innermost block.
    pub(crate) fn close(&mut self) -> Block {
        self.open.pop().unwrap_or_default().finish()
    }

    /// The number of open blocks.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Ends the body and returns the finished function.
    pub(crate) fn finish(mut self) -> Function {
        self.function.body = self.close();
        self.function
    }
}

//! One pass that rewrites a function: folds constants, forwards contents of variables, shares common expressions, and
//! unrolls loops or moves invariant expressions out of them.

mod branches;

use naga::{
    Block, Expression, Function, Handle, Literal, LocalVariable, Module, Scalar, Span, Statement, TypeInner,
    front::Typifier, proc::ResolveContext,
};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::count::Values;
use super::memory::{Memory, Target, escaped};
use super::scalars::{Place, Splits};
use super::scope::Scopes;
use super::worth::Unrolled;
use crate::Circumstances;
use crate::rebuild::key::Key;
use crate::rebuild::operands::{is_result, map_statement_operands, needs_emit, statement_result_mut};
use crate::rebuild::writer::Writer;

/// The way in which execution leaves a list of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// Execution reaches the next statement.
    Open,
    /// Execution never reaches the next statement.
    Closed,
    /// Execution leaves the loop that is being unrolled.
    Left,
}

/// The statement that a `break` leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Loop,
    Switch,
    /// A loop that is being unrolled into the block at this depth.
    Unrolled(usize),
}

/// A loop whose body is being written.
pub(super) struct OpenLoop {
    /// The expressions that were moved out of the loop, to the point before the loop.
    pub(super) before: Vec<Handle<Expression>>,
    /// The depth of the block that contains the loop.
    pub(super) depth: usize,
}

pub(super) struct Rewriter<'a> {
    pub(super) module: &'a Module,
    pub(super) circumstances: &'a Circumstances,
    pub(super) source: &'a Function,
    pub(super) types: Typifier,
    pub(super) splits: &'a Splits,
    /// The new variables that replace arrays and structs.
    pub(super) leaves: Vec<Handle<LocalVariable>>,
    pub(super) writer: Writer,
    /// By expression of the old function: the expression of the new function that replaces it.
    pub(super) map: Vec<Option<Handle<Expression>>>,
    pub(super) scopes: Scopes,
    pub(super) shared: FxHashMap<Key, Handle<Expression>>,
    pub(super) memory: Memory,
    pub(super) loops: Vec<OpenLoop>,
    /// The nesting depth of loops at the current statement.
    pub(super) nest: usize,
    pub(super) exits: Vec<Exit>,
    /// The number of expressions that unrolling may still add to the function.
    pub(super) growth: usize,
    /// Buffers that are reused each time iterations are counted.
    pub(super) values: Values,
    /// The number of evaluations that are left for counting iterations.
    pub(super) effort: usize,
    /// The number of loops unrolled so far.
    pub(super) unrolled: Unrolled,
    /// Whether the function could not be rewritten, so that it stays unchanged.
    pub(super) failed: bool,
    pub(super) changed: bool,
}

/// Rewrites a function, to which unrolling may add `growth` expressions. Returns the new function with the number of
/// unrolled loops, or `None` if nothing changed.
pub(super) fn rewrite(
    module: &Module,
    circumstances: &Circumstances,
    source: &Function,
    splits: &Splits,
    growth: usize,
) -> Result<Option<(Function, Unrolled)>, GaveUp> {
    let mut types = Typifier::new();
    if let Some((last, _)) = source.expressions.iter().next_back() {
        let context = ResolveContext::with_locals(module, &source.local_variables, &source.arguments);
        types.grow(last, &source.expressions, &context).map_err(|_| GaveUp)?;
    }
    let mut writer = Writer::like(source);
    writer.initialise(source);
    let leaves = splits.declare(source, &mut writer);
    let memory = Memory::new(module, &writer.function, &escaped(source));
    let mut rewriter = Rewriter {
        module,
        circumstances,
        source,
        types,
        splits,
        leaves,
        writer,
        map: vec![None; source.expressions.len()],
        scopes: Scopes::new(),
        shared: FxHashMap::with_capacity_and_hasher(source.expressions.len(), FxBuildHasher),
        memory,
        loops: Vec::new(),
        nest: 0,
        exits: Vec::new(),
        growth,
        values: Values::default(),
        effort: super::MAX_EFFORT,
        unrolled: Unrolled::default(),
        failed: false,
        changed: !splits.is_empty(),
    };
    rewriter.start();
    rewriter.list(&source.body);
    match rewriter {
        Rewriter { failed: true, .. } => Err(GaveUp),
        Rewriter { changed: false, .. } => Ok(None),
        Rewriter { writer, unrolled, .. } => Ok(Some((writer.finish(), unrolled))),
    }
}

/// The error for a function that cannot be rewritten.
#[derive(Debug)]
pub(super) struct GaveUp;

impl Rewriter<'_> {
    /// Records the initial contents of variables.
    fn start(&mut self) {
        let variables: Vec<_> =
            self.writer.function.local_variables.iter().map(|(handle, local)| (handle, local.ty, local.init)).collect();
        for (handle, ty, init) in variables {
            if !self.memory.forwards(handle) {
                continue;
            }
            let value = match init {
                None => Some(self.zero(ty)),
                Some(init) if !needs_emit(&self.writer.function.expressions[init]) => Some(init),
                Some(_) => None,
            };
            self.memory.set(handle, value);
        }
    }

    /// The zero value of a type.
    pub(super) fn zero(&mut self, ty: Handle<naga::Type>) -> Handle<Expression> {
        let literal = match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => Literal::zero(scalar),
            _ => None,
        };
        self.free(literal.map_or(Expression::ZeroValue(ty), Expression::Literal), Span::default())
    }

    /// Writes the statements of a block of the old function.
    pub(super) fn list(&mut self, block: &Block) -> End {
        for (statement, span) in block.span_iter() {
            if self.failed {
                return End::Closed;
            }
            let end = self.statement(statement, *span);
            if end != End::Open {
                return end;
            }
        }
        End::Open
    }

    fn statement(&mut self, statement: &Statement, span: Span) -> End {
        match statement {
            Statement::Emit(range) => range.clone().for_each(|handle| self.expression(handle)),
            Statement::Block(inner) => return self.list(inner),
            Statement::If { condition, accept, reject } => return self.branch(*condition, [accept, reject], span),
            Statement::Switch { selector, cases } => return self.switch(*selector, cases, span),
            Statement::Loop { body, continuing, break_if } => return self.repeat(body, continuing, *break_if, span),
            Statement::Break => match self.exits.last() {
                Some(Exit::Unrolled(depth)) => {
                    self.failed |= *depth != self.writer.depth();
                    return End::Left;
                }
                _ => {
                    self.writer.push(Statement::Break, span);
                    return End::Closed;
                }
            },
            Statement::Continue => {
                // The `continue` belongs to the innermost loop, not to a `switch`. A `continue` cannot be written if
                // that loop is being unrolled.
                let of = self.exits.iter().rev().find(|exit| **exit != Exit::Switch);
                self.failed |= !matches!(of, Some(Exit::Loop));
                self.writer.push(Statement::Continue, span);
                return End::Closed;
            }
            Statement::Return { .. } | Statement::Kill => {
                self.copy(statement, span);
                return End::Closed;
            }
            Statement::Store { pointer, value } => self.store(*pointer, *value, span),
            _ => {
                self.copy(statement, span);
                self.memory.after(statement);
            }
        }
        End::Open
    }

    fn copy(&mut self, statement: &Statement, span: Span) {
        let mut statement = statement.clone();
        map_statement_operands(&mut statement, |operand| self.value(operand));
        if let Some(result) = statement_result_mut(&mut statement) {
            let old = *result;
            let expression = self.source.expressions[old].clone();
            let made = self.writer.result(expression, self.source.expressions.get_span(old));
            self.scopes.place_here(made);
            self.map[old.index()] = Some(made);
            self.name(old, made);
            *result = made;
        }
        self.writer.push(statement, span);
    }

    /// The expression of the new function for an expression of the old function that was emitted or needs no statement.
    pub(super) fn value(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        if let Some(made) = self.map[old.index()] {
            return made;
        }
        let expression = &self.source.expressions[old];
        if needs_emit(expression) || is_result(expression) {
            self.failed = true;
            return self.free(Expression::Literal(Literal::Bool(false)), Span::default());
        }
        let expression = match self.constant(old) {
            Some(literal) => Expression::Literal(literal),
            None => expression.clone(),
        };
        let made = self.free(expression, self.source.expressions.get_span(old));
        self.map[old.index()] = Some(made);
        made
    }

    /// The value of an expression of the old function that is a scalar constant; `None` for other expressions.
    pub(super) fn constant(&self, old: Handle<Expression>) -> Option<Literal> {
        let zero = |ty| match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => Literal::zero(scalar),
            _ => None,
        };
        match self.source.expressions[old] {
            Expression::Literal(literal) => Some(literal),
            Expression::ZeroValue(ty) => zero(ty),
            Expression::Constant(constant) => {
                match self.module.global_expressions[self.module.constants[constant].init] {
                    Expression::Literal(literal) => Some(literal),
                    Expression::ZeroValue(ty) => zero(ty),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn free(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        let made = self.writer.free(expression, span);
        self.scopes.place_outside(made);
        made
    }

    pub(super) fn name(&mut self, old: Handle<Expression>, made: Handle<Expression>) {
        if let Some(name) = self.source.named_expressions.get(&old) {
            self.writer.function.named_expressions.entry(made).or_insert_with(|| name.clone());
        }
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, span: Span) {
        if let Some(Place::Part { first, count, ty }) = self.splits.place(pointer) {
            let mut values = Vec::with_capacity(count);
            self.take_apart(value, ty, &mut values);
            for (leaf, value) in values.into_iter().enumerate().take(count) {
                let local = self.leaves[first + leaf];
                let pointer = self.free(Expression::LocalVariable(local), span);
                let value = value.unwrap_or_else(|| self.zero(self.writer.function.local_variables[local].ty));
                self.memory.store(&self.writer.function.expressions, pointer, value);
                self.writer.push(Statement::Store { pointer, value }, span);
            }
            return;
        }
        let pointer = self.value(pointer);
        let value = self.value(value);
        self.memory.store(&self.writer.function.expressions, pointer, value);
        self.writer.push(Statement::Store { pointer, value }, span);
    }

    /// The variable or memory that a pointer of the old function points into.
    pub(super) fn target(&self, mut pointer: Handle<Expression>) -> Target {
        let mut whole = true;
        loop {
            match self.splits.place(pointer) {
                Some(Place::Leaf(leaf)) => return Target::Local(self.leaves[leaf], whole),
                Some(Place::Part { first, count, .. }) => return Target::Part(first, count),
                None => {}
            }
            match self.source.expressions[pointer] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
                Expression::LocalVariable(local) => return Target::Local(local, whole),
                _ => return Target::Other,
            }
            whole = false;
        }
    }

    pub(super) fn literal(&self, made: Handle<Expression>) -> Option<Literal> {
        match self.writer.function.expressions[made] {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// The type of an expression of the old function that is a scalar; `None` for other types.
    pub(super) fn scalar(&self, old: Handle<Expression>) -> Option<Scalar> {
        match *self.types.get(old, &self.module.types) {
            TypeInner::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }
}

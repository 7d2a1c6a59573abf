//! Removal of unused expressions, variables and stores, and of empty branches.

use anywarp_backend::{for_each_block, statements};
use naga::{Arena, Block, Expression, Function, Handle, LocalVariable, Statement, SwitchCase};
use rustc_hash::{FxHashMap, FxHashSet};

use super::operands::{
    for_each_operand, for_each_statement_operand, is_result, map_operands, map_statement_operands, needs_emit,
    statement_result, statement_result_mut,
};
use super::writer::Writer;

/// The expressions and variables of a function that are used.
pub(crate) struct Uses {
    /// By expression: whether the expression is used.
    pub(crate) expressions: Vec<bool>,
    /// By variable: whether the variable is read, or a pointer to it is passed to a function.
    pub(crate) locals: Vec<bool>,
}

/// The local variable that a pointer points into; `None` if the pointer points into other memory.
pub(crate) fn local_of(
    expressions: &Arena<Expression>,
    mut pointer: Handle<Expression>,
) -> Option<Handle<LocalVariable>> {
    loop {
        match expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
            Expression::LocalVariable(local) => return Some(local),
            _ => return None,
        }
    }
}

/// Finds the used expressions and variables of a function. The stores in `dead`, given by their addresses, do not count
/// as uses.
pub(crate) fn uses(function: &Function, dead: &FxHashSet<usize>) -> Uses {
    let mut marking = Marking {
        function,
        uses: Uses {
            expressions: vec![false; function.expressions.len()],
            locals: vec![false; function.local_variables.len()],
        },
        stores: FxHashMap::default(),
        stack: Vec::new(),
    };
    marking.block(&function.body, dead);
    marking.uses
}

struct Marking<'a> {
    function: &'a Function,
    uses: Uses,
    /// By variable of which no use has been found so far: the pointers and the values of the stores to the variable.
    stores: FxHashMap<Handle<LocalVariable>, Vec<[Handle<Expression>; 2]>>,
    stack: Vec<Handle<Expression>>,
}

impl Marking<'_> {
    fn block(&mut self, block: &Block, dead: &FxHashSet<usize>) {
        for statement in block {
            match statement {
                Statement::Store { .. } if dead.contains(&address(statement)) => {}
                Statement::Store { pointer, value } => match local_of(&self.function.expressions, *pointer) {
                    Some(local) if !self.uses.locals[local.index()] => {
                        self.stores.entry(local).or_default().push([*pointer, *value]);
                    }
                    _ => {
                        self.mark(*pointer);
                        self.mark(*value);
                    }
                },
                _ => {
                    for_each_statement_operand(statement, |operand| self.stack.push(operand));
                    self.stack.extend(statement_result(statement));
                    self.drain();
                }
            }
            for_each_block(statement, |inner| self.block(inner, dead));
        }
    }

    fn mark(&mut self, root: Handle<Expression>) {
        self.stack.push(root);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(next) = self.stack.pop() {
            if std::mem::replace(&mut self.uses.expressions[next.index()], true) {
                continue;
            }
            let expression = &self.function.expressions[next];
            for_each_operand(expression, |operand| self.stack.push(operand));
            if let Expression::LocalVariable(local) = *expression
                && !std::mem::replace(&mut self.uses.locals[local.index()], true)
            {
                self.stack.extend(self.function.local_variables[local].init);
                self.stack.extend(self.stores.remove(&local).into_iter().flatten().flatten());
            }
        }
    }
}

/// The address of a statement, which identifies the statement while its function does not change.
pub(crate) fn address(statement: &Statement) -> usize {
    std::ptr::from_ref(statement).addr()
}

/// A function without its unused expressions, variables and stores.
pub(crate) struct Pruned {
    pub(crate) function: Function,
    /// Whether the removal may have made other expressions, variables or stores unused.
    pub(crate) again: bool,
}

/// Removes the unused expressions and variables of a function and the stores in `dead`; `None` if there is nothing to
/// remove. `uses` must not count the stores in `dead`.
pub(crate) fn prune(function: &Function, uses: Uses, dead: &FxHashSet<usize>) -> Option<Pruned> {
    let all_used = uses.expressions.iter().chain(&uses.locals).all(|used| *used);
    if all_used && dead.is_empty() && !has_empty(&function.body) {
        return None;
    }
    let mut pruning = Pruning {
        source: function,
        dead,
        writer: Writer::like(function),
        map: vec![None; function.expressions.len()],
        moved: Vec::new(),
        uses,
        dropped: false,
    };
    pruning.locals();
    // Expressions that need no statement are copied first, so that emitted expressions have consecutive handles.
    for (handle, expression) in function.expressions.iter() {
        if pruning.uses.expressions[handle.index()] && !needs_emit(expression) && !is_result(expression) {
            let span = function.expressions.get_span(handle);
            let mut expression = expression.clone();
            if let Expression::LocalVariable(local) = &mut expression
                && let Some(moved) = pruning.moved[local.index()]
            {
                *local = moved;
            }
            pruning.map[handle.index()] = Some(pruning.writer.free(expression, span));
        }
    }
    pruning.block(&function.body);
    let again = pruning.dropped || !dead.is_empty();
    Some(Pruned { function: pruning.writer.finish(), again })
}

/// Whether a block contains a branch without statements.
fn has_empty(block: &Block) -> bool {
    statements(block).any(|(statement, _)| match statement {
        Statement::If { accept, reject, .. } => accept.is_empty() && reject.is_empty(),
        Statement::Switch { cases, .. } => cases.iter().all(|case| case.body.is_empty()),
        _ => false,
    })
}

struct Pruning<'a> {
    source: &'a Function,
    dead: &'a FxHashSet<usize>,
    writer: Writer,
    map: Vec<Option<Handle<Expression>>>,
    /// By variable of the old function: the variable of the new function; `None` if the variable was removed.
    moved: Vec<Option<Handle<LocalVariable>>>,
    uses: Uses,
    /// Whether a branch was removed, so that its condition may be unused.
    dropped: bool,
}

impl Pruning<'_> {
    /// Copies the used variables with their initial values.
    fn locals(&mut self) {
        let mut locals = Arena::new();
        for (handle, local) in self.source.local_variables.iter() {
            let used = self.uses.locals[handle.index()];
            let span = self.source.local_variables.get_span(handle);
            self.moved.push(used.then(|| locals.append(local.clone(), span)));
        }
        self.writer.function.local_variables = locals;
        self.writer.initialise(self.source);
    }

    fn get(&self, old: Handle<Expression>) -> Handle<Expression> {
        self.map[old.index()].unwrap_or(old)
    }

    fn block(&mut self, block: &Block) {
        for (statement, span) in block.span_iter() {
            match statement {
                Statement::Emit(range) => {
                    for handle in range.clone() {
                        self.emit(handle);
                    }
                }
                Statement::Block(inner) => self.block(inner),
                Statement::Store { pointer, .. } => {
                    let unread = local_of(&self.source.expressions, *pointer)
                        .is_some_and(|local| !self.uses.locals[local.index()]);
                    if !unread && !self.dead.contains(&address(statement)) {
                        self.copy(statement, *span);
                    }
                }
                Statement::If { condition, accept, reject } => {
                    let condition = self.get(*condition);
                    let (accept, reject) = (self.inner(accept), self.inner(reject));
                    if accept.is_empty() && reject.is_empty() {
                        self.dropped = true;
                    } else {
                        self.writer.push(Statement::If { condition, accept, reject }, *span);
                    }
                }
                Statement::Switch { selector, cases } => {
                    let selector = self.get(*selector);
                    let mut made = Vec::with_capacity(cases.len());
                    for case in cases {
                        let body = self.inner(&case.body);
                        made.push(SwitchCase { value: case.value, body, fall_through: case.fall_through });
                    }
                    if made.iter().all(|case| case.body.is_empty()) {
                        self.dropped = true;
                    } else {
                        self.writer.push(Statement::Switch { selector, cases: made }, *span);
                    }
                }
                Statement::Loop { body, continuing, break_if } => {
                    let (body, continuing) = (self.inner(body), self.inner(continuing));
                    let break_if = break_if.map(|condition| self.get(condition));
                    self.writer.push(Statement::Loop { body, continuing, break_if }, *span);
                }
                _ => self.copy(statement, *span),
            }
        }
    }

    fn inner(&mut self, block: &Block) -> Block {
        self.writer.open();
        self.block(block);
        self.writer.close()
    }

    fn emit(&mut self, handle: Handle<Expression>) {
        if !self.uses.expressions[handle.index()] || self.map[handle.index()].is_some() {
            return;
        }
        let mut expression = self.source.expressions[handle].clone();
        map_operands(&mut expression, |operand| self.get(operand));
        let made = self.writer.emit(expression, self.source.expressions.get_span(handle));
        self.name(handle, made);
    }

    fn copy(&mut self, statement: &Statement, span: naga::Span) {
        let mut statement = statement.clone();
        map_statement_operands(&mut statement, |operand| self.get(operand));
        if let Some(result) = statement_result_mut(&mut statement) {
            let old = *result;
            let made = self.writer.result(self.source.expressions[old].clone(), self.source.expressions.get_span(old));
            *result = made;
            self.name(old, made);
        }
        self.writer.push(statement, span);
    }

    fn name(&mut self, old: Handle<Expression>, made: Handle<Expression>) {
        self.map[old.index()] = Some(made);
        if let Some(name) = self.source.named_expressions.get(&old) {
            self.writer.function.named_expressions.insert(made, name.clone());
        }
    }
}

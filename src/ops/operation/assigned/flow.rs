//! The components of an output that are assigned on every path through a function.

use anywarp_backend::Source;
use naga::{Block, Expression, Function, Handle, Module, Span, Statement};

use super::{Root, is_users};

/// The components of the variable that certainly have a value, as bits; `None` for unreachable code.
pub(super) type State = Option<u8>;

fn join(one: State, other: State) -> State {
    match (one, other) {
        (Some(one), Some(other)) => Some(one & other),
        (state, None) | (None, state) => state,
    }
}

/// The reads and assignments of one variable in a function.
pub(super) struct Flow<'m> {
    pub(super) source: &'m Source,
    pub(super) module: &'m Module,
    pub(super) function: &'m Function,
    pub(super) root: Root,
    pub(super) all: u8,
    /// For each enclosing loop or switch, the components that have a value at every jump out of it.
    pub(super) breaks: Vec<State>,
    /// For each enclosing loop, the components that have a value at every `continue` statement of the loop.
    pub(super) continues: Vec<State>,
    /// The components that have a value at every return of the function.
    pub(super) returns: State,
    /// The locations where the caller's text reads the variable, possibly without a value; `None` for an unknown
    /// location.
    pub(super) reads: Vec<Option<Span>>,
    /// Whether the generated `return` may read the variable without a value.
    pub(super) unfinished: bool,
    /// Whether the caller's text assigns the variable anywhere.
    pub(super) assigned: bool,
}

impl<'m> Flow<'m> {
    pub(super) fn of(
        source: &'m Source,
        module: &'m Module,
        function: &'m Function,
        root: Root,
        all: u8,
        begins: State,
    ) -> Self {
        let (breaks, continues, reads) = (Vec::new(), Vec::new(), Vec::new());
        let (returns, assigned, unfinished) = (None, false, false);
        let mut flow =
            Self { source, module, function, root, all, breaks, continues, returns, reads, unfinished, assigned };
        let end = flow.block(&function.body, begins);
        flow.returns = join(flow.returns, end);
        flow
    }

    /// Returns the components that a pointer certainly refers to, and those that it may refer to; `None` for a pointer
    /// to something other than the variable.
    fn components(&self, pointer: Handle<Expression>) -> Option<(u8, u8)> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) if self.root == Root::Local(local) => Some((self.all, self.all)),
            Expression::FunctionArgument(index) if self.root == Root::Argument(index) => Some((self.all, self.all)),
            Expression::AccessIndex { base, index } => self.components(base).map(|_| (1 << index, 1 << index)),
            Expression::Access { base, .. } => self.components(base).map(|_| (0, self.all)),
            _ => None,
        }
    }

    fn block(&mut self, block: &Block, mut state: State) -> State {
        // The location of a read without a value. It is kept until the next statement, whose span replaces it: the span
        // of a load itself is that of the variable's declaration.
        let mut before: Option<Option<Span>> = None;
        for (statement, span) in block.span_iter() {
            let own = is_users(self.source, *span);
            match (before.take(), statement) {
                (Some(_), Statement::Return { .. }) if !own => self.unfinished = true,
                (Some(_), other) if own && !matches!(other, Statement::Emit(_)) => self.reads.push(Some(*span)),
                (Some(read), _) => self.reads.push(read),
                (None, _) => {}
            }
            if let Statement::Emit(range) = statement {
                let read = range.clone().any(|expression| self.lacks(expression, state));
                let spans = || range.clone().map(|expression| self.function.expressions.get_span(expression));
                before = read.then(|| spans().find(|span| is_users(self.source, *span)));
            } else {
                state = self.statement(statement, own, state);
            }
        }
        self.reads.extend(before);
        state
    }

    /// Returns the state after a statement; `own` is true if the caller wrote the statement.
    fn statement(&mut self, statement: &Statement, own: bool, state: State) -> State {
        match statement {
            Statement::Store { pointer, .. } => match self.components(*pointer) {
                Some((surely, _)) if own => {
                    self.assigned = true;
                    state.map(|state| state | surely)
                }
                _ => state,
            },
            Statement::Call { function, arguments, .. } => self.call(*function, arguments, state),
            Statement::Block(inner) => self.block(inner, state),
            Statement::If { accept, reject, .. } => {
                let accepted = self.block(accept, state);
                join(accepted, self.block(reject, state))
            }
            Statement::Switch { cases, .. } => {
                self.breaks.push(None);
                let mut before = None;
                for case in cases {
                    let end = self.block(&case.body, join(state, before));
                    before = end;
                    if !case.fall_through {
                        self.leave(end);
                        before = None;
                    }
                }
                self.breaks.pop().flatten()
            }
            Statement::Loop { body, continuing, break_if } => {
                // Only the first iteration is analysed: before later iterations, at least as many components have a
                // value.
                self.breaks.push(None);
                self.continues.push(None);
                let end = self.block(body, state);
                let end = join(end, self.continues.pop().flatten());
                let end = self.block(continuing, end);
                if break_if.is_some() {
                    self.leave(end);
                }
                self.breaks.pop().flatten()
            }
            Statement::Break => {
                self.leave(state);
                None
            }
            Statement::Continue => {
                if let Some(continues) = self.continues.last_mut() {
                    *continues = join(*continues, state);
                }
                None
            }
            Statement::Return { .. } => {
                self.returns = join(self.returns, state);
                None
            }
            Statement::Kill => None,
            _ => state,
        }
    }

    /// Records a jump out of the innermost loop or switch.
    fn leave(&mut self, state: State) {
        if let Some(breaks) = self.breaks.last_mut() {
            *breaks = join(*breaks, state);
        }
    }

    /// Whether an expression reads components of the variable that may have no value.
    fn lacks(&self, expression: Handle<Expression>, state: State) -> bool {
        let Expression::Load { pointer } = self.function.expressions[expression] else { return false };
        match (self.components(pointer), state) {
            (Some((_, wanted)), Some(known)) => known & wanted != wanted,
            _ => false,
        }
    }

    /// Returns the state after a call: a function that receives a pointer to the variable is analysed as if it were
    /// inlined.
    fn call(&mut self, function: Handle<Function>, arguments: &[Handle<Expression>], mut state: State) -> State {
        let function = &self.module.functions[function];
        for (index, argument) in arguments.iter().enumerate() {
            // An argument that points into the variable points to all of it: WGSL has no pointers to components.
            if self.components(*argument).is_none() {
                continue;
            }
            let root = Root::Argument(index as u32);
            let inner = Flow::of(self.source, self.module, function, root, self.all, state);
            self.reads.extend(inner.reads);
            self.assigned |= inner.assigned;
            state = inner.returns;
        }
        state
    }
}

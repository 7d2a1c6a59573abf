//! The walk over one function's statements, which builds its graph. It applies the specification's table of statement
//! rules to naga's statements.

use naga::{AddressSpace, Block, Expression, Function, Handle, Module, Span, Statement, SwitchCase};

use super::behavior::Behavior;
use super::graph::{Decision, Graph, Node, Origin};
use super::requirement::Requirement;
use super::scope::Scope;
use super::sources::{Subject, is_read_only, pointer_space};
use super::summary::{Nodes, Summary};
use super::variables::{Changes, Variables, assigned, root};
use crate::filters::Filters;

/// The state of the walk over a function.
pub(super) struct Walk<'a> {
    pub(super) module: &'a Module,
    pub(super) subject: Subject<'a>,
    pub(super) function: &'a Function,
    pub(super) scope: Scope,
    pub(super) filters: &'a Filters,
    /// The summaries of the functions that this function may call.
    pub(super) summaries: &'a [Summary],
    pub(super) graph: Graph,
    pub(super) nodes: Nodes,
    pub(super) requirements: Vec<Requirement>,
    /// For each evaluated expression: the node of its value, and the node of control flow where it was evaluated.
    pub(super) values: Vec<Option<(Node, Node)>>,
    pub(super) variables: Variables,
    /// The enclosing loops and switches, the innermost last.
    frames: Vec<Frame>,
}

/// A loop or `switch`, with the values of its assigned variables at the points where control flow leaves or repeats it.
struct Frame {
    is_loop: bool,
    assigned: Vec<usize>,
    /// The nodes of the assigned variables after the statement, in the order of `assigned`.
    exits: Vec<Node>,
    /// The nodes of the assigned variables at the start of the loop's continuing block, in the order of `assigned`.
    continued: Vec<Node>,
}

/// The node of control flow after a statement, and the ways in which execution can leave the statement.
#[derive(Clone, Copy)]
struct Flow {
    at: Node,
    behavior: Behavior,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        module: &'a Module,
        subject: Subject<'a>,
        scope: Scope,
        filters: &'a Filters,
        summaries: &'a [Summary],
    ) -> Self {
        let function = subject.function;
        let mut graph = Graph::new();
        let nodes = Nodes::of(module, subject, &mut graph);
        Self {
            module,
            subject,
            function,
            scope,
            filters,
            summaries,
            variables: Variables::new(function.local_variables.len(), nodes.contents()),
            graph,
            nodes,
            requirements: Vec::new(),
            values: vec![None; function.expressions.len()],
            frames: Vec::new(),
        }
    }

    /// Walks over the whole function.
    pub(super) fn run(&mut self) {
        let flow = self.block(&self.function.body, Node::START);
        if flow.behavior.has(Behavior::NEXT) {
            self.leave();
        }
    }

    fn block(&mut self, block: &Block, start: Node) -> Flow {
        let mut flow = Flow { at: start, behavior: Behavior::NEXT };
        for (statement, span) in block.span_iter() {
            let next = self.statement(statement, *span, flow.at);
            flow = Flow { at: next.at, behavior: flow.behavior.then(next.behavior) };
            // The remaining statements are never reached.
            if !next.behavior.has(Behavior::NEXT) {
                break;
            }
        }
        flow
    }

    fn statement(&mut self, statement: &Statement, span: Span, at: Node) -> Flow {
        let flow = |behavior| Flow { at, behavior };
        match statement {
            Statement::Block(block) => return self.block(block, at),
            Statement::If { condition, accept, reject } => return self.branch(*condition, accept, reject, span, at),
            Statement::Switch { selector, cases } => return self.switch(*selector, cases, span, at),
            Statement::Loop { body, continuing, break_if } => return self.repeat(body, continuing, *break_if, at),
            Statement::Break => {
                if let Some(frame) = self.frames.last() {
                    pass_on(&mut self.graph, &self.variables, &frame.assigned, &frame.exits);
                }
                return flow(Behavior::BREAK);
            }
            Statement::Continue => {
                if let Some(frame) = self.frames.iter().rfind(|frame| frame.is_loop) {
                    pass_on(&mut self.graph, &self.variables, &frame.assigned, &frame.continued);
                }
                return flow(Behavior::CONTINUE);
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let value = self.value(*value, at);
                    self.graph.edge(Node::RETURN, value);
                }
                self.leave();
                return flow(Behavior::RETURN);
            }
            Statement::Emit(range) => range.clone().for_each(|expression| self.evaluate(expression, at)),
            Statement::Store { pointer, value } => self.store(*pointer, *value, span, at),
            Statement::Call { function, arguments, result } => self.call(*function, arguments, *result, span, at),
            other => self.operation(other, span, at),
        }
        flow(Behavior::NEXT)
    }

    /// Walks over an `if`: control flow in both branches depends on the condition.
    fn branch(&mut self, condition: Handle<Expression>, accept: &Block, reject: &Block, span: Span, at: Node) -> Flow {
        let by = if self.is_short_circuit(accept) { Decision::ShortCircuit } else { Decision::If };
        let decided = self.decide(condition, by, span, at);
        let mark = self.variables.mark();
        let one = self.block(accept, decided);
        let changes = self.variables.roll_back(mark);
        let other = self.block(reject, decided);
        let other_changes = self.variables.roll_back(mark);
        let next = |flow: Flow| flow.behavior.has(Behavior::NEXT);
        match (next(one), next(other)) {
            (true, true) => self.join(&changes, &other_changes),
            (true, false) => self.variables.set_all(&changes),
            (false, true) => self.variables.set_all(&other_changes),
            (false, false) => {}
        }
        let behavior = one.behavior.or(other.behavior);
        Flow { at: self.after(behavior, at, &[one.at, other.at]), behavior }
    }

    /// Whether an `if` stands for `a && b` or `a || b`, which naga turns into an `if` that assigns to an unnamed
    /// variable.
    fn is_short_circuit(&self, accept: &Block) -> bool {
        let variable = accept.last().and_then(|last| match last {
            Statement::Store { pointer, .. } => match self.function.expressions[*pointer] {
                Expression::LocalVariable(variable) => Some(variable),
                _ => None,
            },
            _ => None,
        });
        variable.is_some_and(|variable| self.function.local_variables[variable].name.is_none())
    }

    /// Returns control flow within a statement, which depends on the value of `by_value`.
    fn decide(&mut self, by_value: Handle<Expression>, by: Decision, span: Span, at: Node) -> Node {
        let value = self.value(by_value, at);
        if value == at {
            return at;
        }
        let decided = self.graph.add(Origin::Decision { at: span, by });
        self.graph.edge(decided, value);
        decided
    }

    /// Returns control flow after a statement: the same as before, unless some invocations leave the enclosing block.
    fn after(&mut self, behavior: Behavior, before: Node, ends: &[Node]) -> Node {
        if behavior == Behavior::NEXT || ends.iter().all(|end| *end == before) {
            return before;
        }
        let after = self.graph.add(Origin::Inner);
        for end in ends {
            self.graph.edge(after, *end);
        }
        after
    }

    /// Sets the variables after two branches, from the changes in each branch.
    fn join(&mut self, one: &Changes, other: &Changes) {
        let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
        loop {
            let variable = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => *a.min(b),
                (Some((a, _)), None) | (None, Some((a, _))) => *a,
                (None, None) => return,
            };
            let before = self.variables.get(variable);
            let of = |changes: &mut std::iter::Peekable<std::slice::Iter<'_, (usize, Node)>>| {
                changes.next_if(|(changed, _)| *changed == variable).map_or(before, |(_, value)| *value)
            };
            let (a, b) = (of(&mut left), of(&mut right));
            let joined = if a == b {
                a
            } else {
                let joined = self.graph.add(Origin::Inner);
                self.graph.edge(joined, a);
                self.graph.edge(joined, b);
                joined
            };
            self.variables.set(variable, joined);
        }
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &[SwitchCase], span: Span, at: Node) -> Flow {
        let decided = self.decide(selector, Decision::Switch, span, at);
        let bodies: Vec<&Block> = cases.iter().map(|case| &case.body).collect();
        let assigned = assigned(self.function, &bodies, self.variables.len());
        let exits = self.inner_nodes(assigned.len());
        self.frames.push(Frame { is_loop: false, assigned, exits, continued: Vec::new() });
        let mut ends = Vec::new();
        let mut behavior = Behavior::NONE;
        // In a list of values, each value except the last is an empty case that falls through.
        for case in cases.iter().filter(|case| !case.fall_through) {
            let mark = self.variables.mark();
            let flow = self.block(&case.body, decided);
            if let Some(frame) = self.frames.last().filter(|_| flow.behavior.has(Behavior::NEXT)) {
                pass_on(&mut self.graph, &self.variables, &frame.assigned, &frame.exits);
            }
            self.variables.roll_back(mark);
            behavior = behavior.or(flow.behavior);
            ends.push(flow.at);
        }
        self.pop_frame();
        let behavior = behavior.of_switch();
        Flow { at: self.after(behavior, at, &ends), behavior }
    }

    fn repeat(&mut self, body: &Block, continuing: &Block, break_if: Option<Handle<Expression>>, at: Node) -> Flow {
        let again = self.graph.add(Origin::Inner);
        self.graph.edge(again, at);
        let assigned = assigned(self.function, &[body, continuing], self.variables.len());
        let entries = self.inner_nodes(assigned.len());
        pass_on(&mut self.graph, &self.variables, &assigned, &entries);
        for (variable, entry) in assigned.iter().zip(&entries) {
            self.variables.set(*variable, *entry);
        }
        let (exits, continued) = (self.inner_nodes(assigned.len()), self.inner_nodes(assigned.len()));
        self.frames.push(Frame { is_loop: true, assigned, exits, continued });

        let first = self.block(body, again);
        let mut behavior = first.behavior;
        let repeats = first.behavior.has(Behavior::NEXT) || first.behavior.has(Behavior::CONTINUE);
        if repeats {
            let second = self.continuing(continuing, first, break_if);
            behavior = behavior.or(second.behavior);
            self.graph.edge(again, second.at);
            if let Some(frame) = self.frames.last() {
                pass_on(&mut self.graph, &self.variables, &frame.assigned, &entries);
            }
        }
        self.pop_frame();
        let at = match (first.behavior.has(Behavior::RETURN), repeats) {
            (false, _) => at,
            (true, true) => again,
            (true, false) => first.at,
        };
        Flow { at, behavior: behavior.of_loop() }
    }

    /// Walks over the continuing block of a loop and its `break if`.
    fn continuing(&mut self, block: &Block, first: Flow, break_if: Option<Handle<Expression>>) -> Flow {
        if first.behavior.has(Behavior::CONTINUE)
            && let Some(frame) = self.frames.last()
        {
            if first.behavior.has(Behavior::NEXT) {
                pass_on(&mut self.graph, &self.variables, &frame.assigned, &frame.continued);
            }
            for (variable, continued) in frame.assigned.iter().zip(&frame.continued) {
                self.variables.set(*variable, *continued);
            }
        }
        let mut flow = self.block(block, first.at);
        if let Some(condition) = break_if {
            if let Some(frame) = self.frames.last() {
                pass_on(&mut self.graph, &self.variables, &frame.assigned, &frame.exits);
            }
            let span = self.function.expressions.get_span(condition);
            let at = self.decide(condition, Decision::BreakIf, span, flow.at);
            flow = Flow { at, behavior: flow.behavior.or(Behavior::BREAK) };
        }
        flow
    }

    fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for (variable, exit) in frame.assigned.into_iter().zip(frame.exits) {
            self.variables.set(variable, exit);
        }
    }

    /// Adds the values that pointer parameters refer to at a `return` or at the end of the function to the function's
    /// outputs.
    fn leave(&mut self) {
        let first = self.function.local_variables.len();
        for parameter in 0..self.function.arguments.len() {
            if let Some(output) = self.nodes.output(parameter) {
                self.graph.edge(output, self.variables.get(first + parameter));
            }
        }
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, span: Span, at: Node) {
        let value = self.value(value, at);
        let Some((variable, is_whole)) = root(self.function, pointer) else { return };
        if self.is_shared(variable) {
            return;
        }
        let assigned = self.graph.add(Origin::Assigned { variable, at: span });
        self.graph.edge(assigned, value);
        if !is_whole {
            let (address, before) = (self.value(pointer, at), self.variables.get(variable));
            self.graph.edge(assigned, address);
            self.graph.edge(assigned, before);
        }
        self.variables.set(variable, assigned);
    }

    /// Whether a variable stands for the value that a parameter points to, in memory that other invocations may write.
    pub(super) fn is_shared(&self, variable: usize) -> bool {
        let parameter = variable.checked_sub(self.function.local_variables.len());
        let space = parameter.and_then(|parameter| pointer_space(self.module, self.function, parameter));
        space.is_some_and(|space| space != AddressSpace::Function && !is_read_only(space))
    }

    fn inner_nodes(&mut self, count: usize) -> Vec<Node> {
        (0..count).map(|_| self.graph.add(Origin::Inner)).collect()
    }
}

/// Adds edges from the nodes `elsewhere` to the current values of the variables `which`.
fn pass_on(graph: &mut Graph, variables: &Variables, which: &[usize], elsewhere: &[Node]) {
    for (variable, elsewhere) in which.iter().zip(elsewhere) {
        graph.edge(*elsewhere, variables.get(*variable));
    }
}

//! Which loops are seen to end.
//!
//! Such a loop has a counter: a variable of the function that each turn changes once, by a constant,
//! and a condition that each turn tests and that compares the counter with what no turn changes.
//! A counter that passes its bound in steps of more than one could wrap around and begin anew, so
//! the bound must then be known to be far enough from the last number.

mod ranges;

use naga::{
    AddressSpace, BinaryOperator as Op, Block, Expression, Function, Handle, LocalVariable, Module, Statement,
    StorageAccess, UnaryOperator,
};
use rustc_hash::FxHashSet;

use super::flow::{self, statements};
use ranges::{mirrored, negated};

/// Whether a loop is seen to end.
pub(super) fn ends(
    module: &Module,
    function: &Function,
    body: &Block,
    continuing: &Block,
    break_if: Option<Handle<Expression>>,
) -> bool {
    let mut made = flow::evaluated(body);
    made.extend(flow::evaluated(continuing));
    let mut sight = Sight { module, function, made, stored: Vec::new(), escaped: FxHashSet::default() };
    sight.survey(body);
    sight.survey(continuing);

    let always = always(body, continuing);
    let steps: Vec<_> = always.iter().filter_map(|statement| sight.step(statement)).collect();
    let mut stays: Vec<(Handle<Expression>, bool)> = always.iter().filter_map(|statement| leaves(statement)).collect();
    stays.extend(break_if.map(|condition| (condition, false)));
    stays.iter().any(|(condition, wanted)| {
        steps.iter().any(|(counter, step)| sight.passes(*condition, *wanted, *counter, *step))
    })
}

/// How a counter changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// By a number that is not zero.
    Add(i64),
    /// Towards zero, at least by half.
    Shrink,
}

struct Sight<'a> {
    module: &'a Module,
    function: &'a Function,
    /// What the loop evaluates.
    made: FxHashSet<Handle<Expression>>,
    /// The variables that the loop stores to, once for each statement.
    stored: Vec<Handle<LocalVariable>>,
    /// Those that functions which it calls may store to.
    escaped: FxHashSet<Handle<LocalVariable>>,
}

/// The statements that every turn comes through: none that a `continue` may pass over.
fn always<'a>(body: &'a Block, continuing: &'a Block) -> Vec<&'a Statement> {
    let mut found = Vec::new();
    straight(body, &mut found);
    straight(continuing, &mut found);
    found
}

/// Adds the statements of a block up to the first that may continue; says whether it came to the end.
fn straight<'a>(block: &'a Block, found: &mut Vec<&'a Statement>) -> bool {
    for statement in block {
        match statement {
            Statement::Block(inner) => {
                if !straight(inner, found) {
                    return false;
                }
            }
            Statement::Continue => return false,
            Statement::If { accept, reject, .. } => {
                found.push(statement);
                if flow::continues(accept) || flow::continues(reject) {
                    return false;
                }
            }
            Statement::Switch { cases, .. } => {
                if cases.iter().any(|case| flow::continues(&case.body)) {
                    return false;
                }
            }
            _ => found.push(statement),
        }
    }
    true
}

/// The condition of a statement that leaves the loop, and the value with which the loop goes on.
fn leaves(statement: &Statement) -> Option<(Handle<Expression>, bool)> {
    let Statement::If { condition, accept, reject } = statement else { return None };
    let left = |block: &Block| {
        matches!(block.last(), Some(Statement::Break | Statement::Return { .. })) && !flow::continues(block)
    };
    match (left(accept), left(reject)) {
        (false, true) => Some((*condition, true)),
        (true, false) => Some((*condition, false)),
        _ => None,
    }
}

impl Sight<'_> {
    fn survey(&mut self, block: &Block) {
        let (function, stored, escaped) = (self.function, &mut self.stored, &mut self.escaped);
        statements(block, |statement| match statement {
            Statement::Store { pointer, .. } => stored.extend(root(function, *pointer)),
            Statement::Call { arguments, .. } => {
                escaped.extend(arguments.iter().filter_map(|argument| root(function, *argument)));
            }
            Statement::Atomic { pointer, .. } => escaped.extend(root(function, *pointer)),
            Statement::CooperativeStore { data, .. } => escaped.extend(root(function, data.pointer)),
            _ => {}
        });
    }

    /// The counter that a statement changes, the only one to do so, and how.
    fn step(&self, statement: &Statement) -> Option<(Handle<LocalVariable>, Step)> {
        let Statement::Store { pointer, value } = statement else { return None };
        let Expression::LocalVariable(counter) = self.function.expressions[*pointer] else { return None };
        let changes = self.stored.iter().filter(|stored| **stored == counter).count();
        if changes != 1 || self.escaped.contains(&counter) {
            return None;
        }
        let Expression::Binary { op, left, right } = self.function.expressions[*value] else { return None };
        let step = match op {
            Op::Add if self.reads(left, counter) => Step::Add(self.number(right)?),
            Op::Add if self.reads(right, counter) => Step::Add(self.number(left)?),
            Op::Subtract if self.reads(left, counter) => Step::Add(self.number(right)?.checked_neg()?),
            Op::ShiftRight if self.reads(left, counter) && (1..32).contains(&self.number(right)?) => Step::Shrink,
            Op::Divide if self.reads(left, counter) && self.number(right)? >= 2 => Step::Shrink,
            _ => return None,
        };
        (step != Step::Add(0)).then_some((counter, step))
    }

    /// Whether an expression is what the counter has in this turn.
    fn reads(&self, handle: Handle<Expression>, counter: Handle<LocalVariable>) -> bool {
        self.made.contains(&handle)
            && matches!(self.function.expressions[handle], Expression::Load { pointer }
                if matches!(self.function.expressions[pointer], Expression::LocalVariable(read) if read == counter))
    }

    /// Whether the condition sooner or later is not as `wanted`.
    fn passes(&self, condition: Handle<Expression>, wanted: bool, counter: Handle<LocalVariable>, step: Step) -> bool {
        match self.function.expressions[condition] {
            Expression::Unary { op: UnaryOperator::LogicalNot, expr } => self.passes(expr, !wanted, counter, step),
            Expression::Binary { op: Op::LogicalAnd, left, right } if wanted => {
                self.passes(left, wanted, counter, step) || self.passes(right, wanted, counter, step)
            }
            Expression::Binary { op: Op::LogicalOr, left, right } if !wanted => {
                self.passes(left, wanted, counter, step) || self.passes(right, wanted, counter, step)
            }
            Expression::Binary { op, left, right } => {
                let op = if wanted { Some(op) } else { negated(op) };
                if self.reads(left, counter) && self.is_fixed(right) {
                    op.is_some_and(|op| self.compares(op, counter, right, step))
                } else if self.reads(right, counter) && self.is_fixed(left) {
                    op.and_then(mirrored).is_some_and(|op| self.compares(op, counter, left, step))
                } else {
                    false
                }
            }
            _ => false,
        }
    }

    /// Whether `counter op bound` sooner or later is false.
    fn compares(&self, op: Op, counter: Handle<LocalVariable>, bound: Handle<Expression>, step: Step) -> bool {
        let Some((least, most)) = self.range_of_type(counter) else { return false };
        let (low, high) = self.range(bound, (least, most));
        match (op, step) {
            (Op::Equal, Step::Add(_)) => true,
            (Op::NotEqual, Step::Add(step)) => step.abs() == 1,
            (Op::Less, Step::Add(step)) if step > 0 => step == 1 || high + step - 1 <= most,
            (Op::LessEqual, Step::Add(step)) if step > 0 => high + step <= most,
            (Op::Greater, Step::Add(step)) if step < 0 => step == -1 || low + step + 1 >= least,
            (Op::GreaterEqual, Step::Add(step)) if step < 0 => low + step >= least,
            (Op::Greater, Step::Shrink) => low >= 0,
            (Op::GreaterEqual, Step::Shrink) => low >= 1,
            (Op::NotEqual, Step::Shrink) => least == 0 && (low, high) == (0, 0),
            _ => false,
        }
    }

    /// Whether no turn changes a value.
    fn is_fixed(&self, handle: Handle<Expression>) -> bool {
        let mut left = vec![handle];
        let mut seen = FxHashSet::default();
        while let Some(handle) = left.pop() {
            if !seen.insert(handle) {
                continue;
            }
            let expression = &self.function.expressions[handle];
            match expression {
                Expression::Load { pointer } if self.made.contains(&handle) => {
                    if !self.is_kept(*pointer) {
                        return false;
                    }
                    flow::operands(&self.function.expressions[*pointer], &mut left);
                }
                // What was evaluated before the loop; and pointers, of which only places are asked.
                _ if !self.made.contains(&handle) => {
                    if is_result(expression) {
                        continue;
                    }
                    flow::operands(expression, &mut left);
                }
                _ if is_result(expression) => return false,
                _ => flow::operands(expression, &mut left),
            }
        }
        true
    }

    /// Whether nothing stores to a place while the loop runs.
    fn is_kept(&self, pointer: Handle<Expression>) -> bool {
        if let Some(local) = root(self.function, pointer) {
            return !self.stored.contains(&local) && !self.escaped.contains(&local);
        }
        let mut at = pointer;
        loop {
            match self.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                Expression::GlobalVariable(variable) => {
                    return match self.module.global_variables[variable].space {
                        AddressSpace::Uniform | AddressSpace::Immediate => true,
                        AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
                        _ => false,
                    };
                }
                _ => return false,
            }
        }
    }
}

/// The variable of the function that a pointer points into.
fn root(function: &Function, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    let mut at = pointer;
    loop {
        match function.expressions[at] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
            Expression::LocalVariable(local) => return Some(local),
            _ => return None,
        }
    }
}

/// Whether a statement makes the value, or it depends on more than its operands.
fn is_result(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Load { .. }
            | Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
            | Expression::CooperativeLoad { .. }
    )
}

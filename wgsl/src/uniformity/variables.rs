//! The assignments that reach each read of a variable; the uniformity of the value read follows from them.

use anywarp_backend::statements;
use naga::{Block, Expression, Function, Handle, Statement};

use super::graph::Node;

/// The value of each variable at the current point of the walk.
///
/// The variables are the function's own, in the order of their arena, followed by the values that its pointer
/// parameters refer to.
#[derive(Debug)]
pub(super) struct Variables {
    values: Vec<Node>,
    /// For each assignment so far, the latest last: the index of the variable, and the value that the assignment
    /// replaced.
    journal: Vec<(usize, Node)>,
}

/// A point of the walk to which [`Variables::roll_back`] returns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// The variables that a branch assigned, with their values at the end of the branch.
pub(super) type Changes = Vec<(usize, Node)>;

impl Variables {
    /// Returns the variables at the start of a function: the function's own are uninitialised, and parameters refer to
    /// `pointees`.
    pub(super) fn new(locals: usize, pointees: &[Node]) -> Self {
        let mut values = vec![Node::START; locals];
        values.extend(pointees);
        Self { values, journal: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn get(&self, variable: usize) -> Node {
        self.values[variable]
    }

    pub(super) fn set(&mut self, variable: usize, value: Node) {
        let before = std::mem::replace(&mut self.values[variable], value);
        self.journal.push((variable, before));
    }

    pub(super) fn set_all(&mut self, changes: &Changes) {
        for (variable, value) in changes {
            self.set(*variable, *value);
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Undoes every assignment since `mark`, and returns the variables with the values that the last assignments had
    /// given them.
    pub(super) fn roll_back(&mut self, mark: Mark) -> Changes {
        let mut changes = Changes::new();
        while self.journal.len() > mark.0 {
            let Some((variable, before)) = self.journal.pop() else { break };
            changes.push((variable, std::mem::replace(&mut self.values[variable], before)));
        }
        // The last assignment of a variable comes first, and stays first, because the sort is stable.
        changes.sort_by_key(|(variable, _)| *variable);
        changes.dedup_by_key(|(variable, _)| *variable);
        changes
    }
}

/// The variable of this function to which a pointer refers, and whether the pointer refers to the whole variable.
pub(super) fn root(function: &Function, pointer: Handle<Expression>) -> Option<(usize, bool)> {
    let mut is_whole = true;
    let mut at = pointer;
    loop {
        match function.expressions[at] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => (at, is_whole) = (base, false),
            Expression::LocalVariable(variable) => return Some((variable.index(), is_whole)),
            Expression::FunctionArgument(argument) => {
                return Some((function.local_variables.len() + argument as usize, is_whole));
            }
            _ => return None,
        }
    }
}

/// The variables that a loop or a `switch` may assign, each once.
pub(super) fn assigned(function: &Function, blocks: &[&Block], variables: usize) -> Vec<usize> {
    let mut is_assigned = vec![false; variables];
    let mut found = Vec::new();
    let mut add = |pointer: Handle<Expression>| {
        if let Some((variable, _)) = root(function, pointer)
            && !std::mem::replace(&mut is_assigned[variable], true)
        {
            found.push(variable);
        }
    };
    for (statement, _) in blocks.iter().flat_map(|block| statements(block)) {
        match statement {
            Statement::Store { pointer, .. } => add(*pointer),
            // Arguments that are not pointers refer to no variable.
            Statement::Call { arguments, .. } => arguments.iter().for_each(|argument| add(*argument)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Graph, Origin};
    use super::*;

    #[test]
    fn rolling_back_returns_the_last_values() {
        let mut graph = Graph::new();
        let [a, b, c] = [(); 3].map(|()| graph.add(Origin::Inner));
        let mut variables = Variables::new(2, &[a]);
        variables.set(1, a);
        let mark = variables.mark();
        variables.set(1, b);
        variables.set(0, b);
        variables.set(1, c);
        assert_eq!(variables.roll_back(mark), [(0, b), (1, c)]);
        assert_eq!([0, 1, 2].map(|variable| variables.get(variable)), [Node::START, a, a]);
    }
}

//! The graph of one function. The first node of an edge is uniform only if the second node is uniform.

use std::collections::VecDeque;

use naga::{Expression, Function, Handle, Span};

/// A node: a value, or control flow at some point of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u32);

impl Node {
    /// The source of non-uniform values. Every node with a path to this node may differ between invocations.
    pub(super) const MAY_BE_NON_UNIFORM: Self = Self(0);
    /// Control flow at the start of the function.
    pub(super) const START: Self = Self(1);
    /// The value that the function returns.
    pub(super) const RETURN: Self = Self(2);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The construct of the author's text that a node represents, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// An intermediate node without a message.
    Inner,
    /// Control flow within a statement, which depends on a value.
    Decision { at: Span, by: Decision },
    /// The value of an expression.
    Value(Handle<Expression>),
    /// A variable after an assignment.
    Assigned { variable: usize, at: Span },
    /// The result of a call.
    Returned { function: Handle<Function>, at: Span },
    /// A variable after a call that received a pointer to the variable as this parameter.
    Pointee { function: Handle<Function>, parameter: usize, at: Span },
}

/// A statement or operator that decides which invocations continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// `if`, or the condition of a `while` or `for`.
    If,
    /// `&&` or `||`.
    ShortCircuit,
    Switch,
    BreakIf,
}

/// The nodes and edges of one function's graph.
#[derive(Debug)]
pub(super) struct Graph {
    origins: Vec<Origin>,
    edges: Vec<(Node, Node)>,
}

impl Graph {
    /// Returns a graph with only the nodes that every function has.
    pub(super) fn new() -> Self {
        Self { origins: vec![Origin::Inner; 3], edges: Vec::new() }
    }

    pub(super) fn add(&mut self, origin: Origin) -> Node {
        let node = Node(self.origins.len() as u32);
        self.origins.push(origin);
        node
    }

    /// Adds an edge: `from` is uniform only if `to` is uniform.
    pub(super) fn edge(&mut self, from: Node, to: Node) {
        if from != to {
            self.edges.push((from, to));
        }
    }

    pub(super) fn origin(&self, node: Node) -> Origin {
        self.origins[node.index()]
    }

    /// Returns the next node of each node on a shortest path to [`Node::MAY_BE_NON_UNIFORM`].
    pub(super) fn causes(&self) -> Paths {
        let backwards: Vec<(Node, Node)> = self.edges.iter().map(|(from, to)| (*to, *from)).collect();
        Paths(self.search(&backwards, [(Node::MAY_BE_NON_UNIFORM, Node::MAY_BE_NON_UNIFORM)]))
    }

    /// Returns, for each node, the lowest number of a root from which a path leads to the node.
    pub(super) fn reached(&self, roots: impl IntoIterator<Item = (Node, u32)>) -> Reached {
        let mut roots: Vec<(Node, u32)> = roots.into_iter().collect();
        roots.sort_by_key(|(_, number)| *number);
        let mut reached = vec![None; self.origins.len()];
        let outgoing = Adjacent::of(&self.edges, self.origins.len());
        let mut open = VecDeque::new();
        for (root, number) in roots {
            open.push_back(root);
            while let Some(node) = open.pop_front() {
                if reached[node.index()].is_none() {
                    reached[node.index()] = Some(number);
                    open.extend(outgoing.of_node(node));
                }
            }
        }
        Reached(reached)
    }

    /// Returns the predecessor of each node in a breadth-first search along `edges`, from `roots`.
    fn search(&self, edges: &[(Node, Node)], roots: [(Node, Node); 1]) -> Vec<Option<Node>> {
        let mut found = vec![None; self.origins.len()];
        let adjacent = Adjacent::of(edges, self.origins.len());
        let mut open: VecDeque<Node> = VecDeque::new();
        for (root, from) in roots {
            found[root.index()] = Some(from);
            open.push_back(root);
        }
        while let Some(node) = open.pop_front() {
            for next in adjacent.of_node(node) {
                if found[next.index()].is_none() {
                    found[next.index()] = Some(node);
                    open.push_back(next);
                }
            }
        }
        found
    }
}

/// Shortest paths to [`Node::MAY_BE_NON_UNIFORM`].
#[derive(Debug)]
pub(super) struct Paths(Vec<Option<Node>>);

impl Paths {
    /// Returns whether a path leads from a node to [`Node::MAY_BE_NON_UNIFORM`], so that the node may be non-uniform.
    pub(super) fn begins(&self, node: Node) -> bool {
        self.0[node.index()].is_some()
    }

    /// Returns the nodes of the path from `node`, without [`Node::MAY_BE_NON_UNIFORM`].
    pub(super) fn from(&self, node: Node) -> impl Iterator<Item = Node> {
        std::iter::successors(Some(node), |node| self.0[node.index()])
            .take_while(|node| *node != Node::MAY_BE_NON_UNIFORM)
    }
}

/// For each node, the number of the root from which a path leads to the node; `None` if no path does.
#[derive(Debug)]
pub(super) struct Reached(Vec<Option<u32>>);

impl Reached {
    pub(super) fn by(&self, node: Node) -> Option<u32> {
        self.0[node.index()]
    }

    pub(super) fn contains(&self, node: Node) -> bool {
        self.by(node).is_some()
    }
}

/// Edges, grouped by their first node.
struct Adjacent {
    /// The start of each node's edges in `ends`, followed by the length of `ends`.
    begins: Vec<u32>,
    ends: Vec<Node>,
}

impl Adjacent {
    fn of(edges: &[(Node, Node)], nodes: usize) -> Self {
        let mut begins = vec![0_u32; nodes + 1];
        for (from, _) in edges {
            begins[from.index() + 1] += 1;
        }
        for index in 0..nodes {
            begins[index + 1] += begins[index];
        }
        let mut free = begins.clone();
        let mut ends = vec![Node::START; edges.len()];
        for (from, to) in edges {
            let place = &mut free[from.index()];
            ends[*place as usize] = *to;
            *place += 1;
        }
        Self { begins, ends }
    }

    fn of_node(&self, node: Node) -> impl Iterator<Item = Node> {
        let range = self.begins[node.index()] as usize..self.begins[node.index() + 1] as usize;
        self.ends[range].iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_shortest_paths() {
        let mut graph = Graph::new();
        let [a, b, c, d] = [(); 4].map(|()| graph.add(Origin::Inner));
        for (from, to) in [(a, b), (b, c), (c, Node::MAY_BE_NON_UNIFORM), (a, c), (c, a), (d, Node::START)] {
            graph.edge(from, to);
        }
        let causes = graph.causes();
        assert_eq!(causes.from(a).collect::<Vec<_>>(), [a, c]);
        assert!(causes.begins(b) && !causes.begins(d) && !causes.begins(Node::START));
    }

    #[test]
    fn nodes_belong_to_the_lowest_root_that_reaches_them() {
        let mut graph = Graph::new();
        let [a, b, c] = [(); 3].map(|()| graph.add(Origin::Inner));
        for (from, to) in [(a, b), (b, a), (c, b)] {
            graph.edge(from, to);
        }
        let reached = graph.reached([(c, 7), (a, 3)]);
        assert_eq!([a, b, c, Node::START].map(|node| reached.by(node)), [Some(3), Some(3), Some(7), None]);
    }
}

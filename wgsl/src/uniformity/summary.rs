//! The effects of a function on its callers, which the specification calls tags.

use naga::{AddressSpace, Module};

use super::graph::{Graph, Node, Origin};
use super::requirement::Requirement;
use super::sources::{Subject, pointer_space};
use super::walk::Walk;

/// The nodes of a function's parameters and of the values that pointer parameters refer to.
#[derive(Debug)]
pub(super) struct Nodes {
    values: Vec<Node>,
    /// By parameter: the node of the value that a pointer parameter refers to when the function begins.
    contents: Vec<Node>,
    /// By parameter: the node of the value that a `ptr<function, ..>` refers to when the function ends; `None` for
    /// other parameters.
    outputs: Vec<Option<Node>>,
}

impl Nodes {
    pub(super) fn of(module: &Module, subject: Subject<'_>, graph: &mut Graph) -> Self {
        let function = subject.function;
        let mut nodes = Self { values: Vec::new(), contents: Vec::new(), outputs: Vec::new() };
        for parameter in 0..function.arguments.len() {
            let space = pointer_space(module, function, parameter);
            nodes.values.push(graph.add(Origin::Inner));
            nodes.contents.push(graph.add(Origin::Inner));
            let is_local = matches!(space, Some(AddressSpace::Function));
            nodes.outputs.push(is_local.then(|| graph.add(Origin::Inner)));
        }
        nodes
    }

    pub(super) fn value(&self, parameter: usize) -> Node {
        self.values[parameter]
    }

    pub(super) fn contents(&self) -> &[Node] {
        &self.contents
    }

    pub(super) fn output(&self, parameter: usize) -> Option<Node> {
        self.outputs[parameter]
    }
}

/// The effects of a function on its callers, as the walk over the function found them.
#[derive(Debug)]
pub(super) struct Summary {
    /// The index in `requirements` of the requirement because of which calls of the function must be in uniform control
    /// flow; `None` if such calls may be in any control flow.
    pub(super) call: Option<u32>,
    pub(super) returns_non_uniform: bool,
    pub(super) parameters: Vec<Parameter>,
    /// The requirements of the function, the most severe first.
    pub(super) requirements: Vec<Requirement>,
    pub(super) graph: Graph,
    pub(super) nodes: Nodes,
}

/// The use that a function makes of one parameter.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) is_pointer: bool,
    /// The index in `Summary::requirements` of the requirement because of which the parameter must be uniform;
    /// `contents` is the same for the value that a pointer parameter points to.
    pub(super) value: Option<u32>,
    pub(super) contents: Option<u32>,
    /// Whether the returned value depends on the parameter; `returns_contents` is the same for the value that a pointer
    /// parameter points to.
    pub(super) returns_value: bool,
    pub(super) returns_contents: bool,
    /// The values on which the value that the pointer refers to after a call depends.
    pub(super) output: Option<Output>,
}

/// The values on which the value that a pointer refers to after a call depends.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) is_non_uniform: bool,
    pub(super) from_values: Vec<usize>,
    pub(super) from_contents: Vec<usize>,
}

impl Walk<'_> {
    /// Returns the summary of the function, after the walk over it.
    pub(super) fn finish(mut self) -> Summary {
        self.requirements.sort_by_key(|requirement| std::cmp::Reverse(requirement.severity));
        let mut summary = Summary {
            call: None,
            returns_non_uniform: false,
            parameters: Vec::new(),
            requirements: self.requirements,
            graph: self.graph,
            nodes: self.nodes,
        };
        if self.subject.stage.is_none() {
            let count = self.function.arguments.len();
            let is_pointer = |parameter| pointer_space(self.module, self.function, parameter).is_some();
            summary.add_tags((0..count).map(is_pointer));
        }
        summary
    }
}

impl Summary {
    fn add_tags(&mut self, pointers: impl Iterator<Item = bool>) {
        let graph = &self.graph;
        let roots = self.requirements.iter().zip(0..).map(|(requirement, number)| (requirement.node, number));
        let required = graph.reached(roots);
        let returned = graph.reached([(Node::RETURN, 0)]);
        self.call = required.by(Node::START);
        self.returns_non_uniform = returned.contains(Node::MAY_BE_NON_UNIFORM);
        let (values, contents) = (&self.nodes.values, &self.nodes.contents);
        let outputs = self.nodes.outputs.iter().map(|output| {
            output.map(|output| {
                let reached = graph.reached([(output, 0)]);
                let of = |nodes: &[Node]| {
                    (0..nodes.len()).filter(|index| reached.contains(nodes[*index])).collect::<Vec<_>>()
                };
                Output {
                    is_non_uniform: reached.contains(Node::MAY_BE_NON_UNIFORM),
                    from_values: of(values),
                    from_contents: of(contents),
                }
            })
        });
        let parameters = pointers.zip(outputs).enumerate().map(|(index, (is_pointer, output))| Parameter {
            is_pointer,
            value: required.by(values[index]),
            contents: required.by(contents[index]),
            returns_value: returned.contains(values[index]),
            returns_contents: returned.contains(contents[index]),
            output,
        });
        self.parameters = parameters.collect();
    }
}

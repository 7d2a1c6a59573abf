//! Models: graphs of nodes.

use std::collections::BTreeMap;

use super::protobuf::{Value, fields, numbers};
use super::tensor::Tensor;
use super::text;

/// A model of an ONNX file.
#[derive(Debug)]
pub struct Model {
    /// The version of ONNX's standard operators that the model uses.
    pub opset: u64,
    pub graph: Graph,
}

/// A graph. Each node comes after the nodes whose outputs it takes.
#[derive(Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    pub initialisers: Vec<Tensor>,
}

/// An input or an output of a graph.
#[derive(Debug, PartialEq)]
pub struct Port {
    pub name: String,
    pub kind: Kind,
}

/// The type of the values of a [`Port`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A tensor of this element type.
    Tensor(u64),
    Sequence,
    Optional,
    Other,
}

/// An operator with its inputs; the name of an omitted input is empty.
#[derive(Debug, Default)]
pub struct Node {
    pub operator: String,
    pub domain: String,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub attributes: BTreeMap<String, Attribute>,
}

/// The value of a node's attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    Float(f32),
    Integer(i64),
    Text(String),
    Tensor(Tensor),
    /// A graph, whose content is not read.
    Graph,
    Floats(Vec<f32>),
    Integers(Vec<i64>),
    Other,
}

impl Model {
    /// Reads a model of a file.
    ///
    /// # Errors
    /// Bytes that are no model.
    pub fn read(message: &[u8]) -> Result<Self, String> {
        let mut model = Self { opset: 0, graph: Graph::default() };
        for (field, value) in fields(message)? {
            match (field, value) {
                (7, Value::Bytes(bytes)) => model.graph = Graph::read(bytes)?,
                (8, Value::Bytes(bytes)) => model.import(bytes)?,
                _ => {}
            }
        }
        Ok(model)
    }

    /// Reads the version of a set of operators.
    fn import(&mut self, message: &[u8]) -> Result<(), String> {
        let (mut domain, mut version) = (String::new(), 0);
        for (field, value) in fields(message)? {
            match (field, value) {
                (1, Value::Bytes(bytes)) => domain = text(bytes),
                (2, Value::Number(number)) => version = number,
                _ => {}
            }
        }
        if domain.is_empty() {
            self.opset = version;
        }
        Ok(())
    }
}

impl Graph {
    fn read(message: &[u8]) -> Result<Self, String> {
        let mut graph = Self::default();
        for (field, value) in fields(message)? {
            match (field, value) {
                (1, Value::Bytes(bytes)) => graph.nodes.push(Node::read(bytes)?),
                (5, Value::Bytes(bytes)) => graph.initialisers.push(Tensor::read(bytes)?),
                (11, Value::Bytes(bytes)) => graph.inputs.push(Port::read(bytes)?),
                (12, Value::Bytes(bytes)) => graph.outputs.push(Port::read(bytes)?),
                _ => {}
            }
        }
        Ok(graph)
    }
}

impl Port {
    fn read(message: &[u8]) -> Result<Self, String> {
        let mut port = Self { name: String::new(), kind: Kind::Other };
        for (field, value) in fields(message)? {
            match (field, value) {
                (1, Value::Bytes(bytes)) => port.name = text(bytes),
                (2, Value::Bytes(bytes)) => port.kind = kind(bytes)?,
                _ => {}
            }
        }
        Ok(port)
    }
}

fn kind(message: &[u8]) -> Result<Kind, String> {
    let mut kind = Kind::Other;
    for (field, value) in fields(message)? {
        match (field, value) {
            (1, Value::Bytes(bytes)) => {
                let element = fields(bytes)?.into_iter().find_map(|(field, value)| match (field, value) {
                    (1, Value::Number(element)) => Some(element),
                    _ => None,
                });
                kind = Kind::Tensor(element.unwrap_or(0));
            }
            (4, _) => kind = Kind::Sequence,
            (9, _) => kind = Kind::Optional,
            _ => {}
        }
    }
    Ok(kind)
}

impl Node {
    fn read(message: &[u8]) -> Result<Self, String> {
        let mut node = Self::default();
        for (field, value) in fields(message)? {
            match (field, value) {
                (1, Value::Bytes(name)) => node.inputs.push(text(name)),
                (2, Value::Bytes(name)) => node.outputs.push(text(name)),
                (4, Value::Bytes(name)) => node.operator = text(name),
                (5, Value::Bytes(bytes)) => {
                    let (name, value) = attribute(bytes)?;
                    node.attributes.insert(name, value);
                }
                (7, Value::Bytes(name)) => node.domain = text(name),
                _ => {}
            }
        }
        Ok(node)
    }
}

/// The name and the value of an attribute.
fn attribute(message: &[u8]) -> Result<(String, Attribute), String> {
    let (mut name, mut kind) = (String::new(), 0);
    let (mut float, mut integer, mut string, mut tensor) = (0.0, 0, String::new(), None);
    let (mut floats, mut integers) = (Vec::new(), Vec::new());
    for (field, value) in fields(message)? {
        match (field, value) {
            (1, Value::Bytes(bytes)) => name = text(bytes),
            (2, Value::Bytes(bytes)) => float = all_floats(bytes).first().copied().unwrap_or(0.0),
            (3, Value::Number(number)) => integer = number.cast_signed(),
            (4, Value::Bytes(bytes)) => string = text(bytes),
            (5, Value::Bytes(bytes)) => tensor = Some(bytes),
            (7, Value::Bytes(bytes)) => floats.extend(all_floats(bytes)),
            (8, value) => integers.extend(numbers(value)?.into_iter().map(u64::cast_signed)),
            (20, Value::Number(number)) => kind = number,
            _ => {}
        }
    }
    let value = match (kind, tensor) {
        (1, _) => Attribute::Float(float),
        (2, _) => Attribute::Integer(integer),
        (3, _) => Attribute::Text(string),
        (4, Some(bytes)) => Attribute::Tensor(Tensor::read(bytes)?),
        (5, _) => Attribute::Graph,
        (6, _) => Attribute::Floats(floats),
        (7, _) => Attribute::Integers(integers),
        _ => Attribute::Other,
    };
    Ok((name, value))
}

fn all_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok().map(f32::from_le_bytes)).collect()
}

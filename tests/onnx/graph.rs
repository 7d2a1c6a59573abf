//! Runs graphs, one node after the other.

use std::collections::HashMap;

use anywarp::Device;
use anywarp_testing::onnx::{Attribute, Model, Node};
use anywarp_testing_devices::outcome::{Stop, TestResult};

use crate::array::{Array, Type};
use crate::operators;

/// A node with its inputs, ready to be computed.
pub(crate) struct Call<'c> {
    pub(crate) device: &'c Device,
    pub(crate) node: &'c Node,
    /// The version of ONNX's operators.
    pub(crate) opset: u64,
    inputs: Vec<Option<Array>>,
}

impl Call<'_> {
    /// The input at `index`, which must be present.
    pub(crate) fn input(&self, index: usize) -> TestResult<&Array> {
        match self.optional(index) {
            Some(array) => Ok(array),
            None => fail!("{}: input {index} is missing", self.node.operator),
        }
    }

    /// The input at `index`, which may be omitted.
    pub(crate) fn optional(&self, index: usize) -> Option<&Array> {
        self.inputs.get(index)?.as_ref()
    }

    /// All inputs, none of which may be omitted.
    pub(crate) fn inputs(&self) -> TestResult<Vec<&Array>> {
        (0..self.inputs.len()).map(|index| self.input(index)).collect()
    }

    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        match self.node.attributes.get(name) {
            Some(Attribute::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.integer(name).map_or(default, |value| value != 0)
    }

    pub(crate) fn integers(&self, name: &str) -> Option<Vec<i64>> {
        match self.node.attributes.get(name) {
            Some(Attribute::Integers(values)) => Some(values.clone()),
            _ => None,
        }
    }

    /// Integers that newer versions pass as an input, and older ones as an attribute.
    pub(crate) fn integers_of(&self, name: &str, input: usize) -> TestResult<Option<Vec<i64>>> {
        match self.optional(input) {
            Some(array) => Ok(Some(array.integers()?)),
            None => Ok(self.integers(name)),
        }
    }

    pub(crate) fn float(&self, name: &str, default: f32) -> f32 {
        match self.node.attributes.get(name) {
            Some(Attribute::Float(value)) => *value,
            _ => default,
        }
    }

    pub(crate) fn text(&self, name: &str, default: &str) -> String {
        match self.node.attributes.get(name) {
            Some(Attribute::Text(value)) => value.clone(),
            _ => default.to_owned(),
        }
    }

    /// The element type that an attribute names.
    pub(crate) fn kind(&self, name: &str) -> TestResult<Option<Type>> {
        self.integer(name).map(|number| Type::of(number.unsigned_abs())).transpose()
    }

    /// The axis that the attribute `axis` names, counted from 0, in an array with `rank` axes.
    pub(crate) fn axis(&self, default: i64, rank: usize) -> TestResult<usize> {
        axis(self.integer("axis").unwrap_or(default), rank)
    }
}

/// The axis counted from 0, for an axis that may be counted from the end.
pub(crate) fn axis(axis: i64, rank: usize) -> TestResult<usize> {
    let counted = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(counted) {
        Ok(counted) if counted < rank => Ok(counted),
        _ => fail!("axis {axis} is out of range for {rank} axes"),
    }
}

/// Runs a model; returns its outputs in their order.
pub(crate) fn run(device: &Device, model: &Model, inputs: Vec<(String, Array)>) -> TestResult<Vec<Array>> {
    let graph = &model.graph;
    // A graph is not started if any of its nodes has no operator here.
    for node in &graph.nodes {
        operators::find(node)?;
    }
    let mut values: HashMap<String, Array> = inputs.into_iter().collect();
    for tensor in &graph.initialisers {
        values.insert(tensor.name.clone(), Array::upload(device, tensor)?);
    }
    for node in &graph.nodes {
        let operator = operators::find(node)?;
        let mut inputs = Vec::new();
        for name in &node.inputs {
            inputs.push(if name.is_empty() { None } else { Some(value(&values, name)?) });
        }
        let outputs = operator(&Call { device, node, opset: model.opset, inputs }).map_err(|stop| match stop {
            Stop::Fail(text) => Stop::Fail(format!("{}: {text}", node.operator)),
            Stop::Skip(text) => Stop::Skip(text),
        })?;
        if outputs.len() < node.outputs.len() {
            return fail!("{}: {} outputs, expected {}", node.operator, outputs.len(), node.outputs.len());
        }
        values.extend(node.outputs.iter().cloned().zip(outputs));
    }
    graph.outputs.iter().map(|output| value(&values, &output.name)).collect()
}

fn value(values: &HashMap<String, Array>, name: &str) -> TestResult<Array> {
    values.get(name).cloned().map_or_else(|| fail!("no node computes '{name}'"), Ok)
}

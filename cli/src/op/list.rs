//! `anywarp op --list`.

use std::fmt::Write;

use serde_json::{Value, json};

use super::parameter::Parameter;
use super::{Form, Need, Operator, Port, Types, all};
use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::matrices::EXTENSIONS;
use crate::terminal;

/// Prints all operators.
pub(super) fn print(json: bool) -> Result<(), Failure> {
    if json {
        let list: Vec<Value> = all().map(as_json).collect();
        return terminal::print(&format!("{:#}", json!({ "operators": list })));
    }
    let mut text = String::new();
    for operator in all() {
        let _ = write!(text, "{}\n\n", as_text(operator));
    }
    terminal::print(text.trim_end())
}

fn as_text(operator: &Operator) -> String {
    let mut text = format!("{}: {}\n", operator.name, operator.summary);
    let ports = |ports: &[Port]| ports.iter().map(port_text).collect::<Vec<_>>().join(", ");
    if !operator.inputs.is_empty() {
        let _ = writeln!(text, "  inputs      {}", ports(operator.inputs));
    }
    let _ = writeln!(text, "  outputs     {}", ports(operator.outputs));
    let parameters: Vec<String> = operator.parameters.iter().map(parameter_text).collect();
    if !parameters.is_empty() {
        let _ = writeln!(text, "  parameters  {}", parameters.join(", "));
    }
    let types: Vec<&str> = operator.run.types.iter().map(|dtype| dtype.word()).collect();
    let _ = write!(text, "  T           {}", types.join(", "));
    text
}

fn port_text(port: &Port) -> String {
    let types = types(port).unwrap_or_else(|| "T".to_owned());
    let name = if port.form == Form::Named { format!("--{}", port.name) } else { port.name.to_owned() };
    match port.form {
        Form::Required | Form::Matrix => format!("{name}: {types}"),
        Form::Optional | Form::Named => format!("[{name}: {types}]"),
        Form::Rest => format!("{name}.."),
        Form::Files => format!("{name}..: {types}"),
    }
}

fn parameter_text(parameter: &Parameter) -> String {
    let name = format!("--{} {}", parameter.name, parameter.kind.value_name());
    let name = name.trim_end();
    match parameter.need {
        Need::Required => name.to_owned(),
        Need::Optional => format!("[{name}]"),
        Need::Default(value) => format!("[{name} = {value}]"),
    }
}

/// The types of a port, unless it is `T`.
fn types(port: &Port) -> Option<String> {
    match port.types {
        Types::T => None,
        Types::Of(_) if port.form == Form::Matrix => Some(EXTENSIONS.join("|")),
        Types::Of(types) => Some(types.iter().map(|dtype| dtype.word()).collect::<Vec<_>>().join("|")),
        Types::Any => Some("any".to_owned()),
    }
}

fn as_json(operator: &Operator) -> Value {
    let words = |types: &[Dtype]| types.iter().map(|dtype| dtype.word()).collect::<Vec<_>>();
    let port = |port: &Port| {
        let types = match port.types {
            Types::T => words(operator.run.types),
            Types::Of(_) if port.form == Form::Matrix => EXTENSIONS.to_vec(),
            Types::Of(types) => words(types),
            Types::Any => vec!["any"],
        };
        let required = matches!(port.form, Form::Required | Form::Matrix | Form::Rest | Form::Files);
        json!({
            "name": port.name, "summary": port.summary, "types": types, "is_t": port.types == Types::T,
            "required": required, "option": port.form == Form::Named,
        })
    };
    let parameter = |parameter: &Parameter| {
        json!({
            "name": parameter.name, "summary": parameter.summary, "value": parameter.kind.value_name(),
            "required": parameter.need == Need::Required,
            "default": if let Need::Default(value) = parameter.need { Some(value) } else { None },
        })
    };
    json!({
        "name": operator.name,
        "summary": operator.summary,
        "types": words(operator.run.types),
        "inputs": operator.inputs.iter().map(port).collect::<Vec<_>>(),
        "outputs": operator.outputs.iter().map(port).collect::<Vec<_>>(),
        "parameters": operator.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

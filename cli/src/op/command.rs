//! The command line of `anywarp op`, generated from the table of operators.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::call::names;
use super::parameter::{Kind, Parameter};
use super::{Chosen, Form, Need, Operator, Port, Types, Values};
use crate::values;

/// The arguments of `anywarp op`.
#[derive(Clone, Debug)]
pub(crate) struct OpArgs {
    pub(crate) list: bool,
    pub(crate) chosen: Option<Chosen>,
}

impl Args for OpArgs {
    fn augment_args(command: Command) -> Command {
        let list = Arg::new("list").long("list").action(ArgAction::SetTrue);
        let list = list.help("List the operators with their inputs, outputs, parameters and element types");
        let command = command.arg(list).subcommand_value_name("NAME").subcommand_help_heading("Operators");
        super::all()
            .fold(command.disable_help_subcommand(true), |command, operator| command.subcommand(subcommand(operator)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OpArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| chosen(super::named(name)?, matches));
        Ok(Self { list: matches.get_flag("list"), chosen })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(operator: &'static Operator) -> Command {
    let mut command = Command::new(operator.name).about(operator.summary).after_help(types(operator));
    for port in operator.inputs {
        command = command.arg(input(port));
    }
    command = command.arg(outputs(operator));
    for parameter in operator.parameters {
        command = command.arg(option(parameter));
    }
    if takes_type(operator) {
        let first = operator.run.types[0].word();
        let dtype = Arg::new("--dtype").long("dtype").value_name("DTYPE").default_value(first);
        command = command.arg(dtype.value_parser(dtype_word).help("The element type"));
    }
    let device = Arg::new("device").long("device").value_name("SELECTOR");
    let repeat = Arg::new("repeat").long("repeat").value_name("N").default_value("1").allow_negative_numbers(true);
    let print = Arg::new("print").long("print").value_name("N").allow_negative_numbers(true);
    let strict = Arg::new("strict").long("strict").action(ArgAction::SetTrue);
    command
        .arg(
            device
                .help("The device, as `anywarp devices` lists it [default: that of `ANYWARP_DEVICE`, or the best one]"),
        )
        .arg(repeat.value_parser(values::repeat).help("Run N times, and report the median time"))
        .arg(
            print
                .value_parser(values::print)
                .help("Print N elements of each output [default: 8 without -o, else none]"),
        )
        .arg(strict.help("End with status 3 also for notes of a checked device"))
}

/// Whether `--dtype` gives the element type, as no input has it.
pub(super) fn takes_type(operator: &Operator) -> bool {
    let is_fixed = |port: &Port| matches!(port.types, Types::Of(_));
    operator.inputs.iter().all(is_fixed) && operator.run.types.len() > 1
}

fn input(port: &'static Port) -> Arg {
    let arg = Arg::new(port.name).help(port.summary).value_name(file(port));
    match port.form {
        Form::Required | Form::Matrix => arg.required(true),
        Form::Optional => arg,
        Form::Named => arg.long(port.name),
        // Numbers may be negative.
        Form::Rest => arg.num_args(1..).required(true).allow_negative_numbers(true),
        Form::Files => arg.num_args(1..).required(true),
    }
}

/// The name of a port's file in help texts.
fn file(port: &Port) -> &'static str {
    kept(format!("{}.{}", port.name.to_uppercase(), extension(port)))
}

fn extension(port: &Port) -> &'static str {
    if port.form == Form::Matrix { "mtx" } else { "npy" }
}

/// Returns a text that lives as long as the process, as clap requires. The few hundred short texts may leak.
fn kept(text: String) -> &'static str {
    text.leak()
}

fn outputs(operator: &'static Operator) -> Arg {
    let names: Vec<&str> = operator.outputs.iter().map(file).collect();
    let most = if operator.outputs.iter().any(|port| port.form == Form::Rest) { 8 } else { names.len() };
    let texts: Vec<&str> = operator.outputs.iter().map(|port| port.summary).collect();
    let arg = Arg::new("out").short('o').long("out").value_names(names.clone()).action(ArgAction::Append);
    let arg = if most == names.len() { arg.num_args(most) } else { arg.value_name(names[0]).num_args(1..=most) };
    arg.value_parser(clap::value_parser!(PathBuf)).help(texts.join("; "))
}

fn option(parameter: &'static Parameter) -> Arg {
    let arg = Arg::new(kept(format!("--{}", parameter.name))).long(parameter.name).help(parameter.summary);
    if parameter.kind == Kind::Flag {
        return arg.action(ArgAction::SetTrue);
    }
    let arg = arg.value_name(parameter.kind.value_name()).value_parser(move |text: &str| parameter.check(text));
    let arg = match parameter.kind {
        Kind::Word(known) => arg.value_name(kept(known.join("|"))),
        // A value such as `-x` is not an option.
        _ => arg.allow_hyphen_values(true),
    };
    match parameter.need {
        Need::Required => arg.required(true),
        Need::Optional => arg,
        Need::Default(value) => arg.default_value(value),
    }
}

fn dtype_word(text: &str) -> Result<String, String> {
    let known = "f32, f16, f64, i32, u32, i64, u64, i16, u16, i8 or u8";
    let found = crate::dtype::Dtype::of_elements(text);
    found
        .map(|dtype| dtype.word().to_owned())
        .ok_or_else(|| format!("expected {known}, found '{text}': write --dtype f32"))
}

/// The element types, as a paragraph of the help.
fn types(operator: &Operator) -> String {
    let one = |port: &Port| match port.types {
        Types::T => None,
        Types::Of(_) if port.form == Form::Matrix => {
            Some(format!("; {} is a sparse matrix in a .mtx or .npz file", port.name))
        }
        Types::Of(types) => Some(format!("; {} are {}", port.name, names(types))),
        Types::Any => None,
    };
    let others: String = operator.inputs.iter().chain(operator.outputs).filter_map(one).collect();
    format!("Element types: {}{others}", names(operator.run.types))
}

/// An example of a call of the operator, with all required arguments.
pub(crate) fn example(operator: &Operator) -> String {
    let mut words = vec!["anywarp op".to_owned(), operator.name.to_owned()];
    let files = operator
        .inputs
        .iter()
        .filter(|port| matches!(port.form, Form::Required | Form::Matrix | Form::Rest | Form::Files));
    words.extend(files.map(|port| format!("{}.{}", port.name, extension(port))));
    for parameter in operator.parameters.iter().filter(|parameter| parameter.need == Need::Required) {
        words.push(format!("--{} {}", parameter.name, parameter.kind.example()));
    }
    words.push("-o".to_owned());
    words.extend(operator.outputs.iter().map(|port| format!("{}.{}", port.name, extension(port))));
    words.join(" ")
}

fn chosen(operator: &'static Operator, matches: &ArgMatches) -> Option<Chosen> {
    let mut files = Vec::new();
    for port in operator.inputs {
        let given = matches.get_many::<String>(port.name).into_iter().flatten();
        files.extend(given.map(|text| (port.name, text.clone())));
    }
    let mut values = Values::default();
    let mut take = |name: &str| {
        if let Some(text) = matches.get_one::<String>(&format!("--{name}")) {
            values.texts.insert(name.to_owned(), text.clone());
        }
    };
    operator.parameters.iter().filter(|parameter| parameter.kind != Kind::Flag).for_each(|given| take(given.name));
    if takes_type(operator) {
        take("dtype");
    }
    for flag in operator.parameters.iter().filter(|parameter| parameter.kind == Kind::Flag) {
        if matches.get_flag(&format!("--{}", flag.name)) {
            values.texts.insert(flag.name.to_owned(), String::new());
        }
    }
    Some(Chosen {
        operator: operator.name,
        files,
        outputs: matches.get_many::<PathBuf>("out").into_iter().flatten().cloned().collect(),
        values,
        device: matches.get_one::<String>("device").cloned(),
        repeat: matches.get_one::<u32>("repeat").copied().unwrap_or(1),
        print: matches.get_one::<u64>("print").copied(),
        strict: matches.get_flag("strict"),
    })
}

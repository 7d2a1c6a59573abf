//! The text of clap's errors in the form of the tool's own errors: the argument, the expected and the actual value, and
//! what to do.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use crate::args::Cli;
use crate::op;

/// The text of the error; `None` where clap's own text is printed, mostly for `--help`.
pub(crate) fn text(error: &clap::Error, words: impl Iterator<Item = String>) -> Option<String> {
    let (command, name) = meant(words);
    let argument = strings(error, ContextKind::InvalidArg);
    let first = argument.first().map_or("", |argument| option(argument));
    let value = strings(error, ContextKind::InvalidValue).concat();
    Some(match error.kind() {
        ErrorKind::UnknownArgument => unknown(error, &command, &name, first),
        ErrorKind::InvalidSubcommand => {
            let given = strings(error, ContextKind::InvalidSubcommand).concat();
            let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            format!(
                "{given}: expected a command of `{name}`, found '{given}': choose one of {}; `{name} --help` describes them",
                known.join(", ")
            )
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> = argument.iter().map(|argument| alternatives(argument)).collect();
            format!("expected {}, found none: write {}", missing.join(", and "), example(&name))
        }
        ErrorKind::ArgumentConflict => match strings(error, ContextKind::PriorArg).first().map(|prior| option(prior)) {
            Some(prior) if prior != first => {
                format!("{first} and {prior}: expected one of the two, found both: leave one out")
            }
            _ => format!("{first}: expected once, found twice: leave one out"),
        },
        ErrorKind::InvalidValue if value.is_empty() => {
            let form = argument.first().map_or("", String::as_str);
            let known = strings(error, ContextKind::ValidValue).join(", ");
            let remedy = if known.is_empty() { format!("write {form}") } else { format!("choose one of {known}") };
            format!("{first}: expected a value after it, found none: {remedy}")
        }
        ErrorKind::InvalidValue => {
            let known = strings(error, ContextKind::ValidValue).join(", ");
            format!("{first} {value}: expected one of {known}, found '{value}': choose one of these")
        }
        ErrorKind::ValueValidation => format!("{first} {value}: {}", error.source()?),
        _ => return None,
    })
}

/// The subcommand that the words name, and its full name, such as `anywarp cache show`.
fn meant(words: impl Iterator<Item = String>) -> (Command, String) {
    let (mut command, mut name) = (Cli::command(), "anywarp".to_owned());
    for word in words.skip(1).filter(|word| !word.starts_with('-')) {
        let Some(sub) = command.find_subcommand(&word).cloned() else { break };
        name = format!("{name} {word}");
        command = sub;
    }
    (command, name)
}

fn unknown(error: &clap::Error, command: &Command, name: &str, argument: &str) -> String {
    if !argument.starts_with('-') {
        let takes: Vec<String> =
            command.get_positionals().map(|taken| taken.get_id().to_string().to_uppercase()).collect();
        let takes = if takes.is_empty() { "no argument".to_owned() } else { format!("one {}", takes.join(" ")) };
        return format!(
            "{argument}: expected {takes} and options, found '{argument}' as well: leave it out, or write it after the option \
             that it belongs to"
        );
    }
    if argument[1..].starts_with(|letter: char| letter.is_ascii_digit()) {
        let number = &argument[1..];
        return format!(
            "{argument}: expected an option or a number without a sign, found '{argument}': write {number}"
        );
    }
    let close = strings(error, ContextKind::SuggestedArg);
    let options = command.get_arguments().filter(|known| !known.is_hide_set()).filter_map(|known| known.get_long());
    let known: Vec<String> = options.map(|long| format!("--{long}")).collect();
    let remedy = match close.first() {
        Some(close) => format!("write {close}, if that is meant"),
        None if known.is_empty() => "leave it out".to_owned(),
        None => format!("choose one of {}", known.join(", ")),
    };
    format!(
        "{argument}: expected an option of `{name}`, found '{argument}': {remedy}; `{name} --help` describes them all"
    )
}

fn strings(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(all)) => all.clone(),
        _ => Vec::new(),
    }
}

/// `--to` from `--to <STAGE>`.
fn option(argument: &str) -> &str {
    argument.split(' ').next().unwrap_or(argument)
}

/// `--groups X or --threads X` from `<--groups <X>|--threads <X>>`.
fn alternatives(argument: &str) -> String {
    let inner = argument.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(argument);
    let plain: String = inner.chars().filter(|letter| !matches!(letter, '<' | '>')).collect();
    plain.replace('|', " or ")
}

fn example(name: &str) -> String {
    if let Some(operator) = name.strip_prefix("anywarp op ").and_then(op::named) {
        return op::example(operator);
    }
    let fixed = match name {
        "anywarp run" => "anywarp run kernel.wgsl --threads 1024",
        "anywarp translate" => "anywarp translate kernel.wgsl --to spirv",
        "anywarp check" => "anywarp check kernel.wgsl",
        "anywarp ring top" => "anywarp ring top actors.wgsl --actors 64",
        "anywarp trace compare" => "anywarp trace compare before.json after.json",
        _ => "anywarp --help, which describes it",
    };
    fixed.to_owned()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn refused(line: &str) -> String {
        let words = || line.split(' ').map(str::to_owned);
        text(&Cli::try_parse_from(words()).unwrap_err(), words()).unwrap_or_default()
    }

    #[test]
    fn a_refusal_of_clap_has_all_four_parts() {
        let table = [
            (
                "anywarp run",
                "expected --groups X[,Y[,Z]] or --threads X[,Y[,Z]], and FILE, found none: write anywarp run",
            ),
            ("anywarp run a --threads 1 --groups 1", "--threads and --groups: expected one of the two, found both"),
            ("anywarp run a --threads 1 --threads 2", "--threads: expected once, found twice: leave one out"),
            (
                "anywarp run a --treads 1",
                "--treads: expected an option of `anywarp run`, found '--treads': write --threads",
            ),
            ("anywarp devices --zzz", "found '--zzz': leave it out; `anywarp devices --help` describes"),
            ("anywarp devices more", "more: expected no argument and options, found 'more' as well: leave it out"),
            (
                "anywarp cache drop",
                "drop: expected a command of `anywarp cache`, found 'drop': choose one of show, clear",
            ),
            ("anywarp run a --bind", "--bind: expected a value after it, found none: write --bind <KEY=SOURCE>"),
            ("anywarp translate a --to dxil", "--to dxil: expected one of source, wgsl"),
            ("anywarp run a --threads -4", "--threads -4: expected one to three numbers"),
            ("anywarp run a --threads -4,2", "-4: expected an option or a number without a sign"),
            ("anywarp run a --threads --bind x=y.npy", "--threads: expected a value after it, found none"),
        ];
        for (line, expected) in table {
            let message = refused(line);
            assert!(message.contains(expected), "{line}\n{message}\nlacks\n{expected}");
        }
        assert_eq!(refused("anywarp --help"), "");
    }
}

//! The errors of the tool: message, class and exit code.

use std::process::ExitCode;

use anywarp::ops::OperationError;
use anywarp::{Error, ErrorClass, Finding, Findings, KernelError, LaunchError};

/// The exit code for an invalid command line.
pub(crate) const USAGE: u8 = 2;
/// The exit code for a kernel with findings of a checked device, or that meets a condition of `--fail-on`.
const FOUND: u8 = 3;
/// The exit code for all other errors.
const FAILED: u8 = 1;

/// The reason why the tool stops.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// A file cannot be read, written or parsed.
    File(String),
    /// The device or the kernel failed; with the argument that is the cause, if there is one.
    Library { argument: Option<String>, error: Box<Error> },
    /// This machine cannot make a stage of a kernel's translation.
    Translation(String),
    /// A checked device found mistakes in the kernel, or notes with `--strict`.
    Findings(Findings),
    /// Conditions of `inspect --fail-on` hold, each at these places.
    Condition(Vec<String>),
    /// Files that were checked do not pass; their findings were printed.
    Check { failed: usize, all: usize },
}

impl Failure {
    /// An error of the library caused by one argument.
    pub(crate) fn of(argument: impl Into<String>, error: impl Into<Error>) -> Self {
        match Self::from(error) {
            Self::Library { error, .. } => Self::Library { argument: Some(argument.into()), error },
            Self::Usage(message) => Self::Usage(format!("{}: {message}", argument.into())),
            other => other,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_) => USAGE,
            Self::Findings(_) | Self::Condition(_) => FOUND,
            Self::File(_) | Self::Library { .. } | Self::Translation(_) | Self::Check { .. } => FAILED,
        })
    }

    /// The class of the failure in `--json`.
    fn class(&self) -> &'static str {
        match self {
            Self::Usage(_) => "usage",
            Self::File(_) => "file",
            Self::Translation(_) => "translation",
            Self::Findings(_) => "findings",
            Self::Condition(_) => "condition",
            Self::Check { .. } => "check",
            Self::Library { error, .. } => word(error.class()),
        }
    }

    /// Writes the failure to stderr: as text or, with `json`, as an object on one line.
    pub(crate) fn print(&self, json: bool) {
        if let Self::Findings(findings) = self {
            if json {
                let list = findings_as_json(findings);
                let object = serde_json::json!({ "error": self.to_string(), "class": self.class(), "findings": list });
                eprintln!("{object}");
            } else {
                eprintln!("{findings}\n\n{self}");
            }
        } else if json {
            eprintln!("{}", serde_json::json!({ "error": self.to_string(), "class": self.class() }));
        } else {
            eprintln!("error: {self}");
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usage(message) | Self::File(message) | Self::Translation(message) => f.write_str(message),
            Self::Library { argument: Some(argument), error } => write!(f, "{argument}: {error}"),
            Self::Library { argument: None, error } => error.fmt(f),
            Self::Check { failed, all: 1 } => write!(f, "{failed} file does not pass"),
            Self::Check { failed, all } => write!(f, "{failed} of {all} files do not pass"),
            Self::Findings(findings) => f.write_str(&counted(findings)),
            Self::Condition(places) => f.write_str(&places.join("\n")),
        }
    }
}

/// The class of a library error in `--json`.
pub(crate) fn word(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Retryable => "retryable",
        ErrorClass::Resource => "resource",
        ErrorClass::Programmer => "programmer",
        _ => "fatal",
    }
}

/// `3 findings, 1 of them a note`.
fn counted(findings: &Findings) -> String {
    let (count, errors) = (findings.len(), findings.errors().count());
    let plural = if count == 1 { "" } else { "s" };
    match count - errors {
        0 => format!("{count} finding{plural}"),
        notes if errors == 0 => format!("{notes} note{}", if notes == 1 { "" } else { "s" }),
        1 => format!("{count} finding{plural}, 1 of them a note"),
        notes => format!("{count} finding{plural}, {notes} of them notes"),
    }
}

/// Writes notes, which do not fail the run, to stderr.
pub(crate) fn print_notes(findings: &Findings, json: bool) {
    if json {
        eprintln!("{}", serde_json::json!({ "findings": findings_as_json(findings) }));
    } else {
        eprintln!("{findings}\n\n{}", counted(findings));
    }
}

fn findings_as_json(findings: &Findings) -> Vec<serde_json::Value> {
    findings.iter().map(finding_as_json).collect()
}

fn finding_as_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "kind": finding.kind.name(),
        "severity": finding.kind.severity().name(),
        "kernel": &*finding.kernel,
        "file": &*finding.at.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "variable": finding.variable,
        "index": finding.index,
        "count": finding.count,
        "invocation": finding.invocation.map(|invocation| invocation.global),
        "other_line": finding.other.as_ref().map(|other| other.at.line),
        "other_invocation": finding.other.as_ref().map(|other| other.invocation.global),
        "occurrences": finding.occurrences,
        "text": finding.to_string(),
    })
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        match error.into() {
            Error::Kernel(error) => of_kernel(error),
            error if is_usage(&error) => Self::Usage(error.to_string()),
            error => Self::Library { argument: None, error: Box::new(error) },
        }
    }
}

/// Converts a library error about a kernel; an error caused by the command line names the option.
fn of_kernel(error: KernelError) -> Failure {
    Failure::Usage(match error {
        KernelError::WhichEntryPoint { file, candidates } => format!(
            "expected --entry NAME, as {file} has several compute entry points, found none: write --entry {}",
            candidates.join(" or --entry ")
        ),
        KernelError::UnknownEntryPoint { file, name, candidates } => {
            let known = candidates.join(", ");
            format!("--entry {name}: expected a compute entry point of {file}, found '{name}': choose one of {known}")
        }
        KernelError::UnknownOverride { kernel, name, candidates } => {
            let remedy = match candidates.join(", ") {
                none if none.is_empty() => "it has none, leave this out".to_owned(),
                known => format!("choose one of {known}"),
            };
            format!("--override {name}: expected an override of kernel '{kernel}', found '{name}': {remedy}")
        }
        KernelError::Override { kernel, message } => {
            format!("kernel '{kernel}': {message}\n  --override NAME=VALUE sets it")
        }
        error => return Failure::Library { argument: None, error: Box::new(error.into()) },
    })
}

/// Whether the error was caused directly by the command line.
fn is_usage(error: &Error) -> bool {
    let of_operator = matches!(
        error.downcast_ref(),
        Some(
            OperationError::Choice { .. }
                | OperationError::Axis { .. }
                | OperationError::Parameter { .. }
                | OperationError::Text { .. }
        )
    );
    of_operator
        || matches!(
            error,
            Error::Launch(
                LaunchError::UnknownBinding { .. }
                    | LaunchError::UnknownPath { .. }
                    | LaunchError::Missing { .. }
                    | LaunchError::NegativeGrid { .. }
                    | LaunchError::HugeGrid { .. }
            )
        )
}

//! How a trace ended, and the lines in which a worker tells.

use serde::{Deserialize, Serialize};

/// How a trace ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// Every check held.
    Passed,
    /// The device cannot run it; `reason` is the same for all traces skipped for it.
    Skipped { reason: String },
    /// Refused, crashed, timed out or wrong.
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// One line.
    pub(crate) cause: String,
    /// Mismatches or diagnostics.
    pub(crate) details: Vec<String>,
}

impl Outcome {
    /// A failure told in one text, whose first line is the cause.
    pub(crate) fn failed(text: &str) -> Self {
        let mut lines = text.lines().map(str::to_owned);
        Self::Failed(Failure { cause: lines.next().unwrap_or_default(), details: lines.collect() })
    }
}

/// What a worker is to run: traces of one file, by line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) file: String,
    pub(crate) lines: Vec<usize>,
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The device is open; what it is.
    Device(String),
    /// A step of the current trace is done.
    Alive,
    /// The trace at `line` ended.
    Done { line: usize, outcome: Outcome },
    /// The device is of no more use: a new worker has to go on.
    Renew,
    /// Nothing can be run: no such device, no such file.
    Unable(String),
}

/// Begins a message, since drivers print to the standard output too.
const MARK: &str = "@cts ";

impl Message {
    /// The message as a line, without its end.
    pub(crate) fn to_line(&self) -> String {
        format!("{MARK}{}", serde_json::to_string(self).expect("messages have only string keys"))
    }

    /// The message in a line, or `None` where the line is none.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        // A driver that prints without an end of line leaves its text before the mark.
        let (_, message) = line.split_once(MARK)?;
        serde_json::from_str(message).ok()
    }
}

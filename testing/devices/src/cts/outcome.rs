//! Outcomes of traces, and the messages in which a worker reports them.

use serde::{Deserialize, Serialize};

/// The outcome of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// Every check passed.
    Passed,
    /// The device cannot run the trace; `reason` has the same text for all traces that cannot run for the same reason.
    Skipped { reason: String },
    /// The trace was refused, crashed, timed out, or had wrong results.
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The cause, in one line.
    pub cause: String,
    /// The lines after the cause: mismatches, or a diagnostic.
    pub details: Vec<String>,
}

impl Failure {
    /// Whether the cause or a detail contains a text.
    pub fn contains(&self, text: &str) -> bool {
        std::iter::once(&self.cause).chain(&self.details).any(|line| line.contains(text))
    }
}

impl Outcome {
    /// A failure from one text, whose first line is the cause.
    pub fn failed(text: &str) -> Self {
        let mut lines = text.lines().map(str::to_owned);
        Self::Failed(Failure { cause: lines.next().unwrap_or_default(), details: lines.collect() })
    }
}

/// The request to a worker: the traces to run, by their lines in one case file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    pub file: String,
    pub lines: Vec<usize>,
}

/// A message of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// The device is open; the text is its description.
    Device(String),
    /// A step of the current trace has completed.
    Alive,
    /// The trace at `line` ended.
    Done { line: usize, outcome: Outcome },
    /// The device can run no more traces: a new worker has to continue.
    Renew,
    /// No trace can run: the device or the file is missing.
    Unable(String),
}

/// The prefix of each line that is a message, because drivers also write to the standard output.
const MARK: &str = "@cts ";

impl Message {
    /// The message as a line, without the end of line.
    pub fn to_line(&self) -> String {
        format!("{MARK}{}", serde_json::to_string(self).expect("messages have only string keys"))
    }

    /// The message in a line; `None` for any other line.
    pub fn from_line(line: &str) -> Option<Self> {
        // A driver that writes no end of line leaves its text before the mark.
        let (_, message) = line.split_once(MARK)?;
        serde_json::from_str(message).ok()
    }
}

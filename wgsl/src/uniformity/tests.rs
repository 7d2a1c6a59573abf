//! Verdicts and messages of small texts.

//! Compares a printed result with the directives of a case.

use std::collections::HashMap;

use super::Case;

/// One expectation about a printed result.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    /// The line of the directive in the file.
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) pattern: Pattern,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Check,
    Next,
    Not,
    Count(usize),
}

/// A text with placeholders, such as `$name`.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Word(String),
}

/// The words that placeholders stand for.
type Words = HashMap<String, String>;

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        let text = even(text);
        let mut parts = Vec::new();
        for (number, piece) in text.split('$').enumerate() {
            let length = if number == 0 { 0 } else { word(piece) };
            if length > 0 {
                parts.push(Part::Word(piece[..length].to_owned()));
            } else if number > 0 {
                parts.push(Part::Text("$".to_owned()));
            }
            parts.push(Part::Text(piece[length..].to_owned()));
        }
        Self { text, parts }
    }

    /// The first match in a line: its start, its end, and the words of all placeholders after it.
    fn find(&self, line: &str, words: &Words) -> Option<(usize, usize, Words)> {
        let starts = line.char_indices().map(|(at, _)| at);
        starts.into_iter().find_map(|start| self.at(line, start, words).map(|(end, words)| (start, end, words)))
    }

    fn at(&self, line: &str, start: usize, words: &Words) -> Option<(usize, Words)> {
        let (mut end, mut words) = (start, words.clone());
        for part in &self.parts {
            let rest = &line[end..];
            end += match part {
                Part::Text(text) => rest.starts_with(text.as_str()).then_some(text.len())?,
                Part::Word(name) => {
                    let found = &rest[..word(rest)];
                    let is_same = name == "_" || words.entry(name.clone()).or_insert_with(|| found.to_owned()) == found;
                    (!found.is_empty() && is_same).then_some(found.len())?
                }
            };
        }
        Some((end, words))
    }
}

/// The length of the word at the start of a text.
fn word(text: &str) -> usize {
    text.find(|character: char| !character.is_ascii_alphanumeric() && character != '_').unwrap_or(text.len())
}

/// Returns a line with one space in place of each run of spaces.
fn even(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A position in the result: a line, and a byte of it.
type Place = (usize, usize);

impl Case {
    /// Compares the result of the pass with the directives.
    ///
    /// # Errors
    ///
    /// The text names the file and the line of the first directive that does not hold, and contains the lines of the
    /// result in which the text of that directive was searched.
    pub fn compare(&self, result: &str) -> Result<(), String> {
        let lines: Vec<String> = result.lines().map(even).collect();
        let end = (lines.len(), 0);
        let mut words = Words::new();
        let mut last: Option<Place> = None;
        let mut absent: Vec<&Directive> = Vec::new();
        for directive in &self.directives {
            let from = last.unwrap_or_default();
            let (first, column, until) = match directive.kind {
                Kind::Not => {
                    absent.push(directive);
                    continue;
                }
                Kind::Count(times) => {
                    let found = occurrences(&lines, directive, &words);
                    if found != times {
                        let problem = format!("occurs {found} times, expected {times}");
                        return Err(self.failure(directive, &problem, result.lines()));
                    }
                    continue;
                }
                Kind::Check => (from.0, from.1, lines.len()),
                Kind::Next => match last {
                    Some((line, _)) => (line + 1, 0, (line + 2).min(lines.len())),
                    None => return Err(format!("{}: `next` before any `check`", self.at(directive.line))),
                },
            };
            let found = (first..until).find_map(|number| {
                let start = if number == first { column } else { 0 };
                let (begin, end, words) = directive.pattern.find(&lines[number][start..], &words)?;
                Some(((number, start + begin), (number, start + end), words))
            });
            let Some((begin, after, bound)) = found else {
                let place = if directive.kind == Kind::Next { "is not in the next line" } else { "is missing" };
                return Err(self.failure(directive, place, result.lines().skip(from.0)));
            };
            self.lack(&absent, &lines, (from, begin), &words)?;
            absent.clear();
            words = bound;
            last = Some(after);
        }
        self.lack(&absent, &lines, (last.unwrap_or_default(), end), &words)
    }

    /// Checks that no text of the `absent` directives occurs between two positions of the result.
    fn lack(
        &self,
        absent: &[&Directive],
        lines: &[String],
        range: (Place, Place),
        words: &Words,
    ) -> Result<(), String> {
        let (from, until) = range;
        for (number, line) in lines.iter().enumerate().take(until.0 + 1).skip(from.0) {
            let end = if number == until.0 { until.1 } else { line.len() };
            let start = if number == from.0 { from.1 } else { 0 };
            for directive in absent {
                if start < end && directive.pattern.find(&line[start..end], words).is_some() {
                    let rest = lines[number..].iter().map(String::as_str);
                    return Err(self.failure(directive, "must not be there", rest));
                }
            }
        }
        Ok(())
    }

    fn failure<'a>(&self, directive: &Directive, problem: &str, rest: impl Iterator<Item = &'a str>) -> String {
        let (at, text) = (self.at(directive.line), &directive.pattern.text);
        let rest: String = rest.flat_map(|line| ["  ", line, "\n"]).collect();
        format!("{at}: `{text}` {problem} in:\n{rest}")
    }
}

fn occurrences(lines: &[String], directive: &Directive, words: &Words) -> usize {
    let in_line = |line: &String| {
        let (mut count, mut start) = (0, 0);
        while let Some((_, end, _)) = directive.pattern.find(&line[start..], words) {
            count += 1;
            start += end.max(1);
        }
        count
    };
    lines.iter().map(in_line).sum()
}

//! The cases of a file.

use super::matcher::{Directive, Kind, Pattern};

/// The input of a pass and the directives for its result.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file, relative to the folder of the test.
    pub file: String,
    /// The line on which the case starts.
    pub line: usize,
    /// The name of the case; empty in a file with only one case.
    pub name: String,
    /// The input of the pass, without the directives.
    pub text: String,
    /// The words after `pass:`, which name the pass to run.
    pub pass: String,
    settings: Vec<(String, String)>,
    pub(super) directives: Vec<Directive>,
}

impl Case {
    /// The file, the line on which the case starts, and the name of the case if it has one.
    pub fn title(&self) -> String {
        self.at(self.line)
    }

    /// The file, a line of it, and the name of the case if it has one.
    pub(super) fn at(&self, line: usize) -> String {
        let separator = if self.name.is_empty() { "" } else { ": " };
        format!("{}:{line}{separator}{}", self.file, self.name)
    }

    /// The value of a directive, called `name`, that the test defines.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The line that stands for the text of a case.
const HOLE: &str = "// ...";

/// Reads the cases of a file. `settings` names further directives, each with one value per case.
///
/// # Errors
///
/// The text names the file and the line of a directive that is unknown or incomplete, or of a case without a pass or
/// without any expectation.
pub fn cases(file: &str, text: &str, settings: &[&str]) -> Result<Vec<Case>, String> {
    let empty = |line, name: &str| Case {
        file: file.to_owned(),
        line,
        name: name.to_owned(),
        text: String::new(),
        pass: String::new(),
        settings: Vec::new(),
        directives: Vec::new(),
    };
    let mut shared = empty(1, "");
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let case = cases.last_mut().unwrap_or(&mut shared);
        let wrong = |problem: &str| format!("{file}:{number}: {problem}: `{}`", line.trim());
        let Some((word, value)) = directive(line) else {
            case.text.push_str(line);
            case.text.push('\n');
            continue;
        };
        if value.is_empty() {
            return Err(wrong("expected a text after the colon"));
        }
        let kind = match word {
            "case" => {
                cases.push(empty(number, value));
                continue;
            }
            "pass" => {
                case.pass = value.to_owned();
                continue;
            }
            "check" => Kind::Check,
            "next" => Kind::Next,
            "not" => Kind::Not,
            _ if settings.contains(&word) => {
                case.settings.push((word.to_owned(), value.to_owned()));
                continue;
            }
            _ => match word.strip_prefix("count ").map(str::parse) {
                Some(Ok(times)) => Kind::Count(times),
                _ => return Err(wrong("unknown directive")),
            },
        };
        case.directives.push(Directive { line: number, kind, pattern: Pattern::new(value) });
    }
    let mut cases = if cases.is_empty() { vec![empty(1, "")] } else { cases };
    for case in &mut cases {
        case.text = match shared.text.split_once(HOLE) {
            Some((before, after)) => [before, &case.text, after].concat(),
            None => [shared.text.as_str(), &case.text].concat(),
        };
        case.settings.splice(0..0, shared.settings.iter().cloned());
        case.directives.splice(0..0, shared.directives.iter().cloned());
        if case.pass.is_empty() {
            case.pass.clone_from(&shared.pass);
        }
        let problem = match () {
            () if case.pass.is_empty() => "no pass is named",
            () if case.directives.is_empty() && case.settings.is_empty() => "nothing is expected",
            () => continue,
        };
        return Err(format!("{}: {problem}", case.title()));
    }
    Ok(cases)
}

/// The word and the value of a directive. A comment is a directive if a lower-case word, or a word and a number, comes
/// before its first colon.
fn directive(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let comment = line.strip_prefix("//").or_else(|| line.strip_prefix(';'))?;
    let (word, value) = comment.split_once(':')?;
    let word = word.trim();
    let (name, number) = word.split_once(' ').unwrap_or((word, "0"));
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_word && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((word, value.trim()))
}

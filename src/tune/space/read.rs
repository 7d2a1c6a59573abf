//! Spaces written as comments in WGSL.

use super::expression::Problem;
use super::{Parameter, Restriction, number};
use crate::tune::TuneError;

/// The beginning of the comment behind an override.
const TUNE: &str = "anywarp:tune";

/// The beginning of the comment with a restriction.
const WHERE: &str = "anywarp:where";

/// The greatest number of values of one parameter.
const MAX_VALUES: usize = 4096;

/// The parameters and restrictions of a text.
pub(super) fn read(file: &str, text: &str) -> Result<(Vec<Parameter>, Vec<Restriction>), TuneError> {
    let (mut parameters, mut restrictions) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let Some(slashes) = line.find("//") else { continue };
        let comment = line[slashes..].trim_start_matches('/').trim_start();
        let start = line.len() - comment.len();
        let located = |problem: Problem| located(file, index, line, problem);
        if let Some(values) = directive(comment, TUNE) {
            let at = line.len() - values.len();
            let (name, default) = declaration(&line[..slashes]).map_err(located)?;
            let values = listed(values).map_err(|problem| located(moved(problem, at)))?;
            parameters.push(Parameter { name, default, values });
        } else if let Some(condition) = directive(comment, WHERE) {
            let at = line.len() - condition.len();
            let restriction = Restriction::parse(condition).map_err(|problem| located(moved(problem, at)))?;
            restrictions.push(restriction);
        } else if comment.starts_with("anywarp:tune") || comment.starts_with("anywarp:where") {
            let message = format!("expected a space after '{TUNE}' or '{WHERE}'");
            return Err(located(Problem { at: start, message }));
        }
    }
    Ok((parameters, restrictions))
}

/// The text behind a directive, if the comment has it.
fn directive<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    let rest = comment.strip_prefix(name)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest)
}

fn moved(problem: Problem, by: usize) -> Problem {
    Problem { at: problem.at + by, ..problem }
}

/// An error with the line and a caret.
pub(super) fn located(file: &str, index: usize, line: &str, problem: Problem) -> TuneError {
    let before = line.get(..problem.at).unwrap_or(line);
    let caret: String = before.chars().map(|letter| if letter == '\t' { '\t' } else { ' ' }).collect();
    TuneError::Comment {
        file: file.to_owned(),
        line: u32::try_from(index + 1).unwrap_or(u32::MAX),
        message: problem.message,
        excerpt: format!("{line}\n{caret}^"),
    }
}

/// The name and the default of `override NAME: TYPE = DEFAULT;`.
fn declaration(code: &str) -> Result<(String, f64), Problem> {
    let wrong = |at: usize, expected: &str| Problem {
        at,
        message: format!("expected {expected} before '// {TUNE}', as in `override TILE: u32 = 16;`"),
    };
    let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let keyword = words.clone().find(|word| *word == "override").ok_or_else(|| wrong(0, "an override"))?;
    let after = keyword.as_ptr() as usize - code.as_ptr() as usize + keyword.len();
    let (left, right) = code[after..].split_once('=').ok_or_else(|| wrong(after, "a default value"))?;
    let name = left.split(':').next().unwrap_or_default().trim();
    if name.is_empty() {
        return Err(wrong(after, "the name of the override"));
    }
    let text = right.trim().trim_end_matches(';').trim();
    let default = number(text).ok_or_else(|| wrong(after + left.len() + 1, "a literal as default"))?;
    Ok((name.to_owned(), default))
}

/// The values of a list such as `8, 16, 32` or `64..512 x2, 768`.
fn listed(text: &str) -> Result<Vec<f64>, Problem> {
    let mut values = Vec::new();
    let mut at = 0;
    for entry in text.split(',') {
        let indent = entry.len() - entry.trim_start().len();
        let range = range(entry.trim()).map_err(|message| Problem { at: at + indent, message })?;
        for value in range {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.len() > MAX_VALUES {
            return Err(Problem { at: at + indent, message: format!("expected at most {MAX_VALUES} values") });
        }
        at += entry.len() + 1;
    }
    Ok(values)
}

/// The values of one entry: a number, or `FIRST..LAST xFACTOR`, or `FIRST..LAST +STEP`, both with the last value.
fn range(entry: &str) -> Result<Vec<f64>, String> {
    let found = if entry.is_empty() { "nothing".to_owned() } else { format!("'{entry}'") };
    let Some((first, rest)) = entry.split_once("..") else {
        return number(entry).map(|value| vec![value]).ok_or(format!("expected a number or a range, found {found}"));
    };
    let step = || format!("expected a range such as '64..512 x2' or '1..9 +2', found {found}");
    let (last, step_text) = rest.trim().split_once(char::is_whitespace).ok_or_else(step)?;
    let (first, last) = (number(first.trim()).ok_or_else(step)?, number(last).ok_or_else(step)?);
    let step_text = step_text.trim();
    let (factor, by) = match (step_text.strip_prefix('x'), step_text.strip_prefix('+')) {
        (Some(by), _) => (true, by),
        (_, Some(by)) => (false, by),
        _ => return Err(step()),
    };
    let by = number(by.trim()).ok_or_else(step)?;
    if first > last || (factor && (by <= 1.0 || first <= 0.0)) || (!factor && by <= 0.0) {
        return Err(format!("expected a range that grows to its end, found {found}"));
    }
    let mut values = vec![first];
    // Each value is computed from the first one, so that steps such as 0.1 do not accumulate errors.
    for count in 1..=MAX_VALUES as i32 {
        let next = if factor { first * by.powi(count) } else { first + by * f64::from(count) };
        if next > last {
            break;
        }
        values.push(next);
    }
    Ok(values)
}

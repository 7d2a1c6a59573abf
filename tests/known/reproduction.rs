//! A small kernel with what it must give and what it gives where somebody's fault is met.
//!
//! Its file begins with comments:
//!
//! | line | meaning |
//! |---|---|
//! | `// needs: f64` | a feature without which it cannot run; may be left out. With `immediates`, the one called `now` is 3 |
//! | `// in: 1 0xff` | the words of `values`; may be left out |
//! | `// bound: 0 1` | from which to below which of them are bound; all where it is left out |
//! | `// indirect: 1 1 1` | the grid, out of a buffer; one workgroup where it is left out |
//! | `// right: 1 2` | the words of `result` |
//! | `// wrong: 1 3` | those that the fault gives; or `differs`: any others; `refused: TEXT`: a message with this in it; `lost`: the device is; `crash`: the process ends |

use std::ops::Range;

use crate::faults::Fault;

/// A kernel and its results.
#[derive(Debug)]
pub(crate) struct Reproduction {
    pub(crate) name: &'static str,
    pub(crate) needs: Option<&'static str>,
    pub(crate) input: Vec<u32>,
    pub(crate) bound: Range<usize>,
    pub(crate) indirect: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) wrong: Wrong,
    pub(crate) source: &'static str,
}

/// What a fault does.
#[derive(Debug, PartialEq)]
pub(crate) enum Wrong {
    Words(Vec<u32>),
    Differs,
    Refused(&'static str),
    Lost,
    Crash,
}

impl Reproduction {
    /// That of a fault.
    ///
    /// # Errors
    ///
    /// Names the file and what it lacks.
    pub(crate) fn of(fault: &Fault) -> Result<Self, String> {
        let (name, source) = (fault.name, fault.reproduction);
        let line = |key: &str| {
            let start = format!("// {key}: ");
            source.lines().find_map(|line| line.strip_prefix(&start)).map(str::trim)
        };
        let lacks = |what: &str| format!("{name}.wgsl: there is no line '// {what}: ..'");
        let wrong = line("wrong").ok_or_else(|| lacks("wrong"))?;
        let input = words(line("in").unwrap_or_default())?;
        Ok(Self {
            name,
            needs: line("needs"),
            bound: match words(line("bound").unwrap_or_default())?[..] {
                [start, end] => start as usize..end as usize,
                _ => 0..input.len(),
            },
            input,
            indirect: words(line("indirect").unwrap_or_default())?,
            right: words(line("right").ok_or_else(|| lacks("right"))?)?,
            wrong: match wrong {
                "differs" => Wrong::Differs,
                "lost" => Wrong::Lost,
                "crash" => Wrong::Crash,
                text => match text.strip_prefix("refused: ") {
                    Some(message) => Wrong::Refused(message),
                    None => Wrong::Words(words(text)?),
                },
            },
            source,
        })
    }
}

/// Words in decimal or, after `0x`, hexadecimal notation; `3*7` is three sevens.
pub(crate) fn words(text: &str) -> Result<Vec<u32>, String> {
    let mut words = Vec::new();
    for part in text.split_whitespace() {
        let (count, word) = part.split_once('*').unwrap_or(("1", part));
        let word = match word.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => word.parse(),
        };
        match (count.parse::<usize>(), word) {
            (Ok(count @ 1..=4096), Ok(word)) => words.extend(std::iter::repeat_n(word, count)),
            _ => return Err(format!("'{part}' is neither a word nor 'COUNT*WORD'")),
        }
    }
    Ok(words)
}

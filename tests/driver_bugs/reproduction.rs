//! Reproductions of bugs: small kernels, each with its right result and its wrong result on devices with the bug.
//!
//! The file begins with comments:
//!
//! | line | meaning |
//! |---|---|
//! | `// needs: f64` | a feature that the kernel needs; optional. With `immediates`, the immediate `now` is 3 |
//! | `// in: 1 0xff` | the words of `values`; optional |
//! | `// bound: 0 1` | the range of `values` that is bound: its start and end in words; all words by default |
//! | `// indirect: 1 1 1` | the grid of an indirect launch; one workgroup by default |
//! | `// right: 1 2` | the right words of `result` |
//! | `// wrong: 1 3` | the words with the bug; or `differs`: any other words; `refused: TEXT`: an error that contains the text; `lost`: the device is lost; `crash`: the process ends |

use std::ops::Range;

use anywarp_testing_devices::driver_bugs::DriverBug;

/// A kernel, its input, and its results.
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

/// The effect of a bug.
#[derive(Debug, PartialEq)]
pub(crate) enum Wrong {
    Words(Vec<u32>),
    Differs,
    Refused(&'static str),
    Lost,
    Crash,
}

impl Reproduction {
    /// Reads the reproduction of a bug.
    ///
    /// # Errors
    ///
    /// The text names the file and the missing line.
    pub(crate) fn of(bug: &DriverBug) -> Result<Self, String> {
        let (name, source) = (bug.name, bug.reproduction);
        let line = |key: &str| {
            let start = format!("// {key}: ");
            source.lines().find_map(|line| line.strip_prefix(&start)).map(str::trim)
        };
        let lacks = |what: &str| format!("{name}.wgsl: expected a line '// {what}: ..'");
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

/// Parses words in decimal or, after `0x`, hexadecimal notation; `3*7` means three sevens.
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
            _ => return Err(format!("expected a word or 'COUNT*WORD', got '{part}'")),
        }
    }
    Ok(words)
}

//! A small kernel with what it must give and what it gives where somebody's fault is met.
//!
//! Its file begins with comments:
//!
//! | line | meaning |
//! |---|---|
//! | `// needs: f64` | a feature without which it cannot run; may be left out |
//! | `// in: 1 0xff` | the words of `values`; may be left out |
//! | `// bound: 1` | how many of them are bound; all where it is left out |
//! | `// right: 1 2` | the words of `result` |
//! | `// wrong: 1 3` | those that the fault gives; or `differs`: any others; `refused: TEXT`: a message with this in it; `lost`: the device is; `crash`: the process ends |

use std::path::PathBuf;

/// A kernel and its results.
#[derive(Debug)]
pub(crate) struct Reproduction {
    pub(crate) name: String,
    pub(crate) needs: Option<String>,
    pub(crate) input: Vec<u32>,
    pub(crate) bound: usize,
    pub(crate) right: Vec<u32>,
    pub(crate) wrong: Wrong,
    pub(crate) source: String,
}

/// What a fault does.
#[derive(Debug, PartialEq)]
pub(crate) enum Wrong {
    Words(Vec<u32>),
    Differs,
    Refused(String),
    Lost,
    Crash,
}

/// Where the kernels are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/known"))
}

impl Reproduction {
    /// Reads the file of a fault.
    ///
    /// # Errors
    ///
    /// Names the file and what it lacks.
    pub(crate) fn open(name: &str) -> Result<Self, String> {
        let path = folder().join(name).with_extension("wgsl");
        let source = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let line = |key: &str| {
            let start = format!("// {key}: ");
            source.lines().find_map(|line| line.strip_prefix(&start)).map(str::trim)
        };
        let lacks = |what: &str| format!("{}: there is no line '// {what}: ..'", path.display());
        let wrong = line("wrong").ok_or_else(|| lacks("wrong"))?;
        let input = words(line("in").unwrap_or_default())?;
        Ok(Self {
            name: name.to_owned(),
            needs: line("needs").map(str::to_owned),
            bound: line("bound").and_then(|count| count.parse().ok()).unwrap_or(input.len()),
            input,
            right: words(line("right").ok_or_else(|| lacks("right"))?)?,
            wrong: match wrong {
                "differs" => Wrong::Differs,
                "lost" => Wrong::Lost,
                "crash" => Wrong::Crash,
                text => match text.strip_prefix("refused: ") {
                    Some(message) => Wrong::Refused(message.to_owned()),
                    None => Wrong::Words(words(text)?),
                },
            },
            source,
        })
    }
}

/// Words in decimal or, after `0x`, hexadecimal notation.
pub(crate) fn words(text: &str) -> Result<Vec<u32>, String> {
    let word = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => word.parse(),
    };
    text.split_whitespace().map(|text| word(text).map_err(|error| format!("'{text}' is no word: {error}"))).collect()
}

//! A case file in memory; only the selected traces are parsed in full.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use super::format::{Heading, Trace};

/// The name of a trace: its query and its sub-parameters.
#[derive(Clone, Debug)]
pub struct Name {
    pub query: String,
    pub sub: String,
}

/// The text of a case file. A trace is identified by its line, counted from 0.
pub struct CaseFile {
    text: String,
}

/// The shader texts of a case file, by hash.
pub type Shaders = HashMap<String, String>;

impl CaseFile {
    /// Reads and decompresses a file.
    ///
    /// # Errors
    ///
    /// The text names the file and the fault.
    pub fn load(path: &Path) -> Result<Self, String> {
        let mut text = String::new();
        File::open(path)
            .and_then(|file| GzDecoder::new(file).read_to_string(&mut text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { text })
    }

    /// Takes the decompressed text of a file.
    pub fn from_text(text: String) -> Self {
        Self { text }
    }

    /// The traces with their lines.
    ///
    /// # Errors
    ///
    /// The text names the line that is neither a trace nor a shader.
    pub fn traces(&self) -> Result<Vec<(usize, Name)>, String> {
        let mut traces = Vec::new();
        for (line, heading) in self.headings() {
            if let Heading::Trace { query, sub } = heading? {
                traces.push((line, Name { query: query.into_owned(), sub: sub.into_owned() }));
            }
        }
        Ok(traces)
    }

    /// All shader texts.
    ///
    /// # Errors
    ///
    /// The text names the line that is neither a trace nor a shader.
    pub fn shaders(&self) -> Result<Shaders, String> {
        let mut shaders = Shaders::new();
        for (_, heading) in self.headings() {
            if let Heading::Shader { hash, wgsl } = heading? {
                shaders.insert(hash.into_owned(), wgsl.into_owned());
            }
        }
        Ok(shaders)
    }

    /// Parses the traces at these lines one by one.
    pub fn parse<'a>(&'a self, lines: &'a [usize]) -> impl Iterator<Item = (usize, Result<Trace, String>)> + 'a {
        let all: Vec<&str> = self.text.lines().collect();
        lines.iter().map(move |&line| {
            let text = all.get(line).ok_or_else(|| format!("there is no line {line}"));
            (line, text.and_then(|text| Trace::parse(text)))
        })
    }

    fn headings(&self) -> impl Iterator<Item = (usize, Result<Heading<'_>, String>)> {
        self.text
            .lines()
            .enumerate()
            .filter(|(_, text)| !text.is_empty())
            .map(|(line, text)| (line, Heading::parse(text).map_err(|error| format!("line {}: {error}", line + 1))))
    }
}

//! Sentences of comments, documents and error texts.

use std::path::Path;

/// The notation of comments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// `//` in Rust, WGSL, JavaScript and C++.
    Slashes,
    /// `#` in shell scripts, Python, TOML and YAML.
    Hashes,
    /// All text outside fenced blocks.
    Markdown,
}

/// A sentence, or an entry of a list or a table.
pub(crate) struct Sentence {
    /// The number of the first line of its paragraph, counted from 1.
    pub(crate) line: usize,
    /// The words of the sentence in one line.
    pub(crate) text: String,
}

/// The notation of comments in a file, by the file's name; `None` for data.
pub(crate) fn language(path: &Path) -> Option<Language> {
    match path.extension().and_then(|end| end.to_str()) {
        Some("rs" | "wgsl" | "mjs" | "js" | "cuh" | "cu") => Some(Language::Slashes),
        Some("sh" | "py" | "toml" | "yml") => Some(Language::Hashes),
        Some("md") => Some(Language::Markdown),
        None if path.parent().is_some_and(|folder| folder.ends_with("tools")) => Some(Language::Hashes),
        _ => None,
    }
}

/// The sentences of a text, in order.
pub(crate) fn sentences(language: Language, text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut paragraph = Paragraph { line: 0, text: String::new() };
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let Some((words, anew)) = words(language, line) else {
            paragraph.end(&mut found);
            fenced &= language == Language::Markdown;
            continue;
        };
        let point = words.trim_start_matches(['#', '-', '*', '>', ' ']);
        if words.starts_with("```") {
            fenced = !fenced;
            paragraph.end(&mut found);
        } else if !fenced {
            // A paragraph begins at a heading, an entry of a list, a row of a table, an empty line, and a comment after
            // code.
            if anew
                || point.is_empty()
                || point.len() < words.len() && !words.starts_with("**")
                || words.starts_with('|')
            {
                paragraph.end(&mut found);
            }
            for cell in point.split('|').filter(|cell| cell.contains(char::is_alphabetic)) {
                paragraph.add(index + 1, cell.trim());
                if words.starts_with('|') {
                    paragraph.end(&mut found);
                }
            }
        }
    }
    paragraph.end(&mut found);
    found
}

/// The prose of a line, and whether it begins a paragraph; `None` for a line with code only.
fn words(language: Language, line: &str) -> Option<(&str, bool)> {
    match language {
        Language::Markdown => Some((line.trim(), false)),
        Language::Hashes => line.trim_start().strip_prefix("# ").map(|words| (words.trim(), false)),
        Language::Slashes => {
            let code = line.trim_start();
            if let Some(error) = code.strip_prefix("#[error(\"") {
                return error.rsplit_once('"').map(|(text, _)| (text, true));
            }
            let behind =
                code.split_once("; // ").or_else(|| code.split_once(", // ")).or_else(|| code.split_once("{ // "));
            match code.strip_prefix("//") {
                Some(comment) => Some((comment.trim_start_matches(['/', '!']).trim(), false)),
                None => behind.map(|(_, comment)| (comment.trim(), true)),
            }
        }
    }
}

/// The paragraph that is being read.
struct Paragraph {
    line: usize,
    text: String,
}

impl Paragraph {
    /// Appends a line to the paragraph.
    fn add(&mut self, line: usize, words: &str) {
        if self.text.is_empty() {
            self.line = line;
        } else {
            self.text.push(' ');
        }
        self.text.push_str(words);
    }

    /// Ends the paragraph and splits it into sentences.
    fn end(&mut self, found: &mut Vec<Sentence>) {
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let mut ends = rest.match_indices(['.', '!', '?', ':']).map(|(at, _)| at + 1);
            let at = ends.find(|at| rest[*at..].starts_with(' ')).unwrap_or(rest.len());
            found.push(Sentence { line: self.line, text: rest[..at].trim().to_owned() });
            rest = rest[at..].trim_start();
        }
        self.text.clear();
    }
}

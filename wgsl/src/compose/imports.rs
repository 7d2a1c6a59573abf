//! Import statements, such as `import package::shared::reduce::{sum, max as largest};`.

use super::tokens::{Kind, Tokens};
use crate::TextError;

/// The maximum nesting depth of the braces in one import.
const MAX_DEPTH: usize = 64;
/// The maximum number of words in all paths of one import statement together, where each path is written in full.
const MAX_SEGMENTS: usize = 1 << 20;

/// One path that an import statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The words of the path, such as `package`, `shared`, `reduce`, `sum`.
    pub(super) path: Vec<String>,
    /// The name that the importing file uses.
    pub(super) name: String,
    /// The token of the path's last word.
    pub(super) at: usize,
    /// The token of `name`.
    pub(super) named_at: usize,
}

/// Reads the import statement at `at`, adds its paths to `found`, and returns the index after the statement.
///
/// # Errors
/// A malformed import.
pub(super) fn statement(tokens: &Tokens, at: usize, found: &mut Vec<Import>) -> Result<usize, TextError> {
    let mut reader = Reader { tokens, at: at + 1, path: Vec::new(), found, segments: 0 };
    reader.tree(0)?;
    if !tokens.is(reader.at, b';') {
        return Err(reader.expected("';'"));
    }
    Ok(reader.at + 1)
}

struct Reader<'a> {
    tokens: &'a Tokens,
    at: usize,
    /// The words of the current path so far.
    path: Vec<String>,
    found: &'a mut Vec<Import>,
    segments: usize,
}

impl Reader<'_> {
    /// Reads a path, or braces with paths.
    fn tree(&mut self, depth: usize) -> Result<(), TextError> {
        let before = self.path.len();
        loop {
            if self.tokens.is(self.at, b'{') {
                self.braces(depth)?;
                break;
            }
            let word = self.tokens.word(self.at).ok_or_else(|| self.expected("a name"))?;
            self.path.push(word.to_owned());
            self.at += 1;
            if self.tokens.kind(self.at) != Some(Kind::Path) {
                self.leaf()?;
                break;
            }
            self.at += 1;
        }
        self.path.truncate(before);
        Ok(())
    }

    fn braces(&mut self, depth: usize) -> Result<(), TextError> {
        if depth == MAX_DEPTH {
            let message = format!("the braces of the import nest more than {MAX_DEPTH} deep");
            return Err(self.tokens.fail(self.at, &message, "too deep", &[]));
        }
        self.at += 1;
        loop {
            self.tree(depth + 1)?;
            let comma = self.tokens.is(self.at, b',');
            self.at += usize::from(comma);
            if self.tokens.is(self.at, b'}') {
                self.at += 1;
                return Ok(());
            }
            if !comma {
                return Err(self.expected("',' or '}'"));
            }
        }
    }

    /// Reads the end of a path, with `as` and another name if there is one.
    fn leaf(&mut self) -> Result<(), TextError> {
        let at = self.at - 1;
        let mut named_at = at;
        if self.tokens.word(self.at) == Some("as") {
            named_at = self.at + 1;
            if self.tokens.word(named_at).is_none() {
                self.at = named_at;
                return Err(self.expected("a name"));
            }
            self.at += 2;
        }
        let name = self.tokens.text(named_at).to_owned();
        if matches!(name.as_str(), "package" | "super") {
            self.at = named_at;
            return Err(self.expected("the name of a module or of something in it"));
        }
        self.segments += self.path.len();
        if self.segments > MAX_SEGMENTS {
            return Err(self.tokens.fail(at, "the import has too many paths", "here", &[]));
        }
        self.found.push(Import { path: self.path.clone(), name, at, named_at });
        Ok(())
    }

    fn expected(&self, what: &str) -> TextError {
        let found = match self.tokens.text(self.at) {
            "" => "the end of the file".to_owned(),
            text => format!("'{text}'"),
        };
        let message = format!("expected {what} in the import, found {found}");
        self.tokens.fail(
            self.at,
            &message,
            "here",
            &["write, for example: import package::shared::reduce::{sum, max as largest};".to_owned()],
        )
    }
}

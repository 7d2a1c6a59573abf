//! Fenced blocks of Markdown.

use std::fs;
use std::path::{Path, PathBuf};

/// A fenced block.
pub(crate) struct Block {
    /// The word after the opening fence; empty without one.
    pub(crate) language: String,
    /// The line of its first line in the document, from 1.
    pub(crate) line: usize,
    /// Its lines.
    pub(crate) text: String,
}

impl Block {
    /// The file name in a block's first line: `shared/sums.wgsl` for `// shared/sums.wgsl`.
    pub(crate) fn file_name(&self) -> Option<&str> {
        let name = self.text.lines().next()?.strip_prefix("// ")?;
        (name.ends_with(".wgsl") && !name.contains(' ')).then_some(name)
    }
}

/// The README and all Markdown files directly in `docs`.
pub(crate) fn documents(root: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<PathBuf> = folder.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    documents.push(root.join("README.md"));
    documents.sort();
    documents
}

/// All fenced blocks of a document, in order.
pub(crate) fn of(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (index, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), blocks.last_mut()) {
            (Some(_), _) if open => open = false,
            (Some(word), _) => {
                open = true;
                blocks.push(Block { language: word.trim().to_owned(), line: index + 2, text: String::new() });
            }
            (None, Some(block)) if open => block.text.extend([line, "\n"]),
            (None, _) => {}
        }
    }
    assert!(!open, "the last fence of the document is not closed");
    blocks
}

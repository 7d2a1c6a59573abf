//! Fenced blocks of Markdown.

use std::path::{Path, PathBuf};

use crate::files;

/// A fenced code block of a Markdown document.
pub struct Block {
    /// The word after the opening fence; empty if there is none.
    pub language: String,
    /// The number of the block's first line in the document, from 1.
    pub line: usize,
    /// The lines of the block.
    pub text: String,
}

impl Block {
    /// The file name in a block's first line: `shared/sums.wgsl` for `// shared/sums.wgsl`.
    pub fn file_name(&self) -> Option<&str> {
        let name = self.text.lines().next()?.strip_prefix("// ")?;
        (name.ends_with(".wgsl") && !name.contains(' ')).then_some(name)
    }
}

/// The README and all Markdown files directly in `docs`.
pub fn documents(root: &Path) -> Vec<PathBuf> {
    let folder = root.join("docs");
    let mut documents = files::with_endings(&folder, &["md"]);
    documents.retain(|path| path.parent() == Some(&folder));
    documents.push(root.join("README.md"));
    documents.sort();
    documents
}

/// All fenced blocks of a document, in order.
pub fn blocks(document: &str) -> Vec<Block> {
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

//! The nesting depth and the number of declarations of a text, measured without a parser.

use super::MAX_DEPTH;
use crate::directives::block_comment;

/// The nesting depth that an `else` counts as: its branch nests in all branches before it, and naga makes many calls
/// for each of these branches.
pub(super) const ELSE: u32 = 8;

/// The nesting depth and size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// The maximum number of brackets, operators and weighted `else` branches in which one byte is nested.
    pub(super) depth: u32,
    /// The number of declarations outside functions and structs.
    pub(super) declarations: u32,
    /// The first line that nests deeper than [`MAX_DEPTH`], or else the line that nests deepest.
    pub(super) line: u32,
}

impl Extent {
    pub(super) fn fits(self, limit: Self) -> bool {
        self.depth <= limit.depth && self.declarations <= limit.declarations
    }
}

/// The state of one open bracket, or of the text itself.
#[derive(Clone, Copy, Default)]
struct Level {
    brace: bool,
    /// The nesting depth of all enclosing levels together.
    around: u32,
    /// The number of operators between two operands since the start of the statement or list entry. In naga's tree, one
    /// of the two operands nests in each such operator.
    between: u32,
    /// The number of operators before and after the current operand.
    beside: u32,
    /// The number of `else` in this statement, multiplied by [`ELSE`].
    branches: u32,
    /// The number of open `<` that may begin a template list.
    lists: u32,
}

impl Level {
    fn depth(&self) -> u32 {
        self.around.saturating_add(self.between).saturating_add(self.beside).saturating_add(self.branches)
    }

    fn entry_ends(&mut self) {
        (self.between, self.beside) = (0, 0);
    }

    fn statement_ends(&mut self) {
        self.entry_ends();
        (self.branches, self.lists) = (0, 0);
    }
}

/// The kind of the previous token.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Operand,
    Word,
    /// The end of a block, which ends the statement unless an `else` follows.
    Block,
    Other,
}

/// Measures a text in one pass. The result for invalid WGSL is an estimate.
pub(super) fn measure(text: &str) -> Extent {
    let mut levels = vec![Level { brace: true, ..Level::default() }];
    let (mut extent, mut line, mut before) = (Extent::default(), 1, Before::Other);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            line += u32::from(byte == b'\n');
            at += 1;
            continue;
        }
        if let Some(length) = comment(&bytes[at..]) {
            line += bytes[at..at + length].iter().filter(|byte| **byte == b'\n').count() as u32;
            at += length;
            continue;
        }
        let nested = levels.len() > 1;
        let Some(mut level) = levels.last().copied() else { break };
        let length = word(&bytes[at..]);
        let is_else = length > 0 && &bytes[at..at + length] == b"else";
        if before == Before::Block && !is_else {
            level.statement_ends();
        }
        let mut opened = None;
        before = if is_else {
            level.branches = level.branches.saturating_add(ELSE);
            Before::Other
        } else if length > 0 {
            let declares =
                matches!(&bytes[at..at + length], b"fn" | b"struct" | b"const" | b"alias" | b"override" | b"var");
            extent.declarations += u32::from(declares && !nested);
            if byte.is_ascii_digit() { Before::Operand } else { Before::Word }
        } else {
            let operand = matches!(before, Before::Operand | Before::Word);
            match byte {
                b'(' | b'[' => {
                    level.beside += 1;
                    opened = Some(Level { around: level.depth(), ..Level::default() });
                    Before::Other
                }
                b'{' => {
                    level.entry_ends();
                    opened = Some(Level { brace: true, around: level.depth() + 1, ..Level::default() });
                    Before::Other
                }
                b')' | b']' => {
                    if levels.len() > 1 && !level.brace {
                        levels.pop();
                        at += 1;
                        before = Before::Operand;
                        continue;
                    }
                    Before::Operand
                }
                b'}' => {
                    // A closing brace also closes the brackets in the block that are still open.
                    while levels.len() > 1 && levels.pop().is_some_and(|level| !level.brace) {}
                    at += 1;
                    before = Before::Block;
                    continue;
                }
                b',' => {
                    if level.lists == 0 {
                        level.entry_ends();
                    }
                    Before::Other
                }
                b';' => {
                    level.statement_ends();
                    Before::Other
                }
                b'.' => {
                    level.beside += 1;
                    Before::Other
                }
                b'<' if before == Before::Word => {
                    level.lists += 1;
                    level.between += 1;
                    Before::Other
                }
                b'>' if level.lists > 0 && operand => {
                    level.lists -= 1;
                    Before::Word
                }
                b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | b'<' | b'>' | b'=' => {
                    if operand {
                        level.between += 1;
                        level.beside = 0;
                    } else {
                        level.beside += 1;
                    }
                    Before::Other
                }
                _ => Before::Other,
            }
        };
        let depth = opened.map_or_else(|| level.depth(), |opened| opened.depth());
        if depth > extent.depth {
            if extent.depth <= MAX_DEPTH {
                extent.line = line;
            }
            extent.depth = depth;
        }
        if let Some(last) = levels.last_mut() {
            *last = level;
        }
        levels.extend(opened);
        at += length.max(1);
    }
    extent
}

/// The length in bytes of the comment at the start of `bytes`; `None` if no comment begins there. Block comments nest.
fn comment(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"//") {
        return Some(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    }
    bytes.starts_with(b"/*").then(|| block_comment(bytes))
}

/// The length of the name or number at the start, or 0.
fn word(bytes: &[u8]) -> usize {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let number = bytes.first().is_some_and(u8::is_ascii_digit);
    bytes.iter().position(|byte| !(part(*byte) || number && *byte == b'.')).unwrap_or(bytes.len())
}

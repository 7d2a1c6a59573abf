//! The declarations, imports and directives of a file, and its uses of names.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::conditions::{attributes, end_of_statement};
use super::imports::{self, Import};
use super::tokens::{Kind, Tokens};
use crate::TextError;

/// The outline of a file. All numbers are indices of tokens, unless stated otherwise.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) imports: Vec<Import>,
    /// The import statements.
    pub(super) statements: Vec<Range<usize>>,
    /// The directives `enable`, `requires` and `diagnostic`.
    pub(super) directives: Vec<Range<usize>>,
    pub(super) declarations: Vec<Declaration>,
    /// The index in `declarations` of each declared name.
    pub(super) declared: HashMap<String, usize>,
    /// The tokens of single names that the file uses, outside imports and directives.
    pub(super) words: Vec<usize>,
    /// The tokens of the paths that the file uses: names with `::` between them.
    pub(super) paths: Vec<Range<usize>>,
    /// The names that are declared within functions.
    pub(super) local: HashSet<String>,
}

/// A declaration outside functions in a file.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) kind: Declared,
    /// The token of the declared name.
    pub(super) name: usize,
    /// All tokens of the declaration, including attributes.
    pub(super) all: Range<usize>,
}

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Function,
    EntryPoint,
    Struct,
    Alias,
    Const,
    Override,
    Variable,
    /// A variable with a group and a binding; `None` where these are not literal numbers.
    Binding(Option<(u32, u32)>),
}

impl Declared {
    /// Whether users of a kernel refer to a declaration of this kind by its name.
    pub(super) fn is_known_outside(self) -> bool {
        matches!(self, Self::EntryPoint | Self::Override | Self::Binding(_))
    }
}

impl Outline {
    /// Reads the outline of a file from its tokens, from which conditions have already removed items.
    ///
    /// # Errors
    /// A malformed import, or an import after a declaration.
    pub(super) fn of(tokens: &Tokens) -> Result<Self, TextError> {
        let mut outline = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            at = outline.global(tokens, at)?;
        }
        outline.find_uses(tokens);
        Ok(outline)
    }

    /// Adds the item outside functions that begins at `at`, and returns the index after it.
    fn global(&mut self, tokens: &Tokens, at: usize) -> Result<usize, TextError> {
        let (word, found) = attributes(tokens, at);
        let end = || end_of_statement(tokens, word).unwrap_or(tokens.len()).max(word + 1);
        let kind = match tokens.word(word) {
            Some("import") => {
                if let Some(before) = self.declarations.first() {
                    let message = format!("the import is after the declaration of '{}'", tokens.text(before.name));
                    return Err(tokens.fail(word, &message, "imports must come first in a file", &[]));
                }
                let end = imports::statement(tokens, word, &mut self.imports)?;
                self.statements.push(at..end);
                return Ok(end);
            }
            Some("enable" | "requires") => None,
            Some("diagnostic") if tokens.is(word + 1, b'(') => None,
            Some("fn") => {
                let stage = |range: &Range<usize>| {
                    matches!(tokens.word(range.start + 1), Some("compute" | "vertex" | "fragment"))
                };
                Some(if found.iter().any(stage) { Declared::EntryPoint } else { Declared::Function })
            }
            Some("struct") => Some(Declared::Struct),
            Some("alias") => Some(Declared::Alias),
            Some("const") => Some(Declared::Const),
            Some("override") => Some(Declared::Override),
            Some("var") => Some(binding(tokens, &found)),
            _ => return Ok(end()),
        };
        let all = at..end();
        match kind {
            None => self.directives.push(all.clone()),
            Some(kind) => {
                let name = name_after(tokens, word);
                if let Some(text) = tokens.word(name) {
                    self.declared.entry(text.to_owned()).or_insert(self.declarations.len());
                    self.declarations.push(Declaration { kind, name, all: all.clone() });
                }
            }
        }
        Ok(all.end)
    }

    /// Adds all words that can refer to a declaration outside functions.
    fn find_uses(&mut self, tokens: &Tokens) {
        let mut skipped = self.statements.iter().chain(&self.directives).cloned().collect::<Vec<_>>();
        skipped.sort_by_key(|range| range.start);
        let mut skipped = skipped.into_iter().peekable();
        // For each open bracket, whether it encloses the members of a struct.
        let mut open: Vec<bool> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if let Some(range) = skipped.next_if(|range| range.start <= at) {
                at = range.end.max(at + 1);
                continue;
            }
            match tokens.kind(at) {
                Some(Kind::Mark(b'(' | b'[' | b'{')) => {
                    let word = at.checked_sub(2).and_then(|word| tokens.word(word));
                    open.push(tokens.is(at, b'{') && word == Some("struct"));
                }
                Some(Kind::Mark(b')' | b']' | b'}')) => {
                    open.pop();
                }
                Some(Kind::Mark(b'@')) => {
                    at = behind_attribute(tokens, at);
                    continue;
                }
                Some(Kind::Word) => {
                    let end = end_of_path(tokens, at);
                    if end > at + 1 {
                        self.paths.push(at..end);
                    } else {
                        self.word(tokens, at, &open);
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn word(&mut self, tokens: &Tokens, at: usize, open: &[bool]) {
        let before = at.checked_sub(1);
        let word_before = before.and_then(|before| tokens.word(before));
        let is_before = |mark| before.is_some_and(|before| tokens.is(before, mark));
        let member = open.last() == Some(&true) && tokens.is(at + 1, b':');
        if is_before(b'.') || member || is_enumerant(tokens, at) {
            return;
        }
        let declared = matches!(word_before, Some("let" | "const" | "var")) || tokens.is(at + 1, b':');
        // In `var<function> name`, the name follows `>`.
        let of_space = is_before(b'>')
            && before.is_some_and(|end| {
                (2..=6).any(|back| {
                    end.checked_sub(back).is_some_and(|var| tokens.word(var) == Some("var") && tokens.is(var + 1, b'<'))
                })
            });
        if !open.is_empty() && (declared || of_space) {
            self.local.insert(tokens.text(at).to_owned());
        }
        self.words.push(at);
    }
}

/// The token of the name in a declaration that begins with the keyword at `word`.
fn name_after(tokens: &Tokens, word: usize) -> usize {
    let mut at = word + 1;
    if tokens.text(word) == "var" && tokens.is(at, b'<') {
        while at < tokens.len() && !tokens.is(at, b'>') && !tokens.is(at, b';') {
            at += 1;
        }
        at += 1;
    }
    at
}

fn binding(tokens: &Tokens, found: &[Range<usize>]) -> Declared {
    let attribute = |name| found.iter().find(|range| tokens.word(range.start + 1) == Some(name));
    let number = |range: &Range<usize>| {
        let digits = tokens.text(range.start + 3).trim_end_matches(['u', 'i']);
        let alone = tokens.is(range.start + 4, b')') || tokens.is(range.start + 4, b',');
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let value = hexadecimal.map_or_else(|| digits.parse(), |digits| u32::from_str_radix(digits, 16));
        value.ok().filter(|_| alone)
    };
    match (attribute("group"), attribute("binding")) {
        (Some(group), Some(binding)) => Declared::Binding(number(group).zip(number(binding))),
        _ => Declared::Variable,
    }
}

/// The index after an attribute's name, or after its arguments if these are not names of declarations.
fn behind_attribute(tokens: &Tokens, at: usize) -> usize {
    match tokens.word(at + 1) {
        Some("builtin" | "interpolate" | "diagnostic") if tokens.is(at + 2, b'(') => tokens.partner(at + 2) + 1,
        Some(_) => at + 2,
        None => at + 1,
    }
}

fn end_of_path(tokens: &Tokens, at: usize) -> usize {
    let mut end = at + 1;
    while tokens.kind(end) == Some(Kind::Path) && tokens.word(end + 1).is_some() {
        end += 2;
    }
    end
}

/// Whether a word in a template list is an address space, an access mode or the role of a matrix.
fn is_enumerant(tokens: &Tokens, at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).map(|index| tokens.text(index)).unwrap_or_default();
    match (back(2), back(1)) {
        ("ptr" | "var", "<") => true,
        (_, ",") => match tokens.text(at) {
            "read" | "write" | "read_write" => tokens.is(at + 1, b'>') || tokens.is(at + 2, b'>'),
            "A" | "B" | "C" => back(3) == "<" && back(4).starts_with("coop_mat"),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use anywarp_backend::SourceFile;

    use super::*;

    fn uses(text: &str) -> String {
        let tokens = Tokens::of(SourceFile { name: "a".to_owned(), text: text.to_owned() }).unwrap();
        let outline = Outline::of(&tokens).unwrap();
        let keywords = ["fn", "let", "var", "struct", "return", "alias", "const", "_"];
        let words = outline.words.iter().map(|word| tokens.text(*word));
        words.filter(|word| !keywords.contains(word)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn uses_are_words_that_can_be_declared_in_the_module() {
        let table = [
            ("struct S { @align(A) a: array<T, N>, }", "S A array T N"),
            ("fn f(@builtin(position) p: vec4<f32>) -> @location(L) T { return p.xy; }", "f p vec4 f32 L T p"),
            ("@group(0) @binding(B) var<storage, read_write> v: T;", "B v T"),
            ("fn f(p: ptr<function, T>, q: ptr<storage, T, read_write>) { }", "f p ptr T q ptr T"),
            ("alias M = coop_mat8x8<f32, A>; const A = B;", "M coop_mat8x8 f32 A B"),
            ("fn f() { S(1).a.b = c[d].e; }", "f S c d"),
            ("enable f16; requires x; diagnostic(off, a.b); fn g() { }", "g"),
            ("import package::a::b; fn g() { }", "g"),
        ];
        for (text, expected) in table {
            assert_eq!(uses(text), expected, "{text}");
        }
    }

    #[test]
    fn bindings_have_numbers() {
        let table = [
            ("@group(0) @binding(1) var<uniform> v: u32;", Declared::Binding(Some((0, 1)))),
            ("@binding(0x1fu) @group(2i,) var<uniform> v: u32;", Declared::Binding(Some((2, 31)))),
            ("@group(0) @binding(1 + 1) var<uniform> v: u32;", Declared::Binding(None)),
            ("var<workgroup> v: u32;", Declared::Variable),
            ("@compute @workgroup_size(1) fn v() { }", Declared::EntryPoint),
        ];
        for (text, expected) in table {
            let tokens = Tokens::of(SourceFile { name: "a".to_owned(), text: text.to_owned() }).unwrap();
            let outline = Outline::of(&tokens).unwrap();
            assert_eq!(outline.declarations[outline.declared["v"]].kind, expected, "{text}");
        }
    }
}

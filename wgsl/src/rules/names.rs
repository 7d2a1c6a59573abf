//! Names of a text whose values are known only at run time. naga evaluates a `let` like a `const`, and its module does
//! not distinguish the two; browsers do distinguish them.

use std::collections::HashMap;
use std::ops::Range;

use crate::compose::tokens::{Kind, Token, scan};

/// The kind of declaration that declares a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Const,
    Let,
    Var,
    Override,
    Parameter,
}

/// A use of a name that is not declared by `const`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) declared: Declared,
}

/// The tokens of a text, and the uses of its names.
#[derive(Debug)]
pub(super) struct Names<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// The uses of names whose values are not constants, sorted by `start`.
    uses: Vec<Use>,
}

/// The names that are declared in a block, or in the head of a function or `for` loop. The names of a head end with the
/// body.
#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Declared>,
    heads: Option<Head>,
    /// Whether this block is the body of the function or `for` loop whose head is the enclosing scope.
    is_body: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Head {
    Function,
    Loop,
}

impl<'a> Names<'a> {
    /// Reads the names of a text that naga has parsed.
    pub(super) fn of(text: &'a str) -> Self {
        let mut names = Self { text, tokens: scan(text), uses: Vec::new() };
        names.uses = names.resolve();
        names
    }

    /// The first use, in the text in `range`, of a name whose value is known only at run time.
    pub(super) fn unknown_in(&self, range: &Range<usize>) -> Option<Use> {
        let first = self.uses.partition_point(|found| found.start < range.start);
        self.uses.get(first).copied().filter(|found| found.end <= range.end)
    }

    /// Whether the text in `range` has a float literal with a suffix or a concrete float type, so that its floats are
    /// not abstract.
    pub(super) fn has_width(&self, range: &Range<usize>) -> bool {
        let is_wide = |token: &Token| {
            let word = self.word(token);
            let is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
            match token.kind {
                Kind::Number => !is_hexadecimal && word.ends_with(['f', 'h']),
                Kind::Word => {
                    let is_short =
                        ["vec", "mat"].iter().any(|kind| word.starts_with(kind)) && word.ends_with(['f', 'h']);
                    is_short || matches!(word, "f32" | "f16")
                }
                _ => false,
            }
        };
        self.tokens_in(range).iter().any(is_wide)
    }

    /// The ranges of the arguments of the call whose name begins at an offset; empty if no call begins there.
    pub(super) fn arguments(&self, call: usize) -> Vec<Range<usize>> {
        let Ok(name) = self.tokens.binary_search_by_key(&call, |token| token.start) else { return Vec::new() };
        let open = self.behind_types(name + 1);
        if !self.is(open, b'(') {
            return Vec::new();
        }
        let (mut found, mut first, mut depth, mut at) = (Vec::new(), open + 1, 0_usize, open);
        while let Some(token) = self.tokens.get(at) {
            match token.kind {
                Kind::Mark(b'(' | b'[') => depth += 1,
                Kind::Mark(b')' | b']') => depth -= 1,
                Kind::Word => {
                    at = self.behind_types(at + 1);
                    continue;
                }
                _ => {}
            }
            if depth == 0 || depth == 1 && token.kind == Kind::Mark(b',') {
                found.extend(self.tokens.get(first).filter(|_| first < at).map(|first| first.start..token.start));
                first = at + 1;
            }
            if depth == 0 {
                break;
            }
            at += 1;
        }
        found
    }

    /// The ranges of the lists of values after each `case`.
    pub(super) fn selectors(&self) -> impl Iterator<Item = Range<usize>> {
        let cases = self.tokens.iter().enumerate().filter(|(_, token)| self.word(token) == "case");
        cases.filter_map(|(index, case)| {
            let ends = |token: &&Token| matches!(token.kind, Kind::Mark(b':' | b'{'));
            let end = self.tokens[index..].iter().find(ends)?;
            Some(case.end..end.start)
        })
    }

    /// The text of a name that is used.
    pub(super) fn name(&self, found: Use) -> &'a str {
        self.text.get(found.start..found.end).unwrap_or_default()
    }

    fn resolve(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut scopes = vec![self.module_scope()];
        // The names of a declaration that has not ended: a name is in scope only after its declaration.
        let mut declared: Vec<(&str, Declared)> = Vec::new();
        let mut name_at = None;
        for (index, token) in self.tokens.iter().enumerate() {
            match token.kind {
                Kind::Mark(b'{') => {
                    let is_body = scopes.last_mut().is_some_and(|scope| scope.heads.take().is_some());
                    scopes.push(Scope { is_body, ..Scope::default() });
                }
                Kind::Mark(b'}') if scopes.len() > 1 => {
                    if scopes.pop().is_some_and(|scope| scope.is_body) {
                        scopes.pop();
                    }
                }
                Kind::Mark(b';') => {
                    if let Some(scope) = scopes.last_mut() {
                        scope.names.extend(declared.drain(..));
                    }
                }
                Kind::Word => {}
                _ => continue,
            }
            let (Kind::Word, Some(innermost)) = (token.kind, scopes.last_mut()) else { continue };
            let word = self.word(token);
            let is_parameter = innermost.heads == Some(Head::Function) && self.is(index + 1, b':');
            match word {
                "fn" => scopes.push(Scope { heads: Some(Head::Function), ..Scope::default() }),
                "for" => scopes.push(Scope { heads: Some(Head::Loop), ..Scope::default() }),
                _ if is_parameter => {
                    innermost.names.insert(word, Declared::Parameter);
                }
                _ => {
                    if let Some((at, name, by)) = self.declaration(index) {
                        name_at = Some(at);
                        // Declarations outside functions are already in scope.
                        declared.extend(Some((name, by)).filter(|_| scopes.len() > 1));
                    }
                    // A member or attribute is not a name, and the declared name is not a use.
                    let is_member = index > 0 && (self.is(index - 1, b'.') || self.is(index - 1, b'@'));
                    let is_name = !is_member && name_at != Some(index);
                    let of = scopes.iter().rev().find_map(|scope| scope.names.get(word));
                    if let Some(&declared) = of.filter(|declared| is_name && **declared != Declared::Const) {
                        uses.push(Use { start: token.start, end: token.end, declared });
                    }
                }
            }
        }
        uses
    }

    /// The declarations outside functions, in any order.
    fn module_scope(&self) -> Scope<'a> {
        let mut scope = Scope::default();
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate() {
            match token.kind {
                Kind::Mark(b'{' | b'(') => depth += 1,
                Kind::Mark(b'}' | b')') => depth = depth.saturating_sub(1),
                Kind::Word if depth == 0 => {
                    scope.names.extend(self.declaration(index).map(|(_, name, declared)| (name, declared)));
                }
                _ => {}
            }
        }
        scope
    }

    /// The name that the declaration with this keyword declares, and the index of the name.
    fn declaration(&self, keyword: usize) -> Option<(usize, &'a str, Declared)> {
        let declared = match self.word(&self.tokens[keyword]) {
            "const" => Declared::Const,
            "let" => Declared::Let,
            "var" => Declared::Var,
            "override" => Declared::Override,
            _ => return None,
        };
        let index = self.behind_list(keyword + 1);
        let name = self.tokens.get(index)?;
        (name.kind == Kind::Word).then(|| (index, self.word(name), declared))
    }

    /// The index after the `<..>` of a type whose name is the token before `at`.
    fn behind_types(&self, at: usize) -> usize {
        let before = at.checked_sub(1).map_or("", |before| self.word(&self.tokens[before]));
        let size = before.strip_prefix("vec").or_else(|| before.strip_prefix("mat"));
        let is_type = size.is_some_and(|size| size.starts_with(['2', '3', '4']))
            || matches!(before, "array" | "bitcast" | "atomic" | "ptr");
        if is_type { self.behind_list(at) } else { at }
    }

    /// The index after the `<..>` that begins at a token; the same index if none begins there.
    fn behind_list(&self, mut at: usize) -> usize {
        let begin = at;
        let mut depth = 0_usize;
        loop {
            match self.tokens.get(at).map(|token| token.kind) {
                Some(Kind::Mark(b'<')) => depth += 1,
                Some(Kind::Mark(b'>')) => depth = depth.saturating_sub(1),
                // No `>` follows in the statement, so the `<` was a comparison.
                Some(Kind::Mark(b';')) | None => return begin,
                _ => {}
            }
            if depth == 0 {
                return if at == begin { begin } else { at + 1 };
            }
            at += 1;
        }
    }

    fn tokens_in(&self, range: &Range<usize>) -> &[Token] {
        let first = self.tokens.partition_point(|token| token.start < range.start);
        let last = self.tokens.partition_point(|token| token.start < range.end);
        self.tokens.get(first..last).unwrap_or_default()
    }

    fn word(&self, token: &Token) -> &'a str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    fn is(&self, index: usize, mark: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Mark(mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(text: &str) -> Vec<(&str, Declared)> {
        let names = Names::of(text);
        names.uses.iter().map(|found| (names.name(*found), found.declared)).collect()
    }

    #[test]
    fn names_are_found_in_their_scopes() {
        use Declared::{Let, Override, Parameter, Var};
        for (text, expected) in [
            ("const c = 1; fn f() { a = c; }", vec![]),
            ("fn f() { let c = 1; a = c; }", vec![("c", Let)]),
            ("fn f() { const c = 1; { let c = 2; a = c; } b = c; }", vec![("c", Let)]),
            ("fn f() { let c = 1; { const c = 2; a = c; } b = c; }", vec![("c", Let)]),
            ("const c = 1; fn f() { let c = c; let d = c; }", vec![("c", Let)]),
            ("const c = 1; fn f(c: u32) { a = c; } fn g() { a = c; }", vec![("c", Parameter)]),
            ("const c = 1; fn f() { for (var c = 0; c < 2; c++) { a = c; } b = c; }", vec![("c", Var); 3]),
            ("fn f() { var<function> v = 1; a.v = v; }", vec![("v", Var)]),
            ("fn f() { a = o; } override o = 1;", vec![("o", Override)]),
        ] {
            assert_eq!(unknown(text), expected, "{text}");
        }
    }

    #[test]
    fn arguments_end_at_top_level_commas() {
        let text = "f(vec2<f32>(a, b), array<u32, 2>(1, 2)[0], c < d, g(e))";
        let arguments: Vec<&str> = Names::of(text).arguments(0).into_iter().map(|range| &text[range]).collect();
        assert_eq!(arguments, ["vec2<f32>(a, b)", "array<u32, 2>(1, 2)[0]", "c < d", "g(e)"]);
        let text = "bitcast<vec2<f32>>(a)";
        assert_eq!(Names::of(text).arguments(0).as_slice(), std::slice::from_ref(&(19..20)));
        assert!(Names::of("a + b").arguments(0).is_empty());
    }
}

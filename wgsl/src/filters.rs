//! Filters of diagnostics: `diagnostic(off, subgroup_uniformity);` and `@diagnostic(..)`, which set, for a range of the
//! text, the severity of the problems that a browser reports.
//!
//! naga supports one of the specification's two rules, and attributes only before functions. Other filters are read
//! here, and replaced by blanks for naga.

use std::borrow::Cow;
use std::ops::Range;

use anywarp_backend::SourceFile;

use crate::compose::tokens::{Kind, Tokens};

/// A rule whose severity a text can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Operations that compute derivatives need uniform control flow.
    DerivativeUniformity,
    /// Subgroup and quad operations need uniform control flow.
    SubgroupUniformity,
}

/// The severity of a problem that a rule finds in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The problem is reported only as information.
    Info,
    /// The text is accepted, but is probably wrong.
    Warning,
    /// The text is refused.
    Error,
}

/// The filters of a text.
#[derive(Clone, Debug, Default)]
pub struct Filters(Vec<Filter>);

#[derive(Clone, Debug)]
struct Filter {
    rule: Rule,
    /// The severity that the filter sets; `None` for `off`.
    severity: Option<Severity>,
    /// The range of the text, in bytes, to which the filter applies.
    range: Range<usize>,
    /// The range of the filter's own text, in bytes; for a directive, without the semicolon.
    written: Range<usize>,
    site: Site,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    Directive,
    Function,
    Statement,
}

impl Filters {
    /// Reads the filters of a text. Malformed filters are ignored, because the parser reports them.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if !text.contains("diagnostic") {
            return Self::default();
        }
        let file = SourceFile { name: String::new(), text: text.to_owned() };
        Tokens::of(file).map_or_else(|_| Self::default(), |tokens| Self(read(&tokens)))
    }

    /// Returns the severity of a rule at a byte of the text; `None` where the rule is off.
    #[must_use]
    pub fn severity(&self, rule: Rule, at: usize) -> Option<Severity> {
        let filters = self.0.iter().filter(|filter| filter.rule == rule && filter.range.contains(&at));
        // Filters nest, so the one with the shortest range is the innermost one.
        filters.min_by_key(|filter| filter.range.len()).map_or(Some(Severity::Error), |filter| filter.severity)
    }

    /// Returns the ranges of two filters with the same rule and range but different severities, which WGSL does not
    /// allow.
    #[must_use]
    pub fn conflict(&self) -> Option<[Range<usize>; 2]> {
        let mut pairs = self
            .0
            .iter()
            .enumerate()
            .flat_map(|(index, one)| self.0[index + 1..].iter().map(move |other| (one, other)));
        let (one, other) = pairs.find(|(one, other)| {
            one.rule == other.rule && one.range == other.range && one.severity != other.severity
        })?;
        Some([one.written.clone(), other.written.clone()])
    }

    /// Returns the text with blanks in place of the filters that naga refuses or warns about. All other text keeps its
    /// offsets.
    pub(crate) fn blank<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        let mut unknown =
            self.0.iter().filter(|filter| filter.rule != Rule::DerivativeUniformity || filter.site == Site::Statement);
        let Some(first) = unknown.next() else { return text };
        let mut bytes = text.into_owned().into_bytes();
        for filter in std::iter::once(first).chain(unknown) {
            let end = filter.written.end + usize::from(filter.site == Site::Directive);
            for byte in &mut bytes[filter.written.start..end] {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        // Only whole tokens, and the text between them, were overwritten with ASCII, so the bytes are still UTF-8.
        Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
    }
}

fn read(tokens: &Tokens) -> Vec<Filter> {
    let mut filters = Vec::new();
    for index in 0..tokens.len() {
        if tokens.word(index) != Some("diagnostic") {
            continue;
        }
        let Some((rule, severity)) = control(tokens, index + 1) else { continue };
        let close = tokens.partner(index + 1);
        let is_attribute = index > 0 && tokens.is(index - 1, b'@');
        let (range, site) = if is_attribute {
            let Some(found) = subject(tokens, close + 1) else { continue };
            found
        } else if tokens.is(close + 1, b';') {
            // A directive applies to the whole text.
            (0..usize::MAX, Site::Directive)
        } else {
            continue;
        };
        let written = tokens.bytes(index - usize::from(is_attribute)..close + 1);
        filters.push(Filter { rule, severity, range, written, site });
    }
    filters
}

/// The rule and the severity in `(severity, rule)`, whose opening bracket is the token `open`.
fn control(tokens: &Tokens, open: usize) -> Option<(Rule, Option<Severity>)> {
    let close = tokens.partner(open);
    let has_end = close == open + 4 || (close == open + 5 && tokens.is(open + 4, b','));
    if !tokens.is(open, b'(') || !tokens.is(open + 2, b',') || !has_end {
        return None;
    }
    let severity = match tokens.word(open + 1)? {
        "off" => None,
        "info" => Some(Severity::Info),
        "warning" => Some(Severity::Warning),
        "error" => Some(Severity::Error),
        _ => return None,
    };
    let rule = match tokens.word(open + 3)? {
        "derivative_uniformity" => Rule::DerivativeUniformity,
        "subgroup_uniformity" => Rule::SubgroupUniformity,
        _ => return None,
    };
    Some((rule, severity))
}

/// The bytes to which an attribute applies: the function or statement that begins at `begin`, perhaps after more
/// attributes.
fn subject(tokens: &Tokens, begin: usize) -> Option<(Range<usize>, Site)> {
    let start = behind_attributes(tokens, begin);
    let site = match tokens.word(start) {
        Some("fn") => Site::Function,
        Some("if" | "switch" | "loop" | "while" | "for" | "continuing") => Site::Statement,
        None if tokens.is(start, b'{') => Site::Statement,
        _ => return None,
    };
    let mut close = body(tokens, start)?;
    while tokens.word(start) == Some("if") && tokens.word(close + 1) == Some("else") {
        close = body(tokens, close + 1)?;
    }
    Some((tokens.bytes(start..close + 1), site))
}

/// The index of the token after the attributes that begin at `at`.
fn behind_attributes(tokens: &Tokens, mut at: usize) -> usize {
    while tokens.is(at, b'@') {
        at += 2;
        if tokens.is(at, b'(') {
            at = tokens.partner(at) + 1;
        }
    }
    at
}

/// The closing brace of the first block at or after a token; blocks within other brackets are skipped.
fn body(tokens: &Tokens, mut at: usize) -> Option<usize> {
    loop {
        match tokens.kind(at)? {
            Kind::Mark(b'{') => return Some(tokens.partner(at)),
            Kind::Mark(b'(' | b'[') => at = tokens.partner(at) + 1,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn severities(text: &str) -> Vec<Option<Severity>> {
        let filters = Filters::of(text);
        text.match_indices('#').map(|(at, _)| filters.severity(Rule::SubgroupUniformity, at)).collect()
    }

    const OFF: Option<Severity> = None;
    const INFO: Option<Severity> = Some(Severity::Info);
    const WARNING: Option<Severity> = Some(Severity::Warning);
    const ERROR: Option<Severity> = Some(Severity::Error);

    #[test]
    fn the_innermost_filter_applies() {
        assert_eq!(severities("fn f() { # }"), [ERROR]);
        assert_eq!(severities("diagnostic(off, subgroup_uniformity); fn f() { # }"), [OFF]);
        let text = "diagnostic(info,subgroup_uniformity,);
            @compute @diagnostic(warning, subgroup_uniformity) @workgroup_size(1) fn f(a: array<u32, (2)>) -> @x(1) u32 { #
                @diagnostic(off, subgroup_uniformity) { # }
                @diagnostic(error, derivative_uniformity) { # } # }
            fn g() { # }";
        assert_eq!(severities(text), [WARNING, OFF, WARNING, WARNING, INFO]);
    }

    #[test]
    fn filters_cover_whole_statements() {
        let with =
            |statement: &str| severities(&format!("fn f() {{ @diagnostic(off, subgroup_uniformity) {statement} # }}"));
        for statement in [
            "if a[#] + (#) { # } else if # { # } else { # }",
            "switch # { case 1: { # } default { # } }",
            "loop { # continuing { # break if #; } }",
            "while # { # }",
            "for (var i = #; i < #; i++) { # }",
            "{ # { # } }",
        ] {
            let found = with(statement);
            let (behind, inside) = found.split_last().unwrap();
            assert!(*behind == ERROR && inside.iter().all(|severity| *severity == OFF), "{statement}: {found:?}");
        }
        let body = "fn f() { loop { # continuing @diagnostic(off, subgroup_uniformity) { # } } while # @diagnostic(info, subgroup_uniformity) { # } }";
        assert_eq!(severities(body), [ERROR, OFF, ERROR, INFO]);
    }

    #[test]
    fn filters_unknown_to_naga_are_blanked_in_place() {
        let text = "diagnostic(off, /* é\n */ subgroup_uniformity); diagnostic(off, derivative_uniformity);
            @diagnostic(off, derivative_uniformity) fn f() { @diagnostic(off,\nderivative_uniformity) if true {} }";
        let blanked = Filters::of(text).blank(Cow::Borrowed(text));
        assert_eq!(blanked.len(), text.len());
        assert_eq!(blanked.matches("diagnostic").count(), 2);
        for kept in ["fn f", "if true", "diagnostic(off, derivative_uniformity);", "\n"] {
            assert_eq!(blanked.rfind(kept), text.rfind(kept), "{kept}");
        }
    }

    #[test]
    fn malformed_filters_stay() {
        for text in [
            "diagnostic(never, subgroup_uniformity);",
            "diagnostic(off, own_rule);",
            "diagnostic(off);",
            "fn f() { @diagnostic(off, subgroup_uniformity) let a = 1; }",
            "fn diagnostic() { (",
            "@diagnostic(off, subgroup_uniformity)",
        ] {
            assert!(matches!(Filters::of(text).blank(Cow::Borrowed(text)), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn filters_that_disagree_are_found() {
        let conflict = |text: &str| Filters::of(text).conflict().is_some();
        let twice =
            |severity| format!("diagnostic(off, subgroup_uniformity); diagnostic({severity}, subgroup_uniformity);");
        assert!(!conflict(&twice("off")) && conflict(&twice("info")));
        assert!(conflict("@diagnostic(off, subgroup_uniformity) @diagnostic(info, subgroup_uniformity) fn f() {}"));
        assert!(!conflict(
            "@diagnostic(off, subgroup_uniformity) fn f() { @diagnostic(info, subgroup_uniformity) {} }"
        ));
    }
}

//! Functions that a text marks: for debug printing, or for a ring: its actor, and the sending and emitting of messages.
//!
//! The mark is a comment, so other WGSL tools see ordinary functions.

use std::ops::Range;

/// The first word of the comment before a function that prints.
pub const DEBUG: &str = "anywarp:debug";

/// The first word of the comment before the function of an actor.
pub const ACTOR: &str = "anywarp:actor";

/// The first word of the comment before the function by which an actor sends a message.
pub const SEND: &str = "anywarp:send";

/// The first word of the comment before the function by which an actor emits a message to the host.
pub const EMIT: &str = "anywarp:emit";

/// The range of a debug mark that no function follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray(pub Range<usize>);

/// The first word of the comment before a function by which an actor publishes a message to a topic.
pub const PUBLISH: &str = "anywarp:publish";

/// A marked function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The name of the function.
    pub name: &'a str,
    /// The range of the name.
    pub place: Range<usize>,
    /// The word after the mark in the comment, if there is one.
    pub argument: Option<&'a str>,
}

/// Returns the names of the functions with this mark, and the ranges of these names.
///
/// # Errors
/// [`Stray`] for a mark without a function after it.
pub fn marked_functions<'a>(text: &'a str, mark: &str) -> Result<Vec<(&'a str, Range<usize>)>, Stray> {
    Ok(marks(text, mark)?.into_iter().map(|mark| (mark.name, mark.place)).collect())
}

/// Returns the functions with this mark.
///
/// # Errors
/// [`Stray`] for a mark without a function after it.
pub fn marks<'a>(text: &'a str, mark: &str) -> Result<Vec<Mark<'a>>, Stray> {
    let mut marked = Vec::new();
    if !text.contains(mark) {
        return Ok(marked);
    }
    let mut at = 0;
    while let Some((start, end)) = next_comment(text, at) {
        at = end;
        let mut words = text[start + 2..end].split_whitespace();
        if words.next().is_some_and(|word| is_mark(word, mark)) {
            let (name, place) = function_at(text, end).ok_or(Stray(start..end))?;
            let argument = words.next().map(|word| word.strip_suffix("*/").unwrap_or(word));
            marked.push(Mark { name, place, argument: argument.filter(|word| !word.is_empty()) });
        }
    }
    Ok(marked)
}

/// The range of the body, with its braces, of the function whose name begins at `at`; `None` if braces do not match.
#[must_use]
pub fn body_of(text: &str, at: usize) -> Option<Range<usize>> {
    let (mut start, mut depth, mut place) = (None, 0usize, at);
    while let Some(next) = text.get(place..)?.find(['{', '}', '/']) {
        place += next;
        let rest = &text[place..];
        match rest.as_bytes()[0] {
            b'/' if rest.starts_with("//") => place += rest.find(['\n', '\r'])?,
            b'/' if rest.starts_with("/*") => place += crate::directives::block_comment(rest),
            b'{' => {
                start.get_or_insert(place);
                depth += 1;
                place += 1;
            }
            b'}' => {
                depth = depth.checked_sub(1)?;
                place += 1;
                if depth == 0 {
                    return Some(start?..place);
                }
            }
            _ => place += 1,
        }
    }
    None
}

/// Whether a word is the mark. A block comment may end directly after the mark.
fn is_mark(word: &str, mark: &str) -> bool {
    word.strip_suffix("*/").unwrap_or(word) == mark
}

/// The name of the function that begins at `at`, after white space and comments, and the range of that name.
fn function_at(text: &str, at: usize) -> Option<(&str, Range<usize>)> {
    let at = crate::directives::skip_space(text, at);
    let rest = text[at..].strip_prefix("fn")?;
    let start = crate::directives::skip_space(text, at + 2);
    let name = &text[start..];
    let name = &name[..name.find(|c: char| c.is_whitespace() || "(/".contains(c)).unwrap_or(name.len())];
    // White space or a comment must separate `fn` from the name.
    (start > at + 2 && !rest.is_empty() && !name.is_empty()).then(|| (name, start..start + name.len()))
}

/// The start and the end of the first comment from `at` on. WGSL has no strings that could contain a comment.
fn next_comment(text: &str, at: usize) -> Option<(usize, usize)> {
    let mut from = at;
    loop {
        let start = from + text[from..].find('/')?;
        let rest = &text[start..];
        if rest.starts_with("//") {
            return Some((start, start + rest.find(['\n', '\r']).unwrap_or(rest.len())));
        }
        if rest.starts_with("/*") {
            return Some((start, start + crate::directives::block_comment(rest)));
        }
        from = start + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&str> {
        marked_functions(text, DEBUG).unwrap().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn marks_are_comments_before_functions() {
        assert_eq!(names("// anywarp:debug\nfn a(x: f32) {}\n//anywarp:debug\r\nfn b () {}"), ["a", "b"]);
        assert_eq!(names("/* anywarp:debug */ fn a() {} /*anywarp:debug*/fn/**/b() {}"), ["a", "b"]);
        assert_eq!(names("// anywarp:debug values at\n// one index\n\nfn a() {}"), ["a"]);
        assert_eq!(names("// anywarp:debug\nfn große_zahl() {}"), ["große_zahl"]);
        let both = "// anywarp:debug\nfn a() {}\n// anywarp:actor\nfn b() {}";
        assert_eq!(marked_functions(both, ACTOR), Ok(vec![("b", both.len() - 6..both.len() - 5)]));
    }

    #[test]
    fn the_word_after_a_mark_is_its_argument() {
        let text =
            "// anywarp:send judge of all\nfn a() {}\n/* anywarp:send x*/fn b() {}\n/* anywarp:send */ fn c() {}";
        let found: Vec<_> = marks(text, SEND).unwrap().into_iter().map(|mark| (mark.name, mark.argument)).collect();
        assert_eq!(found, [("a", Some("judge")), ("b", Some("x")), ("c", None)]);
    }

    #[test]
    fn bodies_have_matching_braces() {
        let text =
            "fn a(x: f32 /* { */) -> bool // }\n{ if x / 2.0 > 1.0 { return true; } /* } */ return false; } fn b() {}";
        let body = body_of(text, 3).map(|range| &text[range]);
        assert_eq!(body, Some("{ if x / 2.0 > 1.0 { return true; } /* } */ return false; }"));
        assert_eq!(body_of("fn a() { {", 3), None);
        assert_eq!(body_of("fn a()", 3), None);
    }

    #[test]
    fn other_comments_and_code_are_not_marks() {
        for text in [
            "",
            "fn a() {}",
            "/// anywarp:debug\nfn a() {}",
            "// see anywarp:debug\nfn a() {}",
            "// anywarp:debugging\nfn a() {}",
            "/* /* */ // anywarp:debug */ fn a() {}",
            "// /* anywarp:debug */\nfn a() {}",
            "const x = 6 / 2; fn anywarp() {} fn debug() {}",
            "/* anywarp:debug never ends",
        ] {
            let found = marked_functions(text, DEBUG);
            assert!(
                matches!(&found, Ok(names) if names.is_empty()) || text.ends_with("never ends"),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn a_mark_without_a_function_is_an_error() {
        for text in ["// anywarp:debug", "// anywarp:debug\n@compute fn a() {}", "// anywarp:debug\nfnord()"] {
            assert_eq!(marked_functions(text, DEBUG), Err(Stray(0..16)), "{text}");
        }
    }
}

//! Marks of functions for debug printing.
//!
//! The mark is a comment before the function, so other WGSL tools see an ordinary empty function.

use std::ops::Range;

/// The first word of a comment that is a mark.
const MARK: &str = "anywarp:debug";

/// The range of a debug mark that no function follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray(pub Range<usize>);

/// Returns the names of the marked functions, and the ranges of these names.
pub fn marked_functions(text: &str) -> Result<Vec<(&str, Range<usize>)>, Stray> {
    let mut marked = Vec::new();
    if !text.contains(MARK) {
        return Ok(marked);
    }
    let mut at = 0;
    while let Some((start, end)) = next_comment(text, at) {
        at = end;
        if text[start + 2..end].split_whitespace().next().is_some_and(is_mark) {
            marked.push(function_at(text, end).ok_or(Stray(start..end))?);
        }
    }
    Ok(marked)
}

/// Whether a word is the mark. A block comment may end directly after the mark.
fn is_mark(word: &str) -> bool {
    word.strip_suffix("*/").unwrap_or(word) == MARK
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
        marked_functions(text).unwrap().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn marks_are_comments_before_functions() {
        assert_eq!(names("// anywarp:debug\nfn a(x: f32) {}\n//anywarp:debug\r\nfn b () {}"), ["a", "b"]);
        assert_eq!(names("/* anywarp:debug */ fn a() {} /*anywarp:debug*/fn/**/b() {}"), ["a", "b"]);
        assert_eq!(names("// anywarp:debug values at\n// one index\n\nfn a() {}"), ["a"]);
        assert_eq!(names("// anywarp:debug\nfn große_zahl() {}"), ["große_zahl"]);
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
            let found = marked_functions(text);
            assert!(
                matches!(&found, Ok(names) if names.is_empty()) || text.ends_with("never ends"),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn a_mark_without_a_function_is_an_error() {
        for text in ["// anywarp:debug", "// anywarp:debug\n@compute fn a() {}", "// anywarp:debug\nfnord()"] {
            assert_eq!(marked_functions(text), Err(Stray(0..16)), "{text}");
        }
    }
}

//! Directives that naga does not accept, and skipping of white space and comments.

use std::borrow::Cow;

/// Extensions of the WGSL specification whose features naga supports, but whose directives naga refuses.
const UNKNOWN_TO_NAGA: &[&str] = &["subgroups", "subgroup_id", "subgroup_uniformity"];

/// Directives that may list extensions.
const EXTENDING: &[&str] = &["enable", "requires"];

/// Replaces by blanks the names of extensions whose directives naga refuses although naga supports their features. Text
/// outside these directives keeps its offsets, so that diagnostics have the columns of the author's text.
pub fn blank_known_enables(text: &str) -> Cow<'_, str> {
    let mut blanked: Option<Vec<u8>> = None;
    for Directive { at, text: directive } in directives(text) {
        let Some((keyword, names)) = EXTENDING.iter().find_map(|keyword| Some((keyword, named(directive, keyword)?)))
        else {
            continue;
        };
        if names.split(',').any(|name| UNKNOWN_TO_NAGA.contains(&name.trim())) {
            let kept: Vec<&str> =
                names.split(',').map(str::trim).filter(|name| !UNKNOWN_TO_NAGA.contains(name)).collect();
            let mut line = if kept.is_empty() { String::new() } else { format!("{keyword} {};", kept.join(", ")) };
            // The directive keeps its number of line breaks and its number of bytes.
            for byte in directive.bytes().skip(line.len().min(directive.len())) {
                line.push(if byte == b'\n' { '\n' } else { ' ' });
            }
            let end = directive.len();
            while line.len() <= end {
                line.push(' ');
            }
            let bytes = blanked.get_or_insert_with(|| text.as_bytes().to_vec());
            bytes[at..=at + end].copy_from_slice(&line.as_bytes()[..=end]);
        }
    }
    // Whole directives were overwritten with ASCII, so the bytes are still UTF-8.
    blanked.map_or(Cow::Borrowed(text), |bytes| Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the extensions that the directives at the beginning of a text enable, with the byte offsets of their names.
///
/// ```
/// use anywarp_wgsl::directives::enables;
///
/// assert_eq!(enables("// halves\nenable f16, subgroups;\nfn f() {}"), [("f16", 17), ("subgroups", 22)]);
/// ```
#[must_use]
pub fn enables(text: &str) -> Vec<(&str, usize)> {
    names(text, "enable")
}

/// Returns the language extensions that the directives at the beginning of a text require, with the byte offsets of
/// their names.
///
/// ```
/// use anywarp_wgsl::directives::requirements;
///
/// assert_eq!(requirements("requires subgroup_uniformity;"), [("subgroup_uniformity", 9)]);
/// ```
#[must_use]
pub fn requirements(text: &str) -> Vec<(&str, usize)> {
    names(text, "requires")
}

fn names<'a>(text: &'a str, keyword: &str) -> Vec<(&'a str, usize)> {
    let mut found = Vec::new();
    for Directive { at, text: directive } in directives(text) {
        let Some(names) = named(directive, keyword) else { continue };
        let mut name_at = at + keyword.len();
        for name in names.split(',') {
            let begin = name_at + (name.len() - name.trim_start().len());
            found.extend(Some((name.trim(), begin)).filter(|(name, _)| !name.is_empty()));
            name_at += name.len() + 1;
        }
    }
    found
}

/// The text of a directive without its semicolon, and the directive's offset in bytes.
struct Directive<'a> {
    at: usize,
    text: &'a str,
}

/// The directives at the beginning of a text.
fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip_space(text, at);
        let rest = &text[at..];
        let found = Directive { at, text: &rest[..rest.find(';')?] };
        at += found.text.len() + 1;
        ["enable", "requires", "diagnostic"].iter().any(|word| found.text.starts_with(word)).then_some(found)
    })
    .fuse()
}

/// The names that a directive lists, if its keyword is `keyword`.
fn named<'a>(directive: &'a str, keyword: &str) -> Option<&'a str> {
    directive.strip_prefix(keyword).filter(|names| names.starts_with(char::is_whitespace))
}

/// Returns the position after white space and comments.
pub fn skip_space(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            at += block_comment(trimmed);
        } else {
            return at;
        }
    }
}

/// Returns the length of the block comment at the start of a text; block comments nest.
pub fn block_comment(text: impl AsRef<[u8]>) -> usize {
    let (mut depth, mut at) = (0, 0);
    let bytes = text.as_ref();
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subgroups_is_blanked_in_place() {
        let text = "// first\n/* a /* b */ c */\nenable f16, subgroups;\nenable subgroups;\nfn main() {}";
        let blanked = blank_known_enables(text);
        assert_eq!(blanked.len(), text.len());
        assert!(!blanked.contains("subgroups") && blanked.contains("enable f16;"));
        assert_eq!(blanked.find("fn main"), text.find("fn main"));
        assert_eq!(blanked.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn a_directive_over_several_lines_keeps_its_lines() {
        let text = "requires subgroup_uniformity;\nenable\n  subgroups,\n  f16;\nfn main() {}";
        let blanked = blank_known_enables(text);
        assert_eq!(blanked.find("fn main"), text.find("fn main"));
        assert!(blanked.contains("enable f16;"));
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in ["", "enable f16;\nfn f() {}", "fn enable() {}", "/* unclosed", "enable subgroups", "é"] {
            assert!(matches!(blank_known_enables(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn enables_end_with_the_directives() {
        let text = "/* ; */ enable f16;\nrequires readonly_and_readwrite_storage_textures;\n\
                    diagnostic(off, derivative_uniformity);\nenable\n a , b,;\nfn f() {}\nenable c;";
        let found = enables(text);
        assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["f16", "a", "b"]);
        assert!(found.iter().all(|(name, at)| text[*at..].starts_with(name)), "{found:?}");
        assert!(enables("").is_empty() && enables("enable f16").is_empty() && enables("enabled;").is_empty());
    }
}

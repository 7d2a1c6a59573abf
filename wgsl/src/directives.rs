//! Directives that naga does not know, and what stands before them.

use std::borrow::Cow;

/// Extensions of the WGSL specification that naga supports without knowing the directive.
const UNKNOWN_TO_NAGA: &[&str] = &["subgroups"];

/// Blanks the `enable` names that naga would refuse although it supports what they enable. Every
/// other byte stays where it is, so that diagnostics point at the user's own columns.
pub fn blank_known_enables(text: &str) -> Cow<'_, str> {
    let mut blanked: Option<Vec<u8>> = None;
    let mut at = 0;
    loop {
        at = skip_space(text, at);
        let rest = &text[at..];
        let Some(end) = rest.find(';') else { break };
        let directive = &rest[..end];
        if let Some(names) = directive.strip_prefix("enable").filter(|names| names.starts_with(char::is_whitespace)) {
            if names.split(',').any(|name| UNKNOWN_TO_NAGA.contains(&name.trim())) {
                let kept: Vec<&str> =
                    names.split(',').map(str::trim).filter(|name| !UNKNOWN_TO_NAGA.contains(name)).collect();
                let mut line = if kept.is_empty() { String::new() } else { format!("enable {};", kept.join(", ")) };
                // As many line breaks as before, and as many bytes.
                for byte in directive.bytes().skip(line.len().min(directive.len())) {
                    line.push(if byte == b'\n' { '\n' } else { ' ' });
                }
                while line.len() <= end {
                    line.push(' ');
                }
                let bytes = blanked.get_or_insert_with(|| text.as_bytes().to_vec());
                bytes[at..=at + end].copy_from_slice(&line.as_bytes()[..=end]);
            }
        } else if !["requires", "diagnostic"].iter().any(|word| directive.starts_with(word)) {
            break;
        }
        at += end + 1;
    }
    // Only whole ASCII directives were overwritten with ASCII.
    blanked.map_or(Cow::Borrowed(text), |bytes| Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The extensions that the directives at the beginning of a text enable, with the offsets of their
/// names.
///
/// ```
/// use anywarp_wgsl::directives::enables;
///
/// assert_eq!(enables("// halves\nenable f16, subgroups;\nfn f() {}"), [("f16", 17), ("subgroups", 22)]);
/// ```
#[must_use]
pub fn enables(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at = skip_space(text, at);
        let Some(length) = text[at..].find(';') else { return found };
        let directive = &text[at..at + length];
        if let Some(names) = directive.strip_prefix("enable").filter(|names| names.starts_with(char::is_whitespace)) {
            let mut name_at = at + "enable".len();
            for name in names.split(',') {
                let begin = name_at + (name.len() - name.trim_start().len());
                found.extend(Some((name.trim(), begin)).filter(|(name, _)| !name.is_empty()));
                name_at += name.len() + 1;
            }
        } else if !["requires", "diagnostic"].iter().any(|word| directive.starts_with(word)) {
            return found;
        }
        at += length + 1;
    }
}

/// The position after white space and comments.
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

/// The length of a block comment; they nest.
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
    fn subgroups_is_blanked_and_nothing_moves() {
        let text = "// first\n/* a /* b */ c */\nenable f16, subgroups;\nenable subgroups;\nfn main() {}";
        let blanked = blank_known_enables(text);
        assert_eq!(blanked.len(), text.len());
        assert!(!blanked.contains("subgroups") && blanked.contains("enable f16;"));
        assert_eq!(blanked.find("fn main"), text.find("fn main"));
        assert_eq!(blanked.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn a_directive_over_several_lines_keeps_its_lines() {
        let text = "enable\n  subgroups,\n  f16;\nfn main() {}";
        let blanked = blank_known_enables(text);
        assert_eq!(blanked.find("fn main"), text.find("fn main"));
        assert!(blanked.contains("enable f16;"));
    }

    #[test]
    fn other_text_is_not_touched() {
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

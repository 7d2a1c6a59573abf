//! Text and names within a page: every other file of this module writes them through these functions.

pub(super) use super::super::timeline::end_of;

/// Text for HTML, within and outside of attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // HTML has no place for these.
            control if control.is_control() && !matches!(control, '\n' | '\t') => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// Text for HTML in which the parts between backquotes are code.
pub(super) fn with_code(text: &str) -> String {
    let parts: Vec<String> = text.split('`').map(escaped).collect();
    // A backquote without a partner is no code.
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let part = |(at, part): (usize, &String)| if at % 2 == 0 { part.clone() } else { format!("<code>{part}</code>") };
    parts.iter().enumerate().map(part).collect()
}

/// A string of JSON within an element `script`, which no text can end.
pub(super) fn quoted(text: &str) -> String {
    super::super::timeline::quoted(text).replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        assert_eq!(escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
        assert_eq!(escaped("a\0\tb"), "a\u{fffd}\tb");
        assert_eq!(quoted("</script>\"\n"), "\"\\u003c/script>\\\"\\u000a\"");
    }

    #[test]
    fn backquotes_mark_code() {
        assert_eq!(with_code("use `a<b>` or `c`"), "use <code>a&lt;b&gt;</code> or <code>c</code>");
        assert_eq!(with_code("a ` b"), "a ` b");
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(end_of("héllo", 5), "héllo");
        assert_eq!(end_of("hello, wörld", 6), "…wörld");
    }
}

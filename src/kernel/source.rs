//! What the user hands in.

use std::borrow::Cow;

use anywarp_backend::{Leave, Unchecked};

/// WGSL source with what is needed to make a kernel of it.
///
/// A plain `&str` converts into it.
///
/// ```
/// use anywarp::Wgsl;
///
/// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}")
///     .file("empty.wgsl")
///     .entry("main")
///     .constant("block", 32.0);
/// # let _ = source;
/// ```
#[derive(Clone, Debug)]
pub struct Wgsl<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) file: Cow<'a, str>,
    pub(crate) entry: Option<Cow<'a, str>>,
    pub(crate) constants: Vec<(Cow<'a, str>, f64)>,
    pub(crate) leave: Leave,
}

impl<'a> Wgsl<'a> {
    /// WGSL with one compute entry point, or with several of which [`entry`](Self::entry) names
    /// one.
    #[must_use]
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), file: "kernel".into(), entry: None, constants: Vec::new(), leave: Leave::default() }
    }

    /// The file's name in diagnostics and profiles.
    #[must_use]
    pub fn file(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.file = name.into();
        self
    }

    /// The entry point.
    #[must_use]
    pub fn entry(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.entry = Some(name.into());
        self
    }

    /// The value of an `override`, by its name or, for one with `@id`, by its number as text.
    /// Booleans are 0 and 1.
    #[must_use]
    pub fn constant(mut self, name: impl Into<Cow<'a, str>>, value: f64) -> Self {
        self.constants.push((name.into(), value));
        self
    }

    /// Leaves out what keeps a kernel within its variables and its loops finite, where the device
    /// can (`wgpu` and `cuda`; `cpu` checks all the same).
    ///
    /// The promise is made in the caller's own `unsafe` block:
    ///
    /// ```
    /// use anywarp::{Unchecked, Wgsl};
    ///
    /// // SAFETY: the kernel touches nothing.
    /// let promise = unsafe { Unchecked::promise() };
    /// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}").unchecked(promise);
    /// # let _ = source;
    /// ```
    #[must_use]
    pub fn unchecked(mut self, promise: Unchecked) -> Self {
        self.leave.checks = Some(promise);
        self
    }

    /// Lets the device approximate `f32` arithmetic and flush tiny numbers to zero, beyond what
    /// WGSL allows. Today `cuda` does; other devices compute as ever.
    #[must_use]
    pub fn fast_math(mut self) -> Self {
        self.leave.exact_math = true;
        self
    }
}

impl<'a> From<&'a str> for Wgsl<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

impl<'a> From<&'a String> for Wgsl<'a> {
    fn from(text: &'a String) -> Self {
        Self::new(text.as_str())
    }
}

impl From<String> for Wgsl<'_> {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Extensions of the WGSL specification that naga supports without knowing the directive.
const UNKNOWN_TO_NAGA: &[&str] = &["subgroups"];

/// Blanks the `enable` names that naga would refuse although it supports what they enable. Every
/// other byte stays where it is, so that diagnostics point at the user's own columns.
pub(crate) fn blank_known_enables(text: &str) -> Cow<'_, str> {
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

/// The position after white space and comments.
pub(super) fn skip_space(text: &str, mut at: usize) -> usize {
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
pub(super) fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    let bytes = text.as_bytes();
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
}

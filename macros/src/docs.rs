//! Conversion of WGSL comments to Rust doc comments.

/// The lines of a comment, without the comment markers.
///
/// Code in the comment is marked as WGSL, so that Rust does not run it as a doc test.
pub(crate) fn docs(comment: Option<&Vec<String>>) -> Vec<String> {
    let mut lines = Vec::new();
    for part in comment.into_iter().flatten() {
        let text = ["///", "//!", "/**", "/*!"].iter().find_map(|mark| part.strip_prefix(mark)).unwrap_or(part);
        let text = if part.starts_with("/*") { text.strip_suffix("*/").unwrap_or(text) } else { text };
        lines.extend(text.lines().map(str::trim_end));
    }
    let mut fenced = false;
    let converted = lines.into_iter().map(|line| {
        let text = line.trim_start();
        if text.starts_with("```") {
            fenced = !fenced;
            return if fenced && text == "```" { format!("{line}wgsl") } else { line.to_owned() };
        }
        // Rust takes a line that is indented by four spaces more than the first line as code.
        let indent = (line.len() - text.len()).min(if fenced { usize::MAX } else { 4 });
        format!("{:indent$}{text}", "")
    });
    converted.collect()
}

#[cfg(test)]
mod tests {
    use super::docs;

    #[test]
    fn marks_go_and_code_is_no_example_of_rust() {
        let cases: &[(&[&str], &[&str])] = &[
            (&[], &[]),
            (&["/// One line.", "/// Another."], &[" One line.", " Another."]),
            (&["//! Of the module."], &[" Of the module."]),
            (&["/** A block\n of two lines */"], &[" A block", " of two lines"]),
            (&["/// ```", "///     y = x;", "/// ```"], &[" ```wgsl", "     y = x;", " ```"]),
            (&["/// ```text", "/// ```"], &[" ```text", " ```"]),
            (&["///        indented"], &["    indented"]),
        ];
        for (comment, wanted) in cases {
            let comment = comment.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(docs(Some(&comment)), *wanted);
        }
    }
}

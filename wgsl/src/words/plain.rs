//! Sentences of naga, without handles and without the names of naga's types.

/// Returns a sentence without handles.
///
/// `[9]` is an index into a naga arena; `naga::ir::Expression [9]` also names the arena.
pub(super) fn cleaned(sentence: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in sentence.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', ':', ';']);
        let handle = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let is_handle = handle.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
        if !is_handle {
            words.push(word.strip_prefix("naga::").unwrap_or(word));
        }
    }
    let cleaned = words.join(" ");
    let mut letters = cleaned.chars();
    // The first letter becomes lower case, as in the other messages.
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

/// Returns whether a label only names a handle of naga's.
pub(super) fn is_internal(label: &str) -> bool {
    label.starts_with("naga::") || label == "see msg"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_removed() {
        assert_eq!(cleaned("Function [0] 'f' is invalid"), "function 'f' is invalid");
        assert_eq!(cleaned("Base type [1] for the array is invalid"), "base type for the array is invalid");
        assert_eq!(cleaned("index [a] of [3], then"), "index [a] of then");
    }
}

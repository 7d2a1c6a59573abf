//! Swapped indices: `x[id.x * n + id.y]`, by which neighbours access different rows.

use super::Edit;
use super::words::Words;

/// Returns the edits that swap `x` and `y` of the invocation's index.
///
/// The text must use the index in no other way than as `id.x * n + id.y`, so that the invocation (x, y) then does what
/// (y, x) did before. Bounds that are the same for both may be there, too.
pub(super) fn edits(words: &Words<'_>) -> Option<Vec<Edit>> {
    // With another index of the invocation, or with memory of its workgroup, the swapped invocations could differ.
    let builtins = words.all("builtin").count();
    let at = words.all("global_invocation_id").next()?;
    if builtins != 1 || words.contains("workgroup") || words.contains("enable") {
        return None;
    }
    // `@builtin(global_invocation_id) id: vec3<u32>`
    let (id, declared) = (words.get(at + 2), at + 2);
    let mut edits = Vec::new();
    let mut width = None;
    let mut seen = Vec::new();
    for index in words.all(id).filter(|index| *index != declared) {
        if seen.contains(&index) {
            continue;
        }
        let use_of = linear(words, index, id).or_else(|| bounds(words, index, id))?;
        if *width.get_or_insert(use_of.width) != use_of.width {
            return None;
        }
        seen.extend(use_of.ids);
        if let Some([x, y]) = use_of.swapped {
            let edit = |index: usize, by: &str| {
                let (start, end) = words.range(index);
                Edit { start, end, by: by.to_owned() }
            };
            edits.extend([edit(x, "y"), edit(y, "x")]);
        }
    }
    (!edits.is_empty()).then_some(edits)
}

/// A use of the invocation's index.
struct Use<'a> {
    /// The words that name the index.
    ids: [usize; 2],
    /// The length of a row.
    width: &'a str,
    /// The members to swap.
    swapped: Option<[usize; 2]>,
}

/// `id.x * n + id.y` or `n * id.x + id.y`, alone in brackets or as a value.
fn linear<'a>(words: &Words<'a>, index: usize, id: &str) -> Option<Use<'a>> {
    let from = index.checked_sub(2).filter(|from| words.get(from + 1) == "*");
    let (start, x, width, second) = match from {
        Some(from) if words.are(index, &[id, ".", "x", "+", id, ".", "y"]) => (from, index + 2, from, index + 4),
        _ if words.are(index, &[id, ".", "x", "*"]) && words.are(index + 5, &["+", id, ".", "y"]) => {
            (index, index + 2, index + 4, index + 6)
        }
        _ => return None,
    };
    // Nothing before or behind binds more strongly, so that the words are one sum.
    let is_whole =
        matches!(words.get(start.checked_sub(1)?), "[" | "(" | "=") && matches!(words.get(second + 3), "]" | ")" | ";");
    let is_name = words.get(width).starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    (is_whole && is_name).then(|| Use { ids: [index, second], width: words.get(width), swapped: Some([x, second + 2]) })
}

/// `id.x < n && id.y < n` or `id.x >= n || id.y >= n`.
fn bounds<'a>(words: &Words<'a>, index: usize, id: &str) -> Option<Use<'a>> {
    for (compared, joined) in [(&["<"][..], "&"), (&[">", "="][..], "|")] {
        let width = index + 3 + compared.len();
        let second = width + 3;
        let [first, other] = [index, second].map(|at| words.are(at + 3, compared));
        let is_of = words.are(index, &[id, ".", "x"]) && words.are(second, &[id, ".", "y"]);
        let is_joined = words.are(width + 1, &[joined, joined]);
        let is_same = words.get(width) == words.get(second + 3 + compared.len());
        let is_whole = words.get(index.checked_sub(1)?) == "(" || words.get(index.checked_sub(1)?) == "if";
        let is_end = matches!(words.get(second + 4 + compared.len()), ")" | "{");
        if first && other && is_of && is_joined && is_same && is_whole && is_end {
            return Some(Use { ids: [index, second], width: words.get(width), swapped: None });
        }
    }
    None
}

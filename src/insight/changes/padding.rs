//! Padding: rows of workgroup memory that are one element longer, so that a column lies in different banks.

use super::Edit;
use super::words::{Words, number, one_more};
use crate::backend::ObservedKernel;

/// A workgroup variable: the indices of its name, of the lengths of its array from the outermost on, and its element.
struct Tile<'a> {
    declared: usize,
    lengths: Vec<usize>,
    element: &'a str,
}

/// The bytes of workgroup memory that every device has: WebGPU's default of `maxComputeWorkgroupStorageSize`. Padding
/// that needs more may not run elsewhere.
const EVERYWHERE: u64 = 16384;

/// Returns the edits that make the rows of a workgroup variable one element longer, if neighbours access neighbouring
/// rows, `stride` bytes apart.
pub(super) fn edits(words: &Words<'_>, kernel: &ObservedKernel, name: &str, stride: u64) -> Option<Vec<Edit>> {
    let tile = tile(words, name)?;
    let uses: Vec<usize> = words.all(name).filter(|index| *index != tile.declared).collect();
    let bytes = bytes(tile.element)?;
    let has_room = |rows: u64| u64::from(kernel.workgroup_bytes) + rows * bytes <= EVERYWHERE;
    match *tile.lengths {
        [outer, inner] => {
            let row = number(words.get(inner))? * bytes;
            if !has_room(number(words.get(outer))?) {
                return None;
            }
            // Each use names one element, so that nothing depends on where a row ends.
            let of_element = |at: &usize| {
                let first = words.closing(at + 1).filter(|_| words.get(at + 1) == "[");
                first.is_some_and(|first| words.get(first + 1) == "[") && words.get(at - 1) != "&"
            };
            (stride == row && uses.iter().all(of_element))
                .then(|| longer(words, inner))
                .flatten()
                .map(|edit| vec![edit])
        }
        [length] => {
            let width = stride / bytes;
            let rows = number(words.get(length))?.checked_div(width)?;
            let may_be = stride.is_multiple_of(bytes) && has_room(rows);
            may_be.then(|| flat(words, kernel, &uses, length, width)).flatten()
        }
        _ => None,
    }
}

/// Finds `var<workgroup> NAME: array<ELEMENT, N>` or `array<array<ELEMENT, N>, M>`; nothing else may have this name.
fn tile<'a>(words: &Words<'a>, name: &str) -> Option<Tile<'a>> {
    let declared = words.all(name).find(|at| *at >= 4 && words.are(at - 4, &["var", "<", "workgroup", ">"]))?;
    if words.all(name).any(|at| at != declared && is_declared(words, at))
        || words.all(name).any(|at| words.get(at - 1) == ".")
    {
        return None;
    }
    let array = declared + 2;
    if words.are(array, &["array", "<", "array", "<"]) {
        let [element, inner] = [array + 4, array + 6];
        let is_whole =
            words.are(element + 1, &[","]) && words.are(inner + 1, &[">", ","]) && words.are(inner + 4, &[">", ";"]);
        return is_whole.then(|| Tile { declared, lengths: vec![inner + 3, inner], element: words.get(element) });
    }
    let [element, length] = [array + 2, array + 4];
    let is_whole =
        words.are(array, &["array", "<"]) && words.are(element + 1, &[","]) && words.are(length + 1, &[">", ";"]);
    is_whole.then(|| Tile { declared, lengths: vec![length], element: words.get(element) })
}

/// Whether a word is a name that is declared here.
fn is_declared(words: &Words<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words.get(before));
    matches!(before, "let" | "var" | "const" | "override" | "fn" | "alias" | "struct") || words.get(at + 1) == ":"
}

fn bytes(element: &str) -> Option<u64> {
    matches!(element, "f32" | "u32" | "i32").then_some(4)
}

fn longer(words: &Words<'_>, index: usize) -> Option<Edit> {
    let (start, end) = words.range(index);
    Some(Edit { start, end, by: one_more(words.get(index))? })
}

/// The edits for an array of one dimension that is used as rows of `width` elements: all its uses are
/// `NAME[.. * width + column]` with a column below the width.
fn flat(words: &Words<'_>, kernel: &ObservedKernel, uses: &[usize], length: usize, width: u64) -> Option<Vec<Edit>> {
    let all = number(words.get(length)).filter(|all| width > 1 && all.is_multiple_of(width))?;
    let mut edits = Vec::new();
    for at in uses {
        let close = words.closing(at + 1).filter(|_| words.get(at + 1) == "[" && words.get(at - 1) != "&")?;
        let plus = last_plus(words, at + 2, close)?;
        // The row is the product of one operand, in brackets if it is more than a name, and the width.
        let factor = plus - 1;
        let is_product = number(words.get(factor)) == Some(width)
            && words.get(factor - 1) == "*"
            && is_operand(words, at + 2, factor - 1)
            && is_below(words, kernel, plus + 1, close, width);
        edits.push(longer(words, factor).filter(|_| is_product)?);
    }
    let (start, end) = words.range(length);
    edits.push(Edit {
        start,
        end,
        by: format!("{}{}", all + all / width, if words.get(length).ends_with('u') { "u" } else { "" }),
    });
    Some(edits)
}

/// The only `+` between two indices that is in no brackets.
fn last_plus(words: &Words<'_>, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    let mut found = None;
    while at < to {
        match words.get(at) {
            "(" | "[" => at = words.closing(at)?,
            "+" if found.is_some() => return None,
            "+" => found = Some(at),
            _ => {}
        }
        at += 1;
    }
    found.filter(|plus| *plus >= from + 3)
}

/// Whether the words are one name, one member, or something in brackets.
fn is_operand(words: &Words<'_>, from: usize, to: usize) -> bool {
    let is_name = |at: usize| words.get(at).starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    match to - from {
        1 => is_name(from),
        3 if words.get(from + 1) == "." => is_name(from),
        _ => words.get(from) == "(" && words.closing(from) == Some(to - 1),
    }
}

/// Whether an index is below `width`: a number, a remainder, a part of the local index, or a quotient of it.
fn is_below(words: &Words<'_>, kernel: &ObservedKernel, from: usize, to: usize, width: u64) -> bool {
    let size = kernel.workgroup_size.map(u64::from);
    // The name of a builtin, if nothing else has it.
    let named = |builtin: &str| {
        let name = words.all(builtin).next().map_or("", |at| words.get(at + 2));
        if words.all(name).filter(|at| is_declared(words, *at)).count() == 1 { name } else { "" }
    };
    let first = words.get(from);
    match (to - from, words.get(from + 1)) {
        (1, _) if first == named("local_invocation_index") => size.iter().product::<u64>() <= width,
        (1, _) => number(first).is_some_and(|number| number < width),
        // A remainder of a negative number is negative.
        (3, "%") if words.get(from + 2).ends_with('u') || first == named("local_invocation_index") => {
            number(words.get(from + 2)).is_some_and(|number| number > 0 && number <= width)
        }
        (3, "/") if first == named("local_invocation_index") => {
            number(words.get(from + 2)).is_some_and(|by| by > 0 && size.iter().product::<u64>().div_ceil(by) <= width)
        }
        (3, ".") if first == named("local_invocation_id") => {
            let axis = ["x", "y", "z"].iter().position(|axis| *axis == words.get(from + 2));
            axis.is_some_and(|axis| size[axis] <= width)
        }
        _ => false,
    }
}

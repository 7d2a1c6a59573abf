//! Similar names, as suggestions for misspelled ones.

/// Returns the candidate that is most similar to `name`, if one is similar enough.
///
/// A letter that differs only in case costs less than another letter. About a third of the letters may differ.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let max = (2 * name.chars().count()).div_ceil(3).min(6);
    let found = candidates.into_iter().filter(|candidate| *candidate != name);
    let found = found.map(|candidate| (distance(name, candidate), candidate)).filter(|(far, _)| *far <= max);
    found.min_by_key(|(far, candidate)| (*far, candidate.len().abs_diff(name.len()))).map(|(_, candidate)| candidate)
}

/// The optimal string alignment distance. Each inserted, deleted, replaced or swapped letter costs 2; a letter in
/// another case, or an inserted or deleted underscore, costs 1.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > 4 {
        return usize::MAX;
    }
    let alone = |letter: char| if letter == '_' { 1 } else { 2 };
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            let mut best = if (i, j) == (0, 0) { 0 } else { usize::MAX };
            if i > 0 {
                best = best.min(rows[i - 1][j] + alone(one[i - 1]));
            }
            if j > 0 {
                best = best.min(rows[i][j - 1] + alone(other[j - 1]));
            }
            if i > 0 && j > 0 {
                let (a, b) = (one[i - 1], other[j - 1]);
                let cost = if a == b { 0 } else { 2 - usize::from(a.eq_ignore_ascii_case(&b)) };
                best = best.min(rows[i - 1][j - 1] + cost);
                if i > 1 && j > 1 && a == other[j - 2] && one[i - 2] == b {
                    best = best.min(rows[i - 2][j - 2] + 2);
                }
            }
            rows[i][j] = best;
        }
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_found_and_others_are_not() {
        let names = ["index", "arrayLength", "global_invocation_id", "read_write", "sqrt", "workgroup_size"];
        let table = [
            ("idnex", Some("index")),
            ("Index", Some("index")),
            ("arraylength", Some("arrayLength")),
            ("globalInvocationId", Some("global_invocation_id")),
            ("readwrite", Some("read_write")),
            ("sqr", Some("sqrt")),
            ("workgroupsize", Some("workgroup_size")),
            ("x", None),
            ("something", None),
            ("index", None),
        ];
        for (name, expected) in table {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
    }
}

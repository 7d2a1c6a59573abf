//! Built-in functions that naga lacks, declared by means of functions that it has.

use std::borrow::Cow;

use crate::compose::tokens::{Kind, scan};

/// The name of each function, and its declaration.
const FUNCTIONS: &[(&str, &str)] = &[
    // The exclusive sum is 0 only in the first active invocation.
    ("subgroupElect", "@must_use fn subgroupElect() -> bool { return subgroupExclusiveAdd(1u) == 0u; }"),
];

/// Appends a declaration for each function in [`FUNCTIONS`] that a text calls but does not declare. The text itself
/// keeps its offsets.
pub(crate) fn declare(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut added = String::new();
    // The search for the name comes first, because few texts contain one.
    for (name, declaration) in FUNCTIONS.iter().filter(|(name, _)| text.contains(name)) {
        let tokens = scan(&text);
        let is = |index: usize, word: &str| {
            tokens.get(index).is_some_and(|token| text.get(token.start..token.end) == Some(word))
        };
        let uses = || (0..tokens.len()).filter(|index| tokens[*index].kind == Kind::Word && is(*index, name));
        let declares = |index: usize| {
            index.checked_sub(1).is_some_and(|before| {
                ["fn", "struct", "alias", "const", "override"].iter().any(|word| is(before, word))
            })
        };
        if uses().any(|index| is(index + 1, "(")) && !uses().any(declares) {
            added += "\n";
            added += declaration;
        }
    }
    if added.is_empty() { text } else { Cow::Owned(text.into_owned() + &added) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn called_functions_are_declared_after_the_text() {
        for (text, declared) in [
            ("fn f() { if subgroupElect() { } } // the end", true),
            ("fn f() { } // subgroupElect()", false),
            ("fn subgroupElect() -> bool { return true; } fn f() { let a = subgroupElect(); }", false),
            ("fn f() { let subgroupElect = 1; }", false),
            ("fn f() { subgroupElecté é subgroupElect é; }", false),
        ] {
            let found = declare(Cow::Borrowed(text));
            assert!(found.starts_with(text), "{found}");
            assert_eq!(found.len() > text.len(), declared, "{found}");
        }
    }
}

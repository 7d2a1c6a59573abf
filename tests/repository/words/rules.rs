//! The rules, each with the words that break it.

/// Words that no sentence begins with, except a question such as 'What does it cost?'
const FIRST: &[&str] = &["of", "what", "who", "whoever", "whose", "whatever"];

/// Words that describe a thing as a person, or that are not words of the field.
const WORDS: &[&str] = &[
    "nobody",
    "somebody",
    "is told",
    "are told",
    "was told",
    "been told",
    "hears",
    "leads to nothing",
    "comes to nothing",
    "has come to",
];

/// Returns a description of each rule that the sentence breaks.
pub(crate) fn broken(sentence: &str) -> impl Iterator<Item = String> {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_').collect();
    // After a colon, 'that of ..' refers to what stands before it; as the first word of a sentence it names nothing.
    let begins_badly = |first: &str| FIRST.contains(&first) || sentence.starts_with("That ");
    let is_question = sentence.trim_end_matches(['*', '_']).ends_with('?');
    let first = words.first().filter(|first| begins_badly(first) && !is_question);
    let first = first.map(|word| format!("begins with '{word}': name the subject first"));
    let spaced = format!(" {} ", words.join(" "));
    let word = WORDS.iter().find(|word| spaced.contains(&format!(" {word} ")));
    let word = word.map(|word| format!("'{word}': name what acts and what it does in the words of the field"));
    first.into_iter().chain(word)
}

//! The words of a WGSL text, without comments.

/// Names, numbers and single signs, in order, each with the place where it begins.
pub(super) struct Words<'a> {
    words: Vec<(usize, &'a str)>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(letter) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                comment(rest)
            } else if is_of_word(letter) {
                // The point of a number belongs to it, that of a member does not.
                let number = letter.is_ascii_digit();
                let more = |letter: char| is_of_word(letter) || number && letter == '.';
                let length = rest.find(|letter| !more(letter)).unwrap_or(rest.len());
                words.push((at, &rest[..length]));
                length
            } else {
                if !letter.is_whitespace() {
                    words.push((at, &rest[..letter.len_utf8()]));
                }
                letter.len_utf8()
            };
            at += length;
        }
        Self { words }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The word at an index; empty behind the end.
    pub(super) fn get(&self, index: usize) -> &'a str {
        self.words.get(index).map_or("", |(_, word)| word)
    }

    /// The bytes of a word in the text.
    pub(super) fn range(&self, index: usize) -> (usize, usize) {
        self.words.get(index).map_or((0, 0), |(at, word)| (*at, at + word.len()))
    }

    /// The indices of a word.
    pub(super) fn all(&self, word: &str) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |index| self.get(*index) == word)
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.all(word).next().is_some()
    }

    /// Whether the words from an index on are these.
    pub(super) fn are(&self, index: usize, expected: &[&str]) -> bool {
        (index..).zip(expected).all(|(index, word)| self.get(index) == *word)
    }

    /// The index of the bracket that closes the one at an index.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (open..self.len()).find(|index| {
            match self.get(*index) {
                "[" | "(" | "{" => depth += 1,
                "]" | ")" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }
}

fn is_of_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// The length of a comment, in which others may be nested.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The value of a whole number as written in WGSL, such as `32` or `32u`.
pub(super) fn number(word: &str) -> Option<u64> {
    word.trim_end_matches(['u', 'i']).parse().ok()
}

/// A number as written, one larger.
pub(super) fn one_more(word: &str) -> Option<String> {
    let suffix = &word[word.trim_end_matches(['u', 'i']).len()..];
    Some(format!("{}{suffix}", number(word)? + 1))
}

//! Texts side by side.

use crate::origin::Origin;

/// The separator of two columns.
const GAP: &str = " │ ";
/// The indentation of a wrapped line's continuation.
const INDENT: usize = 4;

/// One text of a pair.
pub(crate) struct Column<'a> {
    pub(crate) title: &'a str,
    pub(crate) text: &'a str,
    /// The origin of each line, if it is known.
    pub(crate) origins: Option<Vec<Origin>>,
}

/// Returns two texts side by side, at most `width` characters wide.
///
/// If the origins of both are known, the lines that come from one line of `source` are side by side, in the order of
/// `source`. They are below that line, unless one of the texts is `source` itself. Lines without an origin follow. If
/// the origins are not known, both texts run from top to bottom.
pub(crate) fn beside(left: &Column<'_>, right: &Column<'_>, source: &[&str], file: &str, width: usize) -> String {
    let mut page = Page::new(left, right, width);
    page.row(left.title, right.title);
    page.rule();
    match (&left.origins, &right.origins) {
        (Some(of_left), Some(of_right)) => {
            let rows = |line| [(left.text, of_left), (right.text, of_right)].map(|(text, of)| picked(text, of, line));
            let shown = [left.text, right.text].iter().any(|text| text.lines().eq(source.iter().copied()));
            for (number, content) in (1..).zip(source) {
                let [left, right] = rows(Some(number));
                let nothing = left.is_empty() && right.is_empty();
                if !shown && !nothing {
                    page.heading(&format!("{file}:{number}: {}", content.trim()));
                }
                page.rows(&left, &right);
            }
            let [left, right] = rows(None);
            if !left.is_empty() || !right.is_empty() {
                page.heading("from no line of the file");
                page.rows(&left, &right);
            }
        }
        _ => page.rows(&left.text.lines().collect::<Vec<_>>(), &right.text.lines().collect::<Vec<_>>()),
    }
    page.text
}

/// The lines of `text` that come from `line`; with `None`, the lines without an origin.
pub(crate) fn picked<'a>(text: &'a str, origins: &[Origin], line: Option<u32>) -> Vec<&'a str> {
    let wanted = line.map_or(Origin::Unknown, Origin::Line);
    let lines = text.lines().zip(origins).filter(|(_, origin)| **origin == wanted);
    lines.map(|(line, _)| line).filter(|line| !line.trim().is_empty()).collect()
}

struct Page {
    text: String,
    left: usize,
    right: usize,
}

impl Page {
    /// The left column is as wide as its longest line, but takes more than half of the page only where the right column
    /// does not need the space.
    fn new(left: &Column<'_>, right: &Column<'_>, width: usize) -> Self {
        let longest = |column: &Column<'_>| {
            let lines = column.text.lines().chain([column.title]);
            lines.map(|line| spaced(line).chars().count()).max().unwrap_or(0)
        };
        let room = width.saturating_sub(GAP.chars().count()).max(4 * INDENT);
        let left = longest(left).min(room.saturating_sub(longest(right)).max(room / 2));
        Self { text: String::new(), left, right: room - left }
    }

    fn rows(&mut self, left: &[&str], right: &[&str]) {
        let [left, right] = [(left, self.left), (right, self.right)]
            .map(|(lines, width)| lines.iter().flat_map(|line| wrapped(line, width)).collect::<Vec<_>>());
        for row in 0..left.len().max(right.len()) {
            let cell = |column: &[String]| column.get(row).cloned().unwrap_or_default();
            self.row(&cell(&left), &cell(&right));
        }
    }

    fn row(&mut self, left: &str, right: &str) {
        let row = format!("{left:width$}{GAP}{right}", width = self.left);
        self.text.push_str(row.trim_end());
        self.text.push('\n');
    }

    fn rule(&mut self) {
        self.text.push_str(&format!("{}─┼─{}\n", "─".repeat(self.left), "─".repeat(self.right)));
    }

    fn heading(&mut self, text: &str) {
        self.text.push_str(&format!("── {text}\n"));
    }
}

/// Replaces tabs by spaces.
fn spaced(line: &str) -> String {
    line.trim_end().replace('\t', "    ")
}

/// Splits the line into pieces of at most `width` characters.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut letters = spaced(line).chars().collect::<Vec<_>>();
    let mut pieces = Vec::new();
    while letters.len() > width.max(2 * INDENT) {
        let width = width.max(2 * INDENT);
        // The line is split between words, if there is a space in the right half of the piece.
        let end = letters[..width].iter().rposition(|letter| *letter == ' ').map_or(width, |space| space + 1);
        let end = if end < width / 2 { width } else { end };
        pieces.push(letters[..end].iter().collect());
        letters.splice(..end, [' '; INDENT]);
    }
    pieces.push(letters.into_iter().collect());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three four", 12), ["one two ", "    three ", "    four"]);
        assert_eq!(wrapped("abcdefghijklmnop", 10), ["abcdefghij", "    klmnop"]);
        assert_eq!(wrapped("", 10), [""]);
    }

    #[test]
    fn lines_of_one_origin_are_side_by_side() {
        use Origin::{Line, Mark, Unknown};
        let left =
            Column { title: "L", text: "start\nb1\na1\na2\n", origins: Some(vec![Unknown, Line(2), Line(1), Line(1)]) };
        let right = Column { title: "R", text: "mark\nA\nB\n", origins: Some(vec![Mark, Line(1), Line(2)]) };
        let page = beside(&left, &right, &["let a;", "let b;", "}"], "k.wgsl", 40);
        let expected = "L     │ R\n──────┼─────────────────────────────────\n── k.wgsl:1: let a;\na1    │ A\na2    │\n\
                        ── k.wgsl:2: let b;\nb1    │ B\n── from no line of the file\nstart │\n";
        assert_eq!(page, expected);
    }

    #[test]
    fn texts_without_lines_run_side_by_side() {
        let left = Column { title: "L", text: "1\n2\n", origins: None };
        let right = Column { title: "R", text: "\tone\n", origins: Some(vec![Origin::Line(1)]) };
        let page = beside(&left, &right, &[], "k.wgsl", 20);
        assert_eq!(page, "L │ R\n──┼─────────────────\n1 │     one\n2 │\n");
    }
}

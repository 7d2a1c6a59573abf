//! Generates the table of places from the records.

use std::path::Path;

use crate::place::Place;
use crate::record::{Record, claimed};

const BEGIN: &str = "<!-- places: `cargo run -p anywarp-matrix -- table` writes what is between these lines -->";
const END: &str = "<!-- end of places -->";

/// The document with the table, relative to the root of the repository.
const DOCUMENT: &str = "docs/places.md";

/// Writes the table into its document.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let file = root.join(DOCUMENT);
    let (text, renewed) = renewed(root)?;
    if text == renewed {
        return Ok(());
    }
    std::fs::write(&file, renewed).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// Fails if the document's table differs from the records.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let (text, renewed) = renewed(root)?;
    let differs = text.lines().zip(renewed.lines()).find(|(is, should)| is != should);
    match differs {
        None if text == renewed => Ok(()),
        found => {
            let should = found.map(|(_, should)| should).unwrap_or_default();
            Err(format!(
                "{DOCUMENT} does not match docs/results/places; run `cargo run -p anywarp-matrix -- table`. \
                 First wanted line: {should}"
            ))
        }
    }
}

/// The current document, and the generated one.
fn renewed(root: &Path) -> Result<(String, String), String> {
    let file = root.join(DOCUMENT);
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let renewed = between(&text, &table(&claimed(root)?))?;
    Ok((text, renewed))
}

fn between(text: &str, table: &str) -> Result<String, String> {
    let parts = text.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let Some((head, tail)) = parts else {
        return Err(format!("{DOCUMENT} lacks the lines for the table: '{BEGIN}' and '{END}'"));
    };
    Ok(format!("{head}{BEGIN}\n{table}{END}{tail}"))
}

fn table(rows: &[(&Place, Option<Record>)]) -> String {
    let mut table = "| place | suite: passed / all | not passed | WGSL features | last run | how |\n".to_owned();
    table += "|---|---|---|---|---|---|\n";
    for (place, record) in rows {
        table += &row(place, record.as_ref());
    }
    table
}

fn row(place: &Place, record: Option<&Record>) -> String {
    let Some(Record { date, commit, report, .. }) = record else {
        return format!("| {} | not run | | | | {} |\n", place.title, place.how);
    };
    let features =
        if report.features.is_empty() { "none beyond WGSL's own".to_owned() } else { report.features.join(", ") };
    let rest = match (report.skipped, report.known) {
        (0, 0) => "none".to_owned(),
        (skipped, 0) => format!("{skipped} skipped"),
        (0, known) => format!("{known} known failures"),
        (skipped, known) => format!("{skipped} skipped, {known} known failures"),
    };
    let also = if report.also.is_empty() { String::new() } else { format!("; {}", report.also) };
    format!(
        "| {}: {} | {} / {} | {rest} | {features} | {date}, `{commit}` | {}{also} |\n",
        place.title,
        report.device,
        report.passed,
        report.total(),
        place.how
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Report;
    use crate::place::named;

    fn record(skipped: usize, known: usize, features: &[&str]) -> Record {
        let features = features.iter().map(|&name| name.to_owned()).collect();
        let device = "A device".to_owned();
        let report = Report { device, features, passed: 90, skipped, known, seconds: 3, ..Report::default() };
        Record { place: "cpu".into(), date: "2026-01-02".into(), commit: "abcdef0".into(), report }
    }

    #[test]
    fn a_row_says_what_ran() {
        let place = named("cpu").expect("a place");
        let full = row(place, Some(&record(7, 3, &["f16", "i64"])));
        assert!(
            full.contains("A device | 90 / 100 | 7 skipped, 3 known failures | f16, i64 | 2026-01-02, `abcdef0` |"),
            "{full}"
        );
        let bare = row(place, Some(&record(0, 0, &[])));
        assert!(bare.contains("| 90 / 90 | none | none beyond WGSL's own |"), "{bare}");
        let mut more = record(0, 0, &[]);
        more.report.also = "a tool ran".to_owned();
        assert!(row(place, Some(&more)).ends_with("| in CI; a tool ran |\n"));
        let never = row(place, None);
        assert!(never.contains("| not run |"), "{never}");
        for row in [full, bare, never] {
            assert_eq!(row.matches(" |").count(), 6, "{row}");
        }
    }

    #[test]
    fn only_the_table_changes() {
        let document = format!("# Title\n\n{BEGIN}\nold\n{END}\n\nMore.\n");
        let renewed = between(&document, "new\n").expect("a table");
        assert_eq!(renewed, format!("# Title\n\n{BEGIN}\nnew\n{END}\n\nMore.\n"));
        assert_eq!(between(&renewed, "new\n").expect("a table"), renewed);
    }

    #[test]
    fn a_document_without_the_lines_is_refused() {
        let error = between("# Title\n", "new\n").expect_err("no lines");
        assert!(error.contains("lacks the lines for the table"), "{error}");
    }
}

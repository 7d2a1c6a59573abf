//! The rows and cells of a CSV text.

use std::borrow::Cow;
use std::ops::Range;

use super::CsvNumber;

/// The columns that each field of a sample is read from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Columns<'c> {
    /// By the names in the first row.
    Named(&'c [&'c [&'c str]]),
    /// By their numbers; the first row is a sample.
    Numbered(&'c [Range<usize>]),
}

impl Columns<'_> {
    /// The number of fields.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Named(columns) => columns.len(),
            Self::Numbered(columns) => columns.len(),
        }
    }

    /// Returns the numbers of the columns of each field; `first` is the first row of the text.
    fn places(&self, first: &[Cell<'_>]) -> Result<Vec<Vec<usize>>, Problem> {
        match self {
            Self::Named(columns) => named(columns, first),
            Self::Numbered(columns) => numbered(columns, first.len()),
        }
    }
}

fn named(columns: &[&[&str]], first: &[Cell<'_>]) -> Result<Vec<Vec<usize>>, Problem> {
    if first.is_empty() {
        return Err(Problem::File("is empty; its first row must name the columns".to_owned()));
    }
    let names: Vec<&str> = first.iter().map(|cell| cell.text.trim()).collect();
    let numbers = names.iter().all(|name| name.parse::<f64>().is_ok());
    let place = |wanted: &&str| {
        let mut places = names.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(at, _)| at);
        match (places.next(), places.next()) {
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(Problem::File(format!("has several columns '{wanted}'; rename all but one"))),
            (None, _) if numbers => Err(Problem::File(format!(
                "has no column '{wanted}'; its first row must name the columns, but has numbers only: use `csv_columns`"
            ))),
            (None, _) => Err(Problem::File(format!("has no column '{wanted}'; it has {}", names.join(", ")))),
        }
    };
    columns.iter().map(|field| field.iter().map(place).collect()).collect()
}

fn numbered(columns: &[Range<usize>], count: usize) -> Result<Vec<Vec<usize>>, Problem> {
    if count == 0 {
        return Err(Problem::File("is empty; it needs a row, which determines the number of columns".to_owned()));
    }
    match columns.iter().find(|range| range.start >= range.end || range.end > count) {
        None => Ok(columns.iter().map(|range| range.clone().collect()).collect()),
        Some(range) => Err(Problem::File(format!(
            "has {count} columns, counted from 0: expected ranges within 0..{count} that are not empty, got {range:?}"
        ))),
    }
}

/// An error in the text of a CSV file.
#[derive(Debug)]
pub(super) enum Problem {
    File(String),
    Cell { line: usize, column: usize, message: String },
}

/// The cells of the requested columns.
#[doc(hidden)]
#[derive(Debug)]
pub struct Table<'t> {
    text: &'t str,
    /// The cells of each field, row after row.
    fields: Vec<Vec<Cell<'t>>>,
    /// The number of columns of each field.
    lengths: Vec<usize>,
}

/// The text of one cell, and its position.
#[derive(Clone, Debug)]
pub(super) struct Cell<'t> {
    text: Cow<'t, str>,
    /// The start of the cell in the file, in bytes.
    at: usize,
}

impl<'t> Table<'t> {
    pub(super) fn of(text: &'t str, columns: Columns<'_>) -> Result<Self, Problem> {
        let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
        let begin = reader.at;
        let header = reader.row()?;
        let places = columns.places(&header)?;
        let expected = match columns {
            Columns::Named(_) => format!("but the first row names {} columns", header.len()),
            Columns::Numbered(_) => format!("but the first row has {}", header.len()),
        };
        if matches!(columns, Columns::Numbered(_)) {
            reader.at = begin;
        }
        let mut fields: Vec<Vec<Cell<'t>>> = vec![Vec::new(); places.len()];
        loop {
            let row = reader.row()?;
            let Some(first) = row.first() else { break };
            if row.len() != header.len() {
                return Err(reader.problem(first.at, format!("this row has {} cells, {expected}", row.len())));
            }
            for (field, places) in fields.iter_mut().zip(&places) {
                field.extend(places.iter().map(|at| row[*at].clone()));
            }
        }
        Ok(Self { text, fields, lengths: places.iter().map(Vec::len).collect() })
    }

    /// The line and the column, in characters, of the byte `at` of the text; both are counted from 1.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        place(self.text, at)
    }

    /// The numbers of a field, and how many of them a row has. The error contains the position of the invalid cell.
    pub(super) fn numbers<T: CsvNumber>(&self, field: usize) -> Result<(Vec<T>, usize), (usize, String)> {
        let cells = self.fields.get(field).map(Vec::as_slice).unwrap_or_default();
        let number = |cell: &Cell<'_>| T::parse(cell.text.trim()).map_err(|message| (cell.at, message));
        let numbers = cells.iter().map(number).collect::<Result<_, _>>()?;
        Ok((numbers, self.lengths.get(field).copied().unwrap_or_default()))
    }
}

pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].trim_start_matches('\u{feff}').chars().count() + 1)
}

/// A position in a text, at the start of a row or a cell.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// Reads the next non-empty row; the result is empty at the end of the text.
    fn row(&mut self) -> Result<Vec<Cell<'t>>, Problem> {
        let mut row = Vec::new();
        loop {
            let cell = self.cell()?;
            let rest = &self.text[self.at..];
            let is_blank = row.is_empty() && cell.text.is_empty() && !rest.starts_with(',');
            if !is_blank {
                row.push(cell);
            }
            let ended = match rest.chars().next() {
                Some(',') => {
                    self.at += 1;
                    continue;
                }
                Some('\r') => 2,
                Some(_) => 1,
                None => return Ok(row),
            };
            self.at += ended;
            if !row.is_empty() {
                return Ok(row);
            }
        }
    }

    /// Reads a cell. Afterwards the position is before a comma, at the end of a line, or at the end of the text.
    fn cell(&mut self) -> Result<Cell<'t>, Problem> {
        let at = self.at;
        let rest = &self.text[at..];
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find([',', '\n']).unwrap_or(rest.len());
            let end = if rest[..end].ends_with('\r') && rest[end..].starts_with('\n') { end - 1 } else { end };
            self.at = at + end;
            return Ok(Cell { text: Cow::Borrowed(&rest[..end]), at });
        };
        // Within a quoted cell, two quotes stand for one.
        let mut end = 0;
        let close = loop {
            let Some(found) = quoted[end..].find('"') else {
                return Err(self.problem(at, "this quote is not closed".to_owned()));
            };
            end += found;
            if !quoted[end + 1..].starts_with('"') {
                break end;
            }
            end += 2;
        };
        self.at = at + close + 2;
        let behind = &self.text[self.at..];
        if !(behind.is_empty() || behind.starts_with([',', '\n']) || behind.starts_with("\r\n")) {
            return Err(self.problem(self.at, "a comma or the end of the line must follow a quoted cell".to_owned()));
        }
        let text = &quoted[..close];
        let text = if text.contains('"') { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) };
        Ok(Cell { text, at })
    }

    fn problem(&self, at: usize, message: String) -> Problem {
        let (line, column) = place(self.text, at);
        Problem::Cell { line, column, message }
    }
}

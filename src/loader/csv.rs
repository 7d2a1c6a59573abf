//! Columns of numbers from CSV files.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;
use std::path::Path;

use super::in_memory::{Arrays, InMemory};
use super::{Lengths, LoaderError};

/// A number that a cell of a CSV file can be read as: `f32`, `f64`, `i32`, `u32`.
pub trait CsvNumber: crate::element::Element + sealed::Number {}

impl<T: crate::element::Element + sealed::Number> CsvNumber for T {}

/// [`Arrays`] that the columns of a CSV file are read into: a `Vec` of [`CsvNumber`]s, or a tuple of up to six.
pub trait CsvArrays: Arrays + sealed::Columns {}

impl<A: Arrays + sealed::Columns> CsvArrays for A {}

impl<A: CsvArrays> InMemory<A> {
    /// Reads the columns of a file with these names, several for each field; a sample is one row.
    ///
    /// The format is RFC 4180: cells are separated by commas and may be enclosed in double quotes, and the first row
    /// contains the names of the columns. Other columns may contain any text. The numbers are kept in memory, the text
    /// is not.
    ///
    /// ```
    /// use anywarp::loader::{Dataset, InMemory};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let file = std::env::temp_dir().join(format!("anywarp-flowers-{}.csv", std::process::id()));
    /// std::fs::write(&file, "name,length,width,class\n\"Rose, wild\",1.5,0.2,0\nElder,0.5,0.4,1\n")?;
    /// let flowers = InMemory::<(Vec<f32>, Vec<u32>)>::csv(&file, &[&["length", "width"], &["class"]])?;
    /// assert_eq!((flowers.len(), flowers.lengths()), (2, [2, 1]));
    /// assert_eq!(flowers.arrays().0, [1.5, 0.2, 0.5, 0.4]);
    /// # std::fs::remove_file(file)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LoaderError::File`] for a file that cannot be read and for missing columns; [`LoaderError::Cell`] with line
    /// and column for a cell that is not a number of the field's type, or a row of another length.
    pub fn csv(file: impl AsRef<Path>, columns: &[&[&str]]) -> Result<Self, LoaderError> {
        Self::of_columns(file.as_ref(), Columns::Named(columns))
    }

    /// Reads columns of a file without a header row. A row is one sample, and each of its fields is a range of columns,
    /// counted from 0. The format is that of [`csv`](Self::csv).
    ///
    /// ```
    /// use anywarp::loader::{Dataset, InMemory};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let file = std::env::temp_dir().join(format!("anywarp-digits-{}.csv", std::process::id()));
    /// std::fs::write(&file, "0,5,13,7\n1,0,2,4\n")?;
    /// let digits = InMemory::<(Vec<f32>, Vec<u32>)>::csv_columns(&file, &[0..3, 3..4])?;
    /// assert_eq!((digits.len(), digits.lengths()), (2, [3, 1]));
    /// assert_eq!(digits.arrays().1, [7, 4]);
    /// # std::fs::remove_file(file)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`csv`](Self::csv).
    pub fn csv_columns(file: impl AsRef<Path>, columns: &[Range<usize>]) -> Result<Self, LoaderError> {
        Self::of_columns(file.as_ref(), Columns::Numbered(columns))
    }

    fn of_columns(file: &Path, columns: Columns<'_>) -> Result<Self, LoaderError> {
        let wrong = |message: String| LoaderError::File { file: file.to_owned(), message };
        if columns.len() != A::COUNT {
            let (given, fields) = (columns.len(), A::COUNT);
            return Err(wrong(format!(
                "expected columns for the {fields} fields of the data set, got columns for {given}"
            )));
        }
        let bytes = fs::read(file).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if bytes.starts_with(&GZIP) {
            return Err(wrong("is compressed with gzip; decompress it first, for example with `gunzip`".to_owned()));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| wrong(format!("is not UTF-8 from byte {}", error.utf8_error().valid_up_to())))?;
        let table = Table::of(&text, columns).map_err(|problem| match problem {
            Problem::File(message) => wrong(message),
            Problem::Cell { line, column, message } => {
                LoaderError::Cell { file: file.to_owned(), line, column, message }
            }
        })?;
        let (arrays, lengths) = A::parse(&table).map_err(|(place, message)| {
            let (line, column) = table.place(place);
            LoaderError::Cell { file: file.to_owned(), line, column, message }
        })?;
        Self::new(arrays, lengths)
    }
}

/// The first bytes of a file in the format of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The columns of each field.
#[derive(Clone, Copy, Debug)]
enum Columns<'c> {
    /// By the names in the first row.
    Named(&'c [&'c [&'c str]]),
    /// By their numbers; the first row is a sample.
    Numbered(&'c [Range<usize>]),
}

impl Columns<'_> {
    /// The number of fields.
    fn len(&self) -> usize {
        match self {
            Self::Named(columns) => columns.len(),
            Self::Numbered(columns) => columns.len(),
        }
    }

    /// The numbers of the columns, given the first row.
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

/// An error in a text.
#[derive(Debug)]
enum Problem {
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

/// One cell.
#[derive(Clone, Debug)]
struct Cell<'t> {
    text: Cow<'t, str>,
    /// The start of the cell in the file, in bytes.
    at: usize,
}

impl<'t> Table<'t> {
    fn of(text: &'t str, columns: Columns<'_>) -> Result<Self, Problem> {
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

    /// The line and the column, counted from 1, in characters.
    fn place(&self, at: usize) -> (usize, usize) {
        place(self.text, at)
    }

    /// The numbers of a field, and how many of them a row has. The error contains the position of the cell.
    fn numbers<T: CsvNumber>(&self, field: usize) -> Result<(Vec<T>, usize), (usize, String)> {
        let cells = self.fields.get(field).map(Vec::as_slice).unwrap_or_default();
        let number = |cell: &Cell<'_>| T::parse(cell.text.trim()).map_err(|message| (cell.at, message));
        let numbers = cells.iter().map(number).collect::<Result<_, _>>()?;
        Ok((numbers, self.lengths.get(field).copied().unwrap_or_default()))
    }
}

fn place(text: &str, at: usize) -> (usize, usize) {
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
    /// The next non-empty row; an empty one at the end.
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
        // Two quotes stand for one.
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

mod sealed {
    use super::{Arrays, Lengths, Table};

    pub trait Number: Sized {
        /// Parses a number. The error describes the problem with the text.
        fn parse(text: &str) -> Result<Self, String>;
    }

    pub trait Columns: Arrays {
        /// The number of fields.
        const COUNT: usize;

        /// Parses all fields. The error contains the position of the cell.
        #[allow(clippy::type_complexity, reason = "two things each, for one caller")]
        fn parse(table: &Table<'_>) -> Result<(Self, Lengths<Self::Fields>), (usize, String)>
        where
            Self: Sized;
    }
}

macro_rules! floats {
    ($($number:ident)*) => {$(
        impl sealed::Number for $number {
            fn parse(text: &str) -> Result<Self, String> {
                let number: Self = text.parse().map_err(|_| not_a_number(text, stringify!($number)))?;
                let says_so = text.to_ascii_lowercase().contains("inf");
                if number.is_infinite() && !says_so {
                    return Err(format!("{text} exceeds the largest {}, {:e}", stringify!($number), Self::MAX));
                }
                Ok(number)
            }
        }
    )*};
}

floats! { f32 f64 }

macro_rules! integers {
    ($($number:ident)*) => {$(
        impl sealed::Number for $number {
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| {
                    let said = not_a_number(text, stringify!($number));
                    format!("{said}, a whole number from {} to {}", Self::MIN, Self::MAX)
                })
            }
        }
    )*};
}

integers! { i32 u32 }

fn not_a_number(text: &str, kind: &str) -> String {
    if text.is_empty() { format!("this cell is empty, expected {kind}") } else { format!("'{text}' is not {kind}") }
}

impl<T: CsvNumber> sealed::Columns for Vec<T> {
    const COUNT: usize = 1;

    fn parse(table: &Table<'_>) -> Result<(Self, usize), (usize, String)> {
        table.numbers(0)
    }
}

macro_rules! tuples {
    ($($($field:ident $at:tt),+;)*) => {$(
        impl<$($field: CsvNumber),+> sealed::Columns for ($(Vec<$field>,)+) {
            const COUNT: usize = [$($at),+].len();

            #[allow(clippy::type_complexity, reason = "two things each, for one caller")]
            fn parse(table: &Table<'_>) -> Result<(Self, Lengths<Self::Fields>), (usize, String)> {
                let fields = ($(table.numbers::<$field>($at)?,)+);
                Ok((($(fields.$at.0,)+), [$(fields.$at.1),+]))
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, G 5;
}

#[cfg(test)]
mod tests;

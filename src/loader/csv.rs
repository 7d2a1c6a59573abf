//! Columns of numbers from CSV files.

mod table;

use std::fs;
use std::ops::Range;
use std::path::Path;

use super::in_memory::{Arrays, InMemory};
use super::{Lengths, LoaderError};
use table::{Columns, Problem, Table};

/// A number that a cell of a CSV file can be read as: `f32`, `f64`, `i32`, `u32`.
pub trait CsvNumber: crate::element::Element + sealed::Number {}

impl<T: crate::element::Element + sealed::Number> CsvNumber for T {}

/// [`Arrays`] that the columns of a CSV file are read into: a `Vec` of [`CsvNumber`]s, or a tuple of up to six such
/// `Vec`s.
pub trait CsvArrays: Arrays + sealed::Columns {}

impl<A: Arrays + sealed::Columns> CsvArrays for A {}

impl<A: CsvArrays> InMemory<A> {
    /// Reads columns of a CSV file by their names: `columns` has the names of one or more columns for each field. A row
    /// is one sample.
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
        let text = String::from_utf8(bytes).map_err(|error| {
            wrong(format!("is not UTF-8 at byte {}; save it as UTF-8", error.utf8_error().valid_up_to()))
        })?;
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

mod sealed {
    use super::{Arrays, Lengths, Table};

    pub trait Number: Sized {
        /// Parses a number. The error describes the problem with the text.
        fn parse(text: &str) -> Result<Self, String>;
    }

    pub trait Columns: Arrays {
        /// The number of fields.
        const COUNT: usize;

        /// Parses all fields. The error contains the position of the invalid cell, in bytes of the text, and the
        /// problem.
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

//! Matrix Market's formats: coordinates and arrays of real and integer matrices, and patterns, which are general, symmetric
//! or skew-symmetric.
//!
//! Source: Boisvert, Pozo, Remington, 'The Matrix Market Exchange Formats: Initial Design', NISTIR 5935, 1996,
//! <https://math.nist.gov/MatrixMarket/formats.html>.

use std::fmt::Write;

use super::entries::{Entry, SparseEntries};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A line for each entry.
    Coordinate,
    /// All elements, column by column; of a symmetric matrix those of the lower half.
    Array,
}

/// The kind of values in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Real,
    Integer,
    /// No values: each entry is 1.
    Pattern,
}

/// The entries that a file leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    General,
    /// Entries above the diagonal, equal to those below it.
    Symmetric,
    /// Entries above the diagonal, the negatives of those below it, and the diagonal, which is 0.
    Skew,
}

/// Parses a file. Memory grows with the entries that are read, whatever number of them the file claims to have.
pub(super) fn parse(file: &[u8]) -> Result<SparseEntries, String> {
    let mut lines = file.split(|byte| *byte == b'\n').zip(1u64..);
    let (first, _) = lines.next().unwrap_or((&[], 1));
    let header = header(&String::from_utf8_lossy(first)).map_err(|message| format!("line 1: {message}"))?;
    // Comments may have any encoding.
    let mut lines = lines.filter(|(line, _)| !line.starts_with(b"%") && !line.trim_ascii().is_empty());
    let (line, at) = lines.next().ok_or("the file ends before its sizes: save it again")?;
    let (shape, expected) = text(line).and_then(|line| sizes(line, header)).map_err(located(at))?;
    let mut matrix = SparseEntries::new(shape);
    let mut found = 0u128;
    let mut next = [u32::from(header.symmetry == Symmetry::Skew), 0];
    for (line, at) in lines {
        if found == expected {
            return Err(format!(
                "line {at}: expected no more than the {expected} entries of the sizes, found another one"
            ));
        }
        let entry = text(line).and_then(|line| match header.format {
            Format::Coordinate => entry(line, header, shape),
            Format::Array => Ok((next, element(line, header.field)?)),
        });
        let (place, value) = entry.map_err(located(at))?;
        found += 1;
        if header.format == Format::Array {
            next = after(next, header.symmetry, shape[0]);
            if value == 0.0 {
                continue;
            }
        }
        matrix.push(place, value);
        let [row, column] = place;
        match header.symmetry {
            Symmetry::Symmetric if row != column => matrix.push([column, row], value),
            Symmetry::Skew => matrix.push([column, row], -value),
            _ => {}
        }
    }
    if found < expected {
        return Err(format!("expected {expected} entries, as the sizes say, found {found}: the file is truncated"));
    }
    Ok(matrix)
}

/// The place of the next element of an array.
fn after([row, column]: [u32; 2], symmetry: Symmetry, rows: usize) -> [u32; 2] {
    if row as usize + 1 < rows {
        return [row + 1, column];
    }
    match symmetry {
        Symmetry::General => [0, column + 1],
        Symmetry::Symmetric => [column + 1; 2],
        Symmetry::Skew => [column + 2, column + 1],
    }
}

/// The coordinate file of a matrix, which is written as symmetric or skew-symmetric if it is. The entries are sorted.
pub(super) fn write(shape: [usize; 2], sorted: &[Entry], as_text: fn(f64) -> String) -> Vec<u8> {
    let symmetry = symmetry(shape, sorted);
    let word = match symmetry {
        Symmetry::General => "general",
        Symmetry::Symmetric => "symmetric",
        Symmetry::Skew => "skew-symmetric",
    };
    let mut count = 0;
    let mut entries = String::new();
    for &(row, column, value) in sorted {
        if symmetry == Symmetry::General || row >= column {
            count += 1;
            let _ = writeln!(entries, "{} {} {}", u64::from(row) + 1, u64::from(column) + 1, as_text(value));
        }
    }
    let [rows, columns] = shape;
    format!("%%MatrixMarket matrix coordinate real {word}\n{rows} {columns} {count}\n{entries}").into_bytes()
}

/// The symmetry of a matrix with sorted entries.
fn symmetry(shape: [usize; 2], sorted: &[Entry]) -> Symmetry {
    let place = |entry: &Entry| (entry.0, entry.1);
    let is_repeated = sorted.windows(2).any(|pair| place(&pair[0]) == place(&pair[1]));
    if shape[0] != shape[1] || sorted.is_empty() || is_repeated {
        return Symmetry::General;
    }
    let value_at = |at: (u32, u32)| sorted.binary_search_by_key(&at, place).ok().map(|found| sorted[found].2);
    let (mut symmetric, mut skew) = (true, true);
    for &(row, column, value) in sorted {
        let mirrored = value_at((column, row));
        symmetric &= mirrored == Some(value);
        skew &= row != column && mirrored == Some(-value);
    }
    match (symmetric, skew) {
        (true, _) => Symmetry::Symmetric,
        (false, true) => Symmetry::Skew,
        (false, false) => Symmetry::General,
    }
}

/// The first line of a file.
#[derive(Clone, Copy, Debug)]
struct Header {
    format: Format,
    field: Field,
    symmetry: Symmetry,
}

fn header(line: &str) -> Result<Header, String> {
    let lower = line.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_ascii_whitespace().collect();
    let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
        let found: String = line.chars().take(60).collect();
        return Err(format!(
            "expected %%MatrixMarket matrix coordinate real general, or other words of the format, found '{}': save it \
             with scipy.io.mmwrite",
            found.trim_end()
        ));
    };
    let format = match format {
        "coordinate" => Format::Coordinate,
        "array" => Format::Array,
        _ => return Err(format!("expected coordinate or array, found '{format}': save it with scipy.io.mmwrite")),
    };
    let field = match field {
        "real" => Field::Real,
        "integer" => Field::Integer,
        "pattern" if format == Format::Coordinate => Field::Pattern,
        "pattern" => return Err("expected real or integer for an array, found 'pattern'".to_owned()),
        _ => return Err(format!("expected real, integer or pattern, found '{field}': save a matrix of real numbers")),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        _ => {
            return Err(format!(
                "expected general, symmetric or skew-symmetric, found '{symmetry}': save it as general"
            ));
        }
    };
    Ok(Header { format, field, symmetry })
}

/// The numbers of rows and columns, and the number of lines with entries.
fn sizes(line: &str, header: Header) -> Result<([usize; 2], u128), String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let numbers: Option<Vec<usize>> = words.iter().map(|word| word.parse().ok()).collect();
    let (shape, entries) = match (header.format, numbers.as_deref()) {
        (Format::Coordinate, Some(&[rows, columns, entries])) => ([rows, columns], entries as u128),
        (Format::Array, Some(&[rows, columns])) => {
            let (lower, rest) = (rows as u128, (rows as u128).saturating_sub(1));
            let entries = match header.symmetry {
                Symmetry::General => lower * columns as u128,
                Symmetry::Symmetric => lower * (lower + 1) / 2,
                Symmetry::Skew => lower * rest / 2,
            };
            ([rows, columns], entries)
        }
        (Format::Coordinate, _) => {
            return Err(format!("expected the numbers of rows, columns and entries, found '{}'", line.trim()));
        }
        (Format::Array, _) => {
            return Err(format!("expected the numbers of rows and columns of an array, found '{}'", line.trim()));
        }
    };
    let [rows, columns] = shape;
    if header.symmetry != Symmetry::General && rows != columns {
        return Err(format!("expected as many rows as columns of a symmetric matrix, found {rows} and {columns}"));
    }
    // Places are counted in 32 bits; an array reaches its last one.
    if header.format == Format::Array && entries > 0 && shape.iter().any(|extent| u32::try_from(*extent).is_err()) {
        return Err(format!("expected fewer than 2^32 rows and columns, found {rows} and {columns}"));
    }
    Ok((shape, entries))
}

/// The value of an element of an array.
fn element(line: &str, field: Field) -> Result<f64, String> {
    let mut words = line.split_ascii_whitespace();
    let value = number(words.next().unwrap_or("nothing"), field)?;
    match words.next() {
        Some(more) => Err(format!("expected one element in the line, found '{more}' behind it")),
        None => Ok(value),
    }
}

/// A number of a file.
fn number(word: &str, field: Field) -> Result<f64, String> {
    if field == Field::Integer {
        let value = word.parse::<i128>().ok().map(|value| value as f64);
        return value.ok_or_else(|| format!("expected a whole number as the value, found '{word}'"));
    }
    // Fortran writes exponents of double precision with a D.
    let value = word.parse::<f64>().ok().or_else(|| word.replace(['d', 'D'], "e").parse().ok());
    value.ok_or_else(|| format!("expected a number as the value, found '{word}'"))
}

/// The place of an entry, counted from 0, and its value.
fn entry(line: &str, header: Header, shape: [usize; 2]) -> Result<([u32; 2], f64), String> {
    let mut words = line.split_ascii_whitespace();
    let mut index = |what: &str, count: usize| {
        let word = words.next().unwrap_or("nothing");
        let found = word.parse::<usize>().ok().filter(|index| (1..=count).contains(index));
        let found = found.and_then(|index| u32::try_from(index - 1).ok());
        found.ok_or_else(|| format!("expected a {what} from 1 to {count}, found '{word}'"))
    };
    let place = [index("row", shape[0])?, index("column", shape[1])?];
    let value = match header.field {
        Field::Pattern => 1.0,
        Field::Real | Field::Integer => number(words.next().unwrap_or("nothing"), header.field)?,
    };
    if let Some(more) = words.next() {
        return Err(format!("expected the end of the line after the entry, found '{more}'"));
    }
    if header.symmetry == Symmetry::Skew && place[0] == place[1] {
        return Err("expected no entry of the diagonal of a skew-symmetric matrix, which is 0, found one".to_owned());
    }
    Ok((place, value))
}

fn text(line: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(line).map_err(|_| "expected numbers, found bytes that are not text".to_owned())
}

fn located(line: u64) -> impl Fn(String) -> String {
    move |message| format!("line {line}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(u32, u32, f64)> {
        let matrix = parse(text.as_bytes()).unwrap_or_else(|message| panic!("{text}\n{message}"));
        matrix.iter().collect()
    }

    #[test]
    fn fields_and_symmetries_are_read() {
        let general =
            "%%MatrixMarket matrix coordinate real general\n% a comment\n\n 2 3 3\n1 1 0.5\n2 3 -1e-3\r\n2 3 2";
        assert_eq!(entries(general), [(0, 0, 0.5), (1, 2, -1e-3), (1, 2, 2.0)]);
        assert_eq!(parse(general.as_bytes()).unwrap().shape, [2, 3]);
        let symmetric = "%%matrixmarket MATRIX Coordinate Integer Symmetric\n2 2 2\n1 1 4\n2 1 -7\n";
        assert_eq!(entries(symmetric), [(0, 0, 4.0), (1, 0, -7.0), (0, 1, -7.0)]);
        let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1.5D+1\n";
        assert_eq!(entries(skew), [(1, 0, 15.0), (0, 1, -15.0)]);
        let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 3\n3 1\n";
        assert_eq!(entries(pattern), [(2, 2, 1.0), (2, 0, 1.0), (0, 2, 1.0)]);
        assert_eq!(entries("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), []);
        let array = "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n2.5\n-3\n0\n";
        assert_eq!(entries(array), [(0, 0, 1.0), (1, 1, 2.5), (0, 2, -3.0)]);
        let symmetric = "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n0\n5\n";
        let wanted = [(0, 0, 1.0), (1, 0, 2.0), (0, 1, 2.0), (2, 0, 3.0), (0, 2, 3.0), (1, 1, 4.0), (2, 2, 5.0)];
        assert_eq!(entries(symmetric), wanted);
        let skew = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n";
        let wanted = [(1, 0, 1.0), (0, 1, -1.0), (2, 0, 2.0), (0, 2, -2.0), (2, 1, 3.0), (1, 2, -3.0)];
        assert_eq!(entries(skew), wanted);
        assert_eq!(entries("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), []);
        let comment = [b"%%MatrixMarket matrix coordinate real general\n%\xe9\n1 1 0".as_slice()].concat();
        assert_eq!(parse(&comment).unwrap().shape, [1, 1]);
    }

    #[test]
    fn an_error_names_the_line() {
        let general = "%%MatrixMarket matrix coordinate real general\n";
        let table = [
            (String::new(), "line 1: expected %%MatrixMarket matrix coordinate real general"),
            ("1 2 3".to_owned(), "line 1: expected %%MatrixMarket"),
            (
                "%%MatrixMarket matrix list real general".to_owned(),
                "line 1: expected coordinate or array, found 'list'",
            ),
            ("%%MatrixMarket matrix array pattern general".to_owned(), "line 1: expected real or integer for an array"),
            (
                "%%MatrixMarket matrix array real general\n2 2 4\n".to_owned(),
                "line 2: expected the numbers of rows and columns of",
            ),
            (
                "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n".to_owned(),
                "expected 4 entries, as the sizes say, found 3",
            ),
            (
                "%%MatrixMarket matrix array real general\n1 1\n1 2\n".to_owned(),
                "line 3: expected one element in the line, found '2'",
            ),
            (
                "%%MatrixMarket matrix array real general\n1 1\n1\n2\n".to_owned(),
                "line 4: expected no more than the 1 entries",
            ),
            (
                "%%MatrixMarket matrix array real general\n4294967295 4294967295\n1\n".to_owned(),
                "expected 18446744065119617025 entries, as the sizes say, found 1",
            ),
            (
                "%%MatrixMarket matrix array real general\n1 4294967296\n1\n".to_owned(),
                "line 2: expected fewer than 2^32",
            ),
            (
                "%%MatrixMarket matrix coordinate complex general".to_owned(),
                "line 1: expected real, integer or pattern",
            ),
            ("%%MatrixMarket matrix coordinate real hermitian".to_owned(), "line 1: expected general, symmetric"),
            (general.to_owned(), "the file ends before its sizes"),
            (format!("{general}% x\n2 2\n"), "line 3: expected the numbers of rows, columns and entries, found '2 2'"),
            (format!("{general}2 -2 1\n"), "line 2: expected the numbers of rows"),
            (format!("{general}2 2 1\n"), "expected 1 entries, as the sizes say, found 0"),
            // No memory is allocated for entries that are not there.
            (format!("{general}2 2 18446744073709551615\n1 1 1\n"), "found 1: the file is truncated"),
            (format!("{general}2 2 1\n1 1 1\n\n2 2 1\n"), "line 5: expected no more than the 1 entries"),
            (format!("{general}2 3 1\n3 1 1\n"), "line 3: expected a row from 1 to 2, found '3'"),
            (format!("{general}2 3 1\n1 0 1\n"), "line 3: expected a column from 1 to 3, found '0'"),
            (format!("{general}2 3 1\n1\n"), "line 3: expected a column from 1 to 3, found 'nothing'"),
            (format!("{general}2 3 1\n1 2 x\n"), "line 3: expected a number as the value, found 'x'"),
            (format!("{general}2 3 1\n1 2 1 0\n"), "line 3: expected the end of the line after the entry, found '0'"),
            (
                "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5".to_owned(),
                "line 3: expected a whole number as the value, found '0.5'",
            ),
            (
                "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1".to_owned(),
                "line 3: expected no entry of the diagonal",
            ),
            (
                "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n2 2 1".to_owned(),
                "line 2: expected as many rows as columns",
            ),
        ];
        for (file, expected) in table {
            let message = parse(file.as_bytes()).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }

    #[test]
    fn symmetric_matrices_are_written_as_their_lower_half() {
        let table = [
            (vec![(0, 0, 1.0), (0, 2, 0.1), (2, 0, 0.1)], "real symmetric\n3 3 2\n1 1 1.0\n3 1 0.1\n"),
            (vec![(0, 2, 0.1), (2, 0, -0.1)], "real skew-symmetric\n3 3 1\n3 1 -0.1\n"),
            (vec![(0, 2, 0.1), (2, 0, 0.2)], "real general\n3 3 2\n1 3 0.1\n3 1 0.2\n"),
            (vec![(0, 2, 0.1)], "real general\n3 3 1\n1 3 0.1\n"),
            (vec![(1, 1, 0.1), (1, 1, 0.1)], "real general\n3 3 2\n2 2 0.1\n2 2 0.1\n"),
            (vec![], "real general\n3 3 0\n"),
        ];
        for (matrix, expected) in table {
            let file = write([3, 3], &matrix, |value| format!("{value:?}"));
            assert_eq!(String::from_utf8_lossy(&file), format!("%%MatrixMarket matrix coordinate {expected}"));
            let mut read: Vec<_> = entries(&String::from_utf8_lossy(&file));
            read.sort_by_key(|(row, column, _)| (*row, *column));
            assert_eq!(read, matrix);
        }
    }
}

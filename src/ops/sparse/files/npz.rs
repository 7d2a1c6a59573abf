//! `SciPy`'s archives of sparse matrices in CSR, CSC, COO and BSR, as `scipy.sparse.save_npz` writes them.
//!
//! Source: <https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.save_npz.html>.

use half::f16;

use super::entries::{Entry, SparseEntries};
use super::zip::{self, Archive};
use crate::npy_header::{self as npy, Header};

/// Parses an archive.
pub(super) fn parse(file: &[u8]) -> Result<SparseEntries, String> {
    let archive = Archive::open(file)?;
    let format = format_of(&archive.read("format.npy")?)?;
    let shape = match indices(&archive, "shape")?[..] {
        [rows, columns] => [extent(rows)?, extent(columns)?],
        ref other => return Err(format!("shape: expected two axes, found {}: save a matrix", other.len())),
    };
    if format == "bsr" {
        return blocks(&archive, shape);
    }
    let values = values(&member(&archive, "data")?);
    let count = values.len();
    let narrow = |name: &str| -> Result<Vec<u32>, String> {
        let indices = indices(&archive, name)?;
        if indices.len() != count {
            return Err(format!("{name}: expected {count} elements, as data has, found {}", indices.len()));
        }
        let one = |index: u64| u32::try_from(index).map_err(|_| format!("{name}: expected indices below 2^32"));
        indices.into_iter().map(one).collect()
    };
    let (rows, columns) = match format.as_str() {
        "csr" => (lines(&indices(&archive, "indptr")?, shape[0] as u64, count)?, narrow("indices")?),
        "csc" => {
            let rows = narrow("indices")?;
            (rows, lines(&indices(&archive, "indptr")?, shape[1] as u64, count)?)
        }
        "coo" => (narrow("row")?, narrow("col")?),
        other => {
            return Err(format!(
                "expected the format csr, csc, coo or bsr, found '{other}': save scipy.sparse.csr_array(a)"
            ));
        }
    };
    Ok(SparseEntries { shape, rows, columns, values })
}

/// The entries of a matrix in dense blocks, row by row within a block, also those that are 0.
fn blocks(archive: &Archive<'_>, shape: [usize; 2]) -> Result<SparseEntries, String> {
    let data = Array::parse(archive.read("data.npy")?).map_err(|message| format!("data: {message}"))?;
    let [count, height, width] = data.shape[..] else {
        return Err(format!("data: expected an array of three axes, found {}", data.shape.len()));
    };
    let [all_rows, all_columns] = shape.map(|extent| extent as u64);
    if height == 0 || width == 0 || !all_rows.is_multiple_of(height) || !all_columns.is_multiple_of(width) {
        return Err(format!(
            "data: expected blocks that divide a matrix of {} x {}, found {height} x {width}: save csr_array(a)",
            shape[0], shape[1]
        ));
    }
    let starts = indices(archive, "indices")?;
    if starts.len() as u64 != count {
        return Err(format!("indices: expected {count} elements, as data has blocks, found {}", starts.len()));
    }
    let lines = lines(&indices(archive, "indptr")?, all_rows / height, starts.len())?;
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    let index = |index: Option<u64>| {
        let narrow = index.and_then(|index| u32::try_from(index).ok());
        narrow.ok_or_else(|| "indices: expected indices below 2^32".to_owned())
    };
    for (line, start) in lines.iter().zip(&starts) {
        for row in 0..height {
            for column in 0..width {
                rows.push(index(Some(u64::from(*line) * height + row))?);
                columns.push(index(start.checked_mul(width).and_then(|first| first.checked_add(column)))?);
            }
        }
    }
    Ok(SparseEntries { shape, rows, columns, values: values(&data) })
}

/// The archive of a matrix with sorted entries, in CSR, with values of `f64` or `f32`.
pub(super) fn write([rows, columns]: [usize; 2], sorted: &[Entry], is_wide: bool) -> Result<Vec<u8>, String> {
    let mut offsets = vec![0u32; rows + 1];
    sorted.iter().for_each(|(row, ..)| offsets[*row as usize + 1] += 1);
    (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
    let indices: Vec<u32> = sorted.iter().map(|(_, column, _)| *column).collect();
    // The library has fewer than 2^31 rows and entries.
    let array = |descr: &str, bytes: &[u8], count: usize| npy::file(descr, &[count as u64], bytes);
    let count = sorted.len();
    let data = if is_wide {
        let values: Vec<f64> = sorted.iter().map(|(.., value)| *value).collect();
        array("<f8", bytemuck::cast_slice(&values), count)
    } else {
        let values: Vec<f32> = sorted.iter().map(|(.., value)| *value as f32).collect();
        array("<f4", bytemuck::cast_slice(&values), count)
    };
    zip::write(&[
        ("indices.npy", array("<i4", bytemuck::cast_slice(&indices), count)),
        ("indptr.npy", array("<i4", bytemuck::cast_slice(&offsets), rows + 1)),
        ("format.npy", npy::file("|S3", &[], b"csr")),
        ("shape.npy", array("<i8", bytemuck::cast_slice(&[rows as u64, columns as u64]), 2)),
        ("data.npy", data),
    ])
}

/// A number of rows or columns.
fn extent(extent: u64) -> Result<usize, String> {
    usize::try_from(extent).map_err(|_| format!("shape: expected sizes for this machine, found {extent}"))
}

/// The array of a member: little-endian elements in C order.
struct Array {
    /// The kind of elements, `f`, `i`, `u` or `b`, and their size in bytes.
    element: (u8, usize),
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

impl Array {
    fn parse(mut file: Vec<u8>) -> Result<Self, String> {
        let (header, start) = npy::split(&file)?;
        let header = Header::parse(header)?;
        let element = element(&header.descr)?;
        if header.fortran_order && header.shape.len() > 1 {
            let shape = header.dimensions();
            return Err(format!("expected C order, the array of shape {shape} is in Fortran order: save csr_array(a)"));
        }
        let sizes = header.shape.iter();
        let expected = sizes.copied().try_fold(element.1 as u64, u64::checked_mul);
        let expected = expected.ok_or_else(|| format!("the shape {} is too large", header.dimensions()))?;
        let found = (file.len() - start) as u64;
        if found != expected {
            let shape = header.dimensions();
            return Err(format!("expected {expected} bytes for the shape {shape}, found {found}: save it again"));
        }
        file.drain(..start);
        Ok(Self { element, shape: header.shape, bytes: file })
    }
}

/// The kind and the size of an element type in `numpy`'s notation, such as `<f8`.
fn element(descr: &str) -> Result<(u8, usize), String> {
    let unknown =
        || format!("expected real numbers, little-endian, found the dtype '{descr}': save csr_array(a, dtype=float)");
    let name = descr.strip_prefix(['<', '|', '=']).unwrap_or(descr);
    match name.as_bytes() {
        [kind @ (b'i' | b'u'), size @ (b'1' | b'2' | b'4' | b'8')] => Ok((*kind, usize::from(size - b'0'))),
        [b'f', size @ (b'2' | b'4' | b'8')] => Ok((b'f', usize::from(size - b'0'))),
        b"b1" => Ok((b'u', 1)),
        _ => Err(unknown()),
    }
}

fn member(archive: &Archive<'_>, name: &str) -> Result<Array, String> {
    let array = Array::parse(archive.read(&format!("{name}.npy"))?).map_err(|message| format!("{name}: {message}"))?;
    match array.shape.len() {
        1 => Ok(array),
        axes => Err(format!("{name}: expected an array of one axis, found {axes}")),
    }
}

/// The word in an array of one text: bytes, or characters of four bytes each.
fn format_of(file: &[u8]) -> Result<String, String> {
    let (_, start) = npy::split(file).map_err(|message| format!("format: {message}"))?;
    let text: Vec<u8> = file[start..].iter().copied().filter(|byte| *byte != 0).take(16).collect();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Numbers from 0 on.
fn indices(archive: &Archive<'_>, name: &str) -> Result<Vec<u64>, String> {
    let array = member(archive, name)?;
    let signed = |bytes: &[u8]| -> Option<i64> {
        Some(match array.element {
            (b'i', 4) => i32::from_le_bytes(bytes.try_into().ok()?).into(),
            (b'u', 4) => u32::from_le_bytes(bytes.try_into().ok()?).into(),
            (b'i' | b'u', 8) => i64::from_le_bytes(bytes.try_into().ok()?),
            _ => return None,
        })
    };
    let one = |bytes: &[u8]| signed(bytes).and_then(|index| u64::try_from(index).ok());
    let all: Option<Vec<u64>> = array.bytes.chunks_exact(array.element.1).map(one).collect();
    all.ok_or_else(|| format!("{name}: expected int32 or int64 that are not negative, found others"))
}

/// The line of each entry, from the positions at which lines begin.
fn lines(offsets: &[u64], count: u64, entries: usize) -> Result<Vec<u32>, String> {
    let are_offsets = offsets.len() as u64 == count.saturating_add(1)
        && offsets[0] == 0
        && offsets.is_sorted()
        && offsets.last().is_some_and(|last| *last == entries as u64);
    if !are_offsets {
        return Err(format!(
            "indptr: expected {} numbers that rise from 0 to {entries}, the number of entries, found others",
            count.saturating_add(1)
        ));
    }
    let lengths = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
    Ok(lengths.zip(0u32..).flat_map(|(length, line)| std::iter::repeat_n(line, length)).collect())
}

/// Elements of any type as `f64`.
fn values(array: &Array) -> Vec<f64> {
    macro_rules! all {
        ($type:ty) => {
            bytemuck::pod_collect_to_vec::<u8, $type>(&array.bytes).into_iter().map(|value| value as f64).collect()
        };
    }
    match array.element {
        (b'f', 8) => all!(f64),
        (b'f', 4) => all!(f32),
        (b'f', _) => bytemuck::pod_collect_to_vec::<u8, f16>(&array.bytes).into_iter().map(f64::from).collect(),
        (b'i', 8) => all!(i64),
        (b'i', 4) => all!(i32),
        (b'i', 2) => all!(i16),
        (b'i', _) => all!(i8),
        (_, 8) => all!(u64),
        (_, 4) => all!(u32),
        (_, 2) => all!(u16),
        _ => all!(u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(descr: &str, bytes: &[u8]) -> Vec<u8> {
        let (_, width) = element(descr).unwrap();
        npy::file(descr, &[(bytes.len() / width) as u64], bytes)
    }

    fn ints(numbers: &[i32]) -> Vec<u8> {
        array("<i4", bytemuck::cast_slice(numbers))
    }

    fn archive(format: &[u8], arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let shape = array("<i8", bytemuck::cast_slice(&[2i64, 3]));
        let mut members = vec![("format.npy", npy::file("|S3", &[], format)), ("shape.npy", shape)];
        members.extend(arrays.iter().cloned());
        zip::write(&members).unwrap()
    }

    const EXPECTED: [(u32, u32, f64); 3] = [(0, 1, 1.0), (1, 0, 2.0), (1, 2, -3.0)];

    #[test]
    fn the_formats_are_the_same_matrix() {
        let data = ("data.npy", array("<f4", bytemuck::cast_slice(&[1.0f32, 2.0, -3.0])));
        let csr = [data.clone(), ("indices.npy", ints(&[1, 0, 2])), ("indptr.npy", ints(&[0, 1, 3]))];
        let csc = [
            ("data.npy", array("|i1", bytemuck::cast_slice(&[2i8, 1, -3]))),
            ("indices.npy", ints(&[1, 0, 1])),
            ("indptr.npy", ints(&[0, 1, 2, 3])),
        ];
        let coo = [data, ("row.npy", ints(&[0, 1, 1])), ("col.npy", ints(&[1, 0, 2]))];
        let unicode = b"c\0\0\0s\0\0\0r\0\0\0".as_slice();
        let table = [(b"csr".as_slice(), &csr), (b"csc", &csc), (b"coo", &coo), (unicode, &csr)];
        for (format, arrays) in table {
            let matrix = parse(&archive(format, arrays)).unwrap();
            let mut found: Vec<_> = matrix.iter().collect();
            found.sort_by_key(|(row, column, _)| (*row, *column));
            assert_eq!((matrix.shape, found), ([2, 3], EXPECTED.to_vec()), "{}", String::from_utf8_lossy(format));
        }
    }

    #[test]
    fn blocks_are_read_row_by_row() {
        let data = npy::file("<f8", &[2, 2, 1], bytemuck::cast_slice(&[1.0f64, 2.0, 3.0, 4.0]));
        let blocks = |data: &[u8], starts: &[i32]| {
            let arrays = [("data.npy", data.to_vec()), ("indices.npy", ints(starts)), ("indptr.npy", ints(&[0, 2]))];
            parse(&archive(b"bsr", &arrays))
        };
        let matrix = blocks(&data, &[2, 0]).unwrap();
        assert_eq!((matrix.rows, matrix.columns), (vec![0, 1, 0, 1], vec![2, 2, 0, 0]));
        assert_eq!(matrix.values, [1.0, 2.0, 3.0, 4.0]);
        let uneven = npy::file("<f8", &[1, 2, 2], &[0; 32]);
        for (data, starts, expected) in [
            (&uneven, &[0][..], "data: expected blocks that divide a matrix of 2 x 3, found 2 x 2"),
            (&data, &[0], "indices: expected 2 elements, as data has blocks, found 1"),
            (&array("<f8", &[0; 16]), &[0], "data: expected an array of three axes, found 1"),
        ] {
            let message = blocks(data, starts).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }

    #[test]
    fn an_error_names_the_array() {
        let data = ("data.npy", array("<f8", &[0; 16]));
        let (two, three) = (ints(&[0, 1]), ints(&[0, 1, 2]));
        let table = [
            (archive(b"dia", std::slice::from_ref(&data)), "expected the format csr, csc, coo or bsr, found 'dia'"),
            (archive(b"csr", &[]), "has a member data.npy, found none"),
            (
                archive(b"csr", &[data.clone(), ("indptr.npy", ints(&[0, 3, 2])), ("indices.npy", two.clone())]),
                "indptr: expected 3 numbers that rise from 0 to 2",
            ),
            (
                archive(b"csr", &[data.clone(), ("indptr.npy", three.clone()), ("indices.npy", three)]),
                "indices: expected 2 elements, as data has, found 3",
            ),
            (
                archive(b"coo", &[data.clone(), ("row.npy", ints(&[0, -1])), ("col.npy", two.clone())]),
                "row: expected int32 or int64 that are not negative",
            ),
            (
                archive(b"coo", &[data, ("row.npy", two), ("col.npy", array("<f4", &[0; 8]))]),
                "col: expected int32 or int64 that are not negative, found others",
            ),
            (b"hello".to_vec(), "expected a .npz archive"),
        ];
        for (file, expected) in table {
            let message = parse(&file).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }
}

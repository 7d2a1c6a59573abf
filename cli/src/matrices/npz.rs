//! `SciPy`'s archives of sparse matrices in CSR, CSC, COO and BSR, as `scipy.sparse.save_npz` writes them.
//!
//! Source: <https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.save_npz.html>.

use super::Coordinates;
use super::zip::{self, Archive};
use crate::dtype::Dtype;
use crate::npy::{self, Array};

/// Parses an archive.
pub(super) fn parse(file: &[u8]) -> Result<Coordinates, String> {
    let archive = Archive::open(file)?;
    let format = format_of(&archive.read("format.npy")?)?;
    let shape = match indices(&archive, "shape")?[..] {
        [rows, columns] => [rows, columns],
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
        "csr" => (lines(&indices(&archive, "indptr")?, shape[0], count)?, narrow("indices")?),
        "csc" => {
            let rows = narrow("indices")?;
            (rows, lines(&indices(&archive, "indptr")?, shape[1], count)?)
        }
        "coo" => (narrow("row")?, narrow("col")?),
        other => {
            return Err(format!(
                "expected the format csr, csc, coo or bsr, found '{other}': save scipy.sparse.csr_array(a)"
            ));
        }
    };
    Ok(Coordinates { shape, rows, columns, values })
}

/// The entries of a matrix in dense blocks, row by row within a block, also those that are 0.
fn blocks(archive: &Archive<'_>, shape: [u64; 2]) -> Result<Coordinates, String> {
    let data = npy::parse(archive.read("data.npy")?).map_err(|message| format!("data: {message}"))?;
    let [count, height, width] = data.shape[..] else {
        return Err(format!("data: expected an array of three axes, found {}", data.shape.len()));
    };
    if height == 0 || width == 0 || !shape[0].is_multiple_of(height) || !shape[1].is_multiple_of(width) {
        return Err(format!(
            "data: expected blocks that divide a matrix of {} x {}, found {height} x {width}: save csr_array(a)",
            shape[0], shape[1]
        ));
    }
    let starts = indices(archive, "indices")?;
    if starts.len() as u64 != count {
        return Err(format!("indices: expected {count} elements, as data has blocks, found {}", starts.len()));
    }
    let lines = lines(&indices(archive, "indptr")?, shape[0] / height, starts.len())?;
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
    Ok(Coordinates { shape, rows, columns, values: values(&data) })
}

/// The archive of a matrix with sorted entries, in CSR.
pub(super) fn write(matrix: &Coordinates) -> Result<Vec<u8>, String> {
    let rows = usize::try_from(matrix.shape[0]).map_err(|_| "the matrix has too many rows".to_owned())?;
    let mut offsets = vec![0u32; rows + 1];
    matrix.rows.iter().for_each(|row| offsets[*row as usize + 1] += 1);
    (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
    // The library has fewer than 2^31 rows and entries.
    let array = |dtype: &str, bytes: &[u8], count: usize| {
        let dtype = Dtype::from_name(dtype).ok_or("no such type")?;
        Ok::<_, String>(npy::write(dtype, &[count as u64], bytes))
    };
    let count = matrix.values.len();
    zip::write(&[
        ("indices.npy", array("i4", bytemuck::cast_slice(&matrix.columns), count)?),
        ("indptr.npy", array("i4", bytemuck::cast_slice(&offsets), rows + 1)?),
        ("format.npy", npy::file("|S3", &[], b"csr")),
        ("shape.npy", array("i8", bytemuck::cast_slice(&matrix.shape), 2)?),
        ("data.npy", array("f8", bytemuck::cast_slice(&matrix.values), count)?),
    ])
}

fn member(archive: &Archive<'_>, name: &str) -> Result<Array, String> {
    let array = npy::parse(archive.read(&format!("{name}.npy"))?).map_err(|message| format!("{name}: {message}"))?;
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
        Some(match array.dtype {
            Dtype::I4 => i32::from_le_bytes(bytes.try_into().ok()?).into(),
            Dtype::U4 => u32::from_le_bytes(bytes.try_into().ok()?).into(),
            Dtype::I8 | Dtype::U8 => i64::from_le_bytes(bytes.try_into().ok()?),
            _ => return None,
        })
    };
    let one = |bytes: &[u8]| signed(bytes).and_then(|index| u64::try_from(index).ok());
    let all: Option<Vec<u64>> = array.bytes.chunks_exact(array.dtype.width()).map(one).collect();
    let dtype = array.dtype;
    all.ok_or_else(|| format!("{name}: expected int32 or int64 that are not negative, found others, of type {dtype}"))
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
    match array.dtype {
        Dtype::F8 => bytemuck::pod_collect_to_vec(&array.bytes),
        Dtype::F4 => all!(f32),
        Dtype::F2 => bytemuck::pod_collect_to_vec::<u8, half::f16>(&array.bytes).into_iter().map(f64::from).collect(),
        Dtype::I8 => all!(i64),
        Dtype::U8 => all!(u64),
        Dtype::I4 => all!(i32),
        Dtype::U4 => all!(u32),
        Dtype::I2 => all!(i16),
        Dtype::U2 => all!(u16),
        Dtype::I1 => all!(i8),
        Dtype::U1 | Dtype::B1 => all!(u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(dtype: Dtype, bytes: &[u8]) -> Vec<u8> {
        npy::write(dtype, &[(bytes.len() / dtype.width()) as u64], bytes)
    }

    fn ints(numbers: &[i32]) -> Vec<u8> {
        array(Dtype::I4, bytemuck::cast_slice(numbers))
    }

    fn archive(format: &[u8], arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let shape = array(Dtype::I8, bytemuck::cast_slice(&[2i64, 3]));
        let mut members = vec![("format.npy", npy::file("|S3", &[], format)), ("shape.npy", shape)];
        members.extend(arrays.iter().cloned());
        zip::write(&members).unwrap()
    }

    const EXPECTED: [(u32, u32, f64); 3] = [(0, 1, 1.0), (1, 0, 2.0), (1, 2, -3.0)];

    #[test]
    fn the_formats_are_the_same_matrix() {
        let data = ("data.npy", array(Dtype::F4, bytemuck::cast_slice(&[1.0f32, 2.0, -3.0])));
        let csr = [data.clone(), ("indices.npy", ints(&[1, 0, 2])), ("indptr.npy", ints(&[0, 1, 3]))];
        let csc = [
            ("data.npy", array(Dtype::I1, bytemuck::cast_slice(&[2i8, 1, -3]))),
            ("indices.npy", ints(&[1, 0, 1])),
            ("indptr.npy", ints(&[0, 1, 2, 3])),
        ];
        let coo = [data, ("row.npy", ints(&[0, 1, 1])), ("col.npy", ints(&[1, 0, 2]))];
        let unicode = b"c\0\0\0s\0\0\0r\0\0\0".as_slice();
        let table = [(b"csr".as_slice(), &csr), (b"csc", &csc), (b"coo", &coo), (unicode, &csr)];
        for (format, arrays) in table {
            let matrix = parse(&archive(format, arrays)).unwrap();
            let places = matrix.rows.iter().zip(&matrix.columns);
            let mut found: Vec<_> = places.zip(&matrix.values).map(|((row, at), value)| (*row, *at, *value)).collect();
            found.sort_by_key(|(row, column, _)| (*row, *column));
            assert_eq!((matrix.shape, found), ([2, 3], EXPECTED.to_vec()), "{}", String::from_utf8_lossy(format));
        }
    }

    #[test]
    fn blocks_are_read_row_by_row() {
        let data = npy::write(Dtype::F8, &[2, 2, 1], bytemuck::cast_slice(&[1.0f64, 2.0, 3.0, 4.0]));
        let blocks = |data: &[u8], starts: &[i32]| {
            let arrays = [("data.npy", data.to_vec()), ("indices.npy", ints(starts)), ("indptr.npy", ints(&[0, 2]))];
            parse(&archive(b"bsr", &arrays))
        };
        let matrix = blocks(&data, &[2, 0]).unwrap();
        assert_eq!((matrix.rows, matrix.columns), (vec![0, 1, 0, 1], vec![2, 2, 0, 0]));
        assert_eq!(matrix.values, [1.0, 2.0, 3.0, 4.0]);
        let uneven = npy::write(Dtype::F8, &[1, 2, 2], &[0; 32]);
        for (data, starts, expected) in [
            (&uneven, &[0][..], "data: expected blocks that divide a matrix of 2 x 3, found 2 x 2"),
            (&data, &[0], "indices: expected 2 elements, as data has blocks, found 1"),
            (&array(Dtype::F8, &[0; 16]), &[0], "data: expected an array of three axes, found 1"),
        ] {
            let message = blocks(data, starts).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }

    #[test]
    fn an_error_names_the_array() {
        let data = ("data.npy", array(Dtype::F8, &[0; 16]));
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
                archive(b"coo", &[data, ("row.npy", two), ("col.npy", array(Dtype::F4, &[0; 8]))]),
                "col: expected int32 or int64 that are not negative, found others, of type float32",
            ),
            (b"hello".to_vec(), "expected a .npz archive"),
        ];
        for (file, expected) in table {
            let message = parse(&file).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }
}

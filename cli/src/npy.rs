//! `numpy`'s file format, versions 1 to 3, for plain arrays.
//!
//! Source: `numpy.lib.format`, <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use anywarp::npy_header::{Header, split};
pub(crate) use anywarp::npy_header::{dimensions, file};

use crate::dtype::Dtype;

/// The array of a file: little-endian elements in C order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
}

/// Parses a whole file.
///
/// # Errors
/// An error text, without the file's name.
pub(crate) fn parse(mut file: Vec<u8>) -> Result<Array, String> {
    let (header, start) = split(&file)?;
    let header = Header::parse(header)?;
    let dtype = element_type(&header.descr)?;
    if header.fortran_order && header.shape.len() > 1 {
        let shape = header.dimensions();
        return Err(format!(
            "expected C order, the array of shape {shape} is in Fortran order: save np.ascontiguousarray(array)"
        ));
    }
    let expected = header
        .shape
        .iter()
        .try_fold(dtype.width() as u64, |bytes, extent| bytes.checked_mul(*extent))
        .ok_or_else(|| format!("the shape {} is too large", header.dimensions()))?;
    let found = (file.len() - start) as u64;
    if found != expected {
        let verdict = if found < expected { "the file is truncated" } else { "the file has bytes after its array" };
        let shape = header.dimensions();
        return Err(format!("{verdict}: shape {shape} of {dtype} is {expected} bytes, found {found}: save it again"));
    }
    file.drain(..start);
    Ok(Array { dtype, shape: header.shape, bytes: file })
}

/// A version 1 file with an array of these bytes, whose number of elements is that of `shape`.
pub(crate) fn write(dtype: Dtype, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let order = if dtype.width() == 1 { '|' } else { '<' };
    file(&format!("{order}{}", dtype.name()), shape, bytes)
}

/// The element type in `numpy`'s notation: byte order, kind, width.
fn element_type(descr: &str) -> Result<Dtype, String> {
    let (order, name) = match descr.as_bytes() {
        [b'<' | b'>' | b'|' | b'=', ..] => descr.split_at(1),
        _ => ("", descr),
    };
    if order == ">" {
        return Err(format!("expected little-endian, dtype '{descr}' is big-endian: save array.astype('<{name}')"));
    }
    Dtype::from_name(name).ok_or_else(|| {
        format!(
            "expected a dtype that kernels can use, found '{descr}': save array.astype(np.float32), or another type"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in the form that `numpy` writes.
    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = b"\x93NUMPY".to_vec();
        out.extend([version, 0]);
        if version == 1 {
            out.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        } else {
            out.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
        }
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    const TWO_FLOATS: &str = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    const DATA: [u8; 8] = [0, 0, 128, 63, 0, 0, 0, 64];

    #[test]
    fn a_written_array_is_read_back() {
        for dtype in ["b1", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"] {
            let dtype = Dtype::from_name(dtype).unwrap();
            for count in [0, 1, 5, 1000] {
                let bytes: Vec<u8> = (0..count * dtype.width()).map(|at| at as u8).collect();
                for shape in [vec![count as u64], vec![1, count as u64, 1]] {
                    let file = write(dtype, &shape, &bytes);
                    assert_eq!((file.len() - bytes.len()) % 64, 0, "{dtype}");
                    assert_eq!(parse(file), Ok(Array { dtype, shape, bytes: bytes.clone() }));
                }
            }
        }
    }

    #[test]
    fn versions_one_to_three_are_read() {
        for version in [1, 2, 3] {
            let array = parse(file(version, TWO_FLOATS, &DATA)).unwrap();
            assert_eq!(array, Array { dtype: Dtype::F4, shape: vec![2], bytes: DATA.to_vec() }, "version {version}");
        }
    }

    #[test]
    fn headers_come_in_many_forms() {
        let table = [
            ("{'descr':'<f4','fortran_order':False,'shape':(2,)}", 8),
            ("{ \"shape\": (2, 1), \"fortran_order\": False, \"descr\": \"<f4\" }   \n", 8),
            ("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }", 8),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", 0),
            ("{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }", 8),
            ("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", 8),
        ];
        for (header, bytes) in table {
            assert_eq!(parse(file(1, header, &DATA[..bytes])).map(|array| array.bytes.len()), Ok(bytes), "{header}");
        }
    }

    #[test]
    fn an_error_names_the_unsupported_part() {
        let with = |header: &str| file(1, header, &DATA);
        let short = |bytes: usize| file(1, TWO_FLOATS, &DATA)[..bytes].to_vec();
        let table = [
            (b"hello".to_vec(), "not a NumPy file"),
            (Vec::new(), "this one is empty"),
            (b"PK\x03\x04".to_vec(), ".npz"),
            (file(4, TWO_FLOATS, &DATA), "version 4"),
            (short(7), "truncated inside its header"),
            (short(40), "truncated inside its header"),
            (file(1, TWO_FLOATS, &DATA[..5]), "shape (2,) of float32 is 8 bytes, found 5"),
            (file(1, TWO_FLOATS, &[0; 9]), "bytes after its array"),
            (with("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }"), "big-endian"),
            (with("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }"), "'<c8'"),
            (with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"), "structured"),
            (with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }"), "(2, 1) is in Fortran order"),
            (with("{'descr': '<f4', 'fortran_order': False, }"), "no 'shape'"),
            (with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}"), "unknown entry 'x'"),
            (with("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }"), "True or False"),
            (with("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }"), "found '-2,), }'"),
            (with("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"), "too large"),
            (with("{'descr': '<f4"), "no end"),
            (with("nothing"), "expected '{', found 'nothing'"),
        ];
        for (file, expected) in table {
            let message = parse(file).unwrap_err();
            assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
        }
    }
}

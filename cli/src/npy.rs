//! `numpy`'s file format, versions 1 to 3, for plain arrays.
//!
//! Source: `numpy.lib.format`, <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use crate::dtype::Dtype;

const STRUCTURED: &str = "structured dtypes are not supported: save array.view(np.uint8), the bytes";
const MAGIC: &[u8] = b"\x93NUMPY";
/// The header, including the magic, is padded to a multiple of this number of bytes.
const ALIGNMENT: usize = 64;

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

/// As [`write`], for an element type in `numpy`'s notation.
pub(crate) fn file(descr: &str, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let dimensions = dimensions(shape);
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {dimensions}, }}");
    let start = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(ALIGNMENT);
    let padding = start - MAGIC.len() - 4 - header.len() - 1;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');

    let mut file = Vec::with_capacity(start + bytes.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    // The header has three short entries, and a shape has few extents: far below 2^16 bytes.
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(bytes);
    file
}

/// A shape in Python's notation.
pub(crate) fn dimensions(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        all => format!("({})", all.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The header's text and the offset of the elements.
pub(crate) fn split(file: &[u8]) -> Result<(&str, usize), String> {
    if file.starts_with(b"PK") {
        return Err("expected one array, this is a .npz archive: save the one array with np.save".to_owned());
    }
    if file.is_empty() {
        return Err("expected a NumPy file, this one is empty: save the array again with np.save".to_owned());
    }
    let rest = file.strip_prefix(MAGIC).ok_or(
        "expected a NumPy file, this is not a NumPy file, as it does not start with \\x93NUMPY: save the array with np.save, or name raw bytes .bin",
    )?;
    let truncated = || "the file is truncated inside its header: save it again with np.save".to_owned();
    let (length, start) = match *rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), MAGIC.len() + 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, MAGIC.len() + 6),
        [1..=3, ..] | [] => return Err(truncated()),
        [version, ..] => {
            return Err(format!("NumPy format version {version} is not known, 1, 2 and 3 are: save it with np.save"));
        }
    };
    let header = file.get(start..start.saturating_add(length)).ok_or_else(truncated)?;
    let text = std::str::from_utf8(header).map_err(|_| "the header is not text".to_owned())?;
    Ok((text, start + length))
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

/// The Python dictionary in the header of a file.
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let mut literal = Literal { rest: text };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        literal.expect('{')?;
        while !literal.accept('}') {
            let key = literal.string()?;
            literal.expect(':')?;
            match key {
                "descr" if literal.accept('[') => return Err(STRUCTURED.to_owned()),
                "descr" => descr = Some(literal.string()?.to_owned()),
                "fortran_order" => fortran_order = Some(literal.truth()?),
                "shape" => shape = Some(literal.tuple()?),
                _ => return Err(format!("the header has an unknown entry '{key}'")),
            }
            if !literal.accept(',') {
                literal.expect('}')?;
                break;
            }
        }
        let missing = |name| format!("the header has no '{name}'");
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    fn dimensions(&self) -> String {
        dimensions(&self.shape)
    }
}

/// A parser for the few forms of Python literals in a header.
struct Literal<'a> {
    rest: &'a str,
}

impl<'a> Literal<'a> {
    fn accept(&mut self, symbol: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), String> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected(&format!("'{symbol}'"))) }
    }

    fn string(&mut self) -> Result<&'a str, String> {
        for quote in ['\'', '"'] {
            if self.accept(quote) {
                let (text, rest) = self.rest.split_once(quote).ok_or("the header's text has no end")?;
                self.rest = rest;
                return Ok(text);
            }
        }
        Err(self.unexpected("a string"))
    }

    fn truth(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.unexpected("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|symbol: char| !symbol.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            numbers.push(digits.parse().map_err(|_| self.unexpected("a number below 2^64"))?);
            // Python 2 wrote long integers as `3L`.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(numbers)
    }

    fn unexpected(&self, wanted: &str) -> String {
        let found: String = self.rest.trim_start().chars().take(16).collect();
        format!("the header is malformed: expected {wanted}, found '{}'", found.trim_end())
    }
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

//! The header of `numpy`'s file format, versions 1 to 3.
//!
//! Source: `numpy.lib.format`, <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

const STRUCTURED: &str = "structured dtypes are not supported: save array.view(np.uint8), the bytes";
const MAGIC: &[u8] = b"\x93NUMPY";
/// The header, including the magic, is padded to a multiple of this number of bytes.
const ALIGNMENT: usize = 64;

/// A version 1 file with an array of these bytes, for an element type in `numpy`'s notation.
#[must_use]
pub fn file(descr: &str, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
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
#[must_use]
pub fn dimensions(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        all => format!("({})", all.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The header's text and the offset of the elements.
///
/// # Errors
/// An error text, without the file's name.
pub fn split(file: &[u8]) -> Result<(&str, usize), String> {
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

/// The Python dictionary in the header of a file.
pub struct Header {
    /// The element type in `numpy`'s notation.
    pub descr: String,
    /// Whether the first index changes fastest.
    pub fortran_order: bool,
    /// The sizes of the axes.
    pub shape: Vec<u64>,
}

impl Header {
    /// Parses the text of a header.
    ///
    /// # Errors
    /// An error text, without the file's name.
    pub fn parse(text: &str) -> Result<Self, String> {
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

    /// The shape in Python's notation.
    #[must_use]
    pub fn dimensions(&self) -> String {
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

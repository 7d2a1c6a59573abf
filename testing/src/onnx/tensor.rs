//! Tensors.

use super::protobuf::{Value, fields, numbers};
use super::text;

/// An array: row-major elements, little-endian. Strings are not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub name: String,
    /// ONNX's number of the element type.
    pub element: u64,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

impl Tensor {
    /// Reads a tensor of a file, or of an attribute.
    ///
    /// # Errors
    /// Bytes that are no tensor, data in another file, and data of another size than that of the shape.
    pub fn read(message: &[u8]) -> Result<Self, String> {
        let mut tensor = Self { name: String::new(), element: 0, shape: Vec::new(), bytes: Vec::new() };
        let mut listed = Vec::new();
        for (field, value) in fields(message)? {
            match (field, value) {
                (1, value) => {
                    for extent in numbers(value)? {
                        tensor.shape.push(usize::try_from(extent).map_err(|_| format!("size {extent} is too large"))?);
                    }
                }
                (2, Value::Number(element)) => tensor.element = element,
                // A float of 32 or 64 bits, several packed floats, or the bytes of all elements: these bytes are those
                // of the tensor.
                (4 | 10 | 9, Value::Bytes(bytes)) => tensor.bytes.extend(bytes),
                (5 | 7 | 11, value) => listed.extend(numbers(value)?),
                (8, Value::Bytes(bytes)) => tensor.name = text(bytes),
                (13 | 14, _) => return Err("has data in another file".to_owned()),
                _ => {}
            }
        }
        let Some(size) = size(tensor.element) else { return Ok(tensor) };
        // A number in a list may have more bytes than an element of the tensor; the element is the low bytes of the
        // number.
        tensor.bytes.extend(listed.iter().flat_map(|number| number.to_le_bytes().into_iter().take(size)));
        let count = tensor.shape.iter().try_fold(size, |all, extent| all.checked_mul(*extent));
        let Some(expected) = count else { return Err(format!("shape {:?} is too large", tensor.shape)) };
        if tensor.bytes.len() != expected {
            let (shape, got) = (&tensor.shape, tensor.bytes.len());
            return Err(format!("a tensor of shape {shape:?} has {got} bytes; expected {expected}"));
        }
        Ok(tensor)
    }
}

/// The name and the size in bytes of each element type; the size is 0 if elements are not whole bytes, or not all of
/// one size.
const TYPES: [(&str, usize); 27] = [
    ("undefined", 0),
    ("float", 4),
    ("uint8", 1),
    ("int8", 1),
    ("uint16", 2),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("string", 0),
    ("bool", 1),
    ("float16", 2),
    ("double", 8),
    ("uint32", 4),
    ("uint64", 8),
    ("complex64", 8),
    ("complex128", 16),
    ("bfloat16", 2),
    ("float8e4m3fn", 1),
    ("float8e4m3fnuz", 1),
    ("float8e5m2", 1),
    ("float8e5m2fnuz", 1),
    ("uint4", 0),
    ("int4", 0),
    ("float4e2m1", 0),
    ("float8e8m0", 1),
    ("uint2", 0),
    ("int2", 0),
];

/// ONNX's name of an element type.
pub fn type_name(element: u64) -> &'static str {
    known(element).map_or("unknown", |(name, _)| name)
}

fn size(element: u64) -> Option<usize> {
    known(element).map(|(_, size)| *size).filter(|size| *size > 0)
}

fn known(element: u64) -> Option<&'static (&'static str, usize)> {
    TYPES.get(usize::try_from(element).ok()?)
}

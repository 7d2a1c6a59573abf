//! Arrays in files.

use crate::support::npy;

/// The shape and type in the header of an npy file, and the data.
pub(crate) fn parts(file: &[u8]) -> (String, Vec<u8>) {
    let start = 10 + usize::from(file[8]) + 256 * usize::from(file[9]);
    let header = std::str::from_utf8(&file[10..start]).unwrap();
    let part = |key: &str| header.split_once(key).unwrap().1.split_once(['\'', ')']).unwrap().0.to_owned();
    (format!("{} ({})", part("'descr': '"), part("'shape': (")), file[start..].to_vec())
}

pub(crate) fn floats(data: &[u8]) -> Vec<f32> {
    data.chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

pub(crate) fn words(data: &[u8]) -> Vec<u32> {
    data.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

pub(crate) fn ints(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The bytes of numbers in the type with this Rust name.
pub(crate) fn bytes(word: &str, numbers: &[f64]) -> Vec<u8> {
    let one = |number: &f64| match word {
        "f32" => (*number as f32).to_le_bytes().to_vec(),
        "f64" => number.to_le_bytes().to_vec(),
        "f16" => half::f16::from_f64(*number).to_le_bytes().to_vec(),
        "u32" => (*number as u32).to_le_bytes().to_vec(),
        "i32" => (*number as i32).to_le_bytes().to_vec(),
        "u64" => (*number as u64).to_le_bytes().to_vec(),
        "i64" => (*number as i64).to_le_bytes().to_vec(),
        "u16" => (*number as u16).to_le_bytes().to_vec(),
        "i16" => (*number as i16).to_le_bytes().to_vec(),
        "u8" => vec![*number as u8],
        "i8" => vec![(*number as i8).cast_unsigned()],
        "bool" => vec![u8::from(*number != 0.0)],
        _ => panic!("{word}: no type"),
    };
    numbers.iter().flat_map(one).collect()
}

/// The type with this Rust name in the notation of npy headers.
pub(crate) fn descr(word: &str) -> &'static str {
    match word {
        "f32" => "<f4",
        "f64" => "<f8",
        "f16" => "<f2",
        "u32" => "<u4",
        "i32" => "<i4",
        "u64" => "<u8",
        "i64" => "<i8",
        "u16" => "<u2",
        "i16" => "<i2",
        "u8" => "|u1",
        "i8" => "|i1",
        "bool" => "|b1",
        _ => panic!("{word}: no type"),
    }
}

/// The contents of an npy file of numbers in the type with this Rust name.
pub(crate) fn array(word: &str, shape: &str, numbers: &[f64]) -> Vec<u8> {
    npy(descr(word), shape, &bytes(word, numbers))
}

/// A Matrix Market file of the numbers that are not 0, of a dense matrix of this shape.
pub(crate) fn sparse(shape: &str, numbers: &[f64]) -> Vec<u8> {
    let extents: Vec<usize> = shape.split(['(', ',', ')']).filter_map(|extent| extent.trim().parse().ok()).collect();
    let [rows, columns] = extents[..] else { panic!("{shape}: no matrix") };
    let entries = numbers.iter().enumerate().filter(|(_, number)| **number != 0.0);
    let lines: Vec<String> =
        entries.map(|(at, number)| format!("{} {} {number:?}\n", at / columns + 1, at % columns + 1)).collect();
    let head = format!("%%MatrixMarket matrix coordinate real general\n{rows} {columns} {}\n", lines.len());
    (head + &lines.concat()).into_bytes()
}

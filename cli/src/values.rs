//! The values of options: converts text to numbers and pairs. Messages contain what was expected, what was found, and
//! what to write.

use crate::count;
use crate::output::{self, Output};
use crate::source::Bind;

/// Parses `sm_90` as 90.
pub(crate) fn architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").and_then(|number| number.parse().ok());
    match number {
        Some(number @ OLDEST..=999) => Ok(number),
        Some(_) => Err(format!(
            "expected sm_{OLDEST} or newer, sm_120 is one of the newest, found '{text}': write --arch sm_90"
        )),
        None => Err(format!("expected sm_ and a number, found '{text}': write --arch sm_90")),
    }
}

/// Compute capability 7.0: the first with threads that are scheduled independently.
const OLDEST: u32 = 70;

/// Parses `NAME=VALUE`; `form` and `example` are for messages.
fn pair(text: &str, form: &str, example: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err(format!("expected {form}, found '{text}': write {example}")),
    }
}

/// Parses `KEY=SOURCE`.
pub(crate) fn binding(text: &str) -> Result<Bind, String> {
    let (key, text) = pair(text, "KEY=SOURCE", "--bind x=zeros:f32:1024")?;
    Ok(Bind { source: text.parse()?, key, text })
}

/// Parses `PATH=VALUE`.
pub(crate) fn set(text: &str) -> Result<(String, String), String> {
    pair(text, "PATH=VALUE", "--set params.n=1024")
}

/// Parses `KEY=FILE`, or `KEY=FILE:SHAPE`.
pub(crate) fn output(text: &str) -> Result<Output, String> {
    let (key, file) = pair(text, "KEY=FILE", "--out y=y.npy")?;
    output::parse(key, &file)
}

/// Parses `NAME=VALUE` of an override.
pub(crate) fn override_value(text: &str) -> Result<(String, f64), String> {
    let (name, value) = pair(text, "NAME=VALUE", "--override TILE=16")?;
    let number = match value.as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        // An override has at most 32 bits, so every hexadecimal integer is exact in f64.
        text if text.starts_with("0x") => u32::from_str_radix(&text[2..], 16).ok().map(f64::from),
        text => text.parse().ok(),
    };
    let found = format!("found '{value}': write --override {name}=16");
    let number = number.ok_or_else(|| format!("expected a number, true or false for override '{name}', {found}"))?;
    if !number.is_finite() {
        return Err(format!("expected a finite number for override '{name}', {found}"));
    }
    Ok((name, number))
}

/// Parses `X[,Y[,Z]]` threads.
pub(crate) fn threads(text: &str) -> Result<[u32; 3], String> {
    extent(text, "threads", "--threads 1024 or --threads 640,480")
}

/// Parses `X[,Y[,Z]]` workgroups.
pub(crate) fn groups(text: &str) -> Result<[u32; 3], String> {
    extent(text, "workgroups", "--groups 16 or --groups 40,30")
}

fn extent(text: &str, unit: &str, example: &str) -> Result<[u32; 3], String> {
    let wrong = |found: String| {
        let most = u32::MAX;
        format!(
            "expected one to three numbers of {unit} from 1 to {most}, with commas between, found {found}: write {example}"
        )
    };
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(wrong(format!("{} numbers in '{text}'", parts.len())));
    }
    let mut extent = [1; 3];
    for (number, part) in extent.iter_mut().zip(&parts) {
        let parsed = count::count(part.trim()).and_then(|number| u32::try_from(number).ok());
        *number = parsed.filter(|number| *number > 0).ok_or_else(|| match parts.len() {
            1 => wrong(format!("'{part}'")),
            _ => wrong(format!("'{}' in '{text}'", part.trim())),
        })?;
    }
    Ok(extent)
}

/// Parses the number of elements to print.
pub(crate) fn print(text: &str) -> Result<u64, String> {
    count::within(text, 0, u32::MAX.into(), "--print 16")
}

/// Parses the number of runs.
pub(crate) fn repeat(text: &str) -> Result<u32, String> {
    narrow(count::within(text, 1, u32::MAX.into(), "--repeat 100")?)
}

/// Parses the number of a line.
pub(crate) fn line(text: &str) -> Result<u32, String> {
    narrow(count::within(text, 1, u32::MAX.into(), "--line 12")?)
}

/// Parses the width of a line in characters.
pub(crate) fn width(text: &str) -> Result<u16, String> {
    narrow(count::within(text, 40, u16::MAX.into(), "--width 160")?)
}

/// Converts a number whose range was checked.
fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("expected a smaller number, found {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_have_one_to_three_numbers() {
        assert_eq!(threads("7"), Ok([7, 1, 1]));
        assert_eq!(threads("7, 8"), Ok([7, 8, 1]));
        assert_eq!(groups("7,1Ki,9"), Ok([7, 1024, 9]));
        for wrong in ["", "x", "1,2,3,4", "-1", "0", "1.5", "4294967296", "4Gi", "1,,2"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn overrides_are_numbers_or_truth_values() {
        let value = |text: &str| override_value(text).map(|(_, value)| value);
        assert_eq!(value("N=64"), Ok(64.0));
        assert_eq!(value("N=0x10"), Ok(16.0));
        assert_eq!(value("on=true"), Ok(1.0));
        assert_eq!(value("on=false"), Ok(0.0));
        assert_eq!(value("scale=-1.5e3"), Ok(-1500.0));
        for wrong in ["N", "N=", "=3", "N=many", "N=0x", "N=nan", "N=-inf"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn architectures_are_nvidias() {
        assert_eq!(architecture("sm_90"), Ok(90));
        for wrong in ["", "90", "abc", "sm_", "sm_10", "sm_-1", "sm_9000", "sm_90z"] {
            assert!(architecture(wrong).is_err(), "{wrong}");
        }
    }
}

//! Shapes of outputs: from `--shape`, the end of `--out`, or the input.

use std::str::FromStr;

use crate::count::count;
use crate::npy::dimensions;

/// The largest number of extents that `numpy` accepts.
const MAX_EXTENTS: usize = 32;

/// Extents as they were written: `512x512`, `2,3,4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extents {
    numbers: Vec<u64>,
    text: String,
}

/// One `--shape`; without a key it applies to the only output.
pub(crate) type Given = (Option<String>, Extents);

impl FromStr for Extents {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "expected a shape such as 512x512 or 2,3,4, found '{text}': write whole numbers with x or commas between"
            )
        };
        let separator = if text.contains(',') { ',' } else { 'x' };
        let parts: Vec<&str> = text.split(separator).map(str::trim).collect();
        let numbers: Option<Vec<u64>> = parts.into_iter().map(count).collect();
        match numbers {
            Some(numbers) if numbers.len() <= MAX_EXTENTS => Ok(Self { numbers, text: text.to_owned() }),
            _ => Err(wrong()),
        }
    }
}

impl Extents {
    /// The extents, in the order in which they were written.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The shape of an array of `elements`.
    ///
    /// # Errors
    /// The product of the extents is another number.
    pub(crate) fn of_array(&self, elements: u64, what: &str) -> Result<Vec<u64>, String> {
        let product = self.numbers.iter().try_fold(1_u64, |product, extent| product.checked_mul(*extent));
        if product == Some(elements) {
            return Ok(self.numbers.clone());
        }
        let found = product.map_or("2^64 or more".to_owned(), |product| product.to_string());
        let shape = dimensions(&self.numbers);
        Err(format!(
            "expected a shape of {elements} elements ({what}), found {shape} of {found}: choose extents whose product is \
             {elements}"
        ))
    }

    /// Width and height of a picture with `pixels`.
    ///
    /// # Errors
    /// The shape is not two extents with an x between them, or their product is another number.
    pub(crate) fn of_picture(&self, pixels: u64) -> Result<[u32; 2], String> {
        let number = |extent: &u64| u32::try_from(*extent).ok();
        let size = match self.numbers.as_slice() {
            [width, height] if !self.text.contains(',') => number(width).zip(number(height)),
            _ => None,
        };
        let Some((width, height)) = size else {
            let text = &self.text;
            return Err(format!("expected WIDTHxHEIGHT for a picture, found '{text}': write it as 640x480"));
        };
        picture([width, height], pixels)
    }
}

/// Checks that a size has this number of pixels.
pub(crate) fn picture([width, height]: [u32; 2], pixels: u64) -> Result<[u32; 2], String> {
    let found = u64::from(width) * u64::from(height);
    if found == pixels && pixels > 0 {
        return Ok([width, height]);
    }
    Err(format!(
        "expected a picture of {pixels} pixels, found {width}x{height}, which has {found}: choose a width and a height whose \
         product is that of the pixels, above 0"
    ))
}

/// A shape as it was written.
pub(crate) fn text(key: Option<&str>, shape: &Extents) -> String {
    key.map_or_else(|| shape.text.clone(), |key| format!("{key}={}", shape.text))
}

/// Parses `KEY=SHAPE` or `SHAPE`.
pub(crate) fn parse_given(text: &str) -> Result<Given, String> {
    let (key, shape) = text.split_once('=').map_or((None, text), |(key, shape)| (Some(key.trim()), shape.trim()));
    if key == Some("") {
        return Err(format!("expected KEY=SHAPE, found '{text}': write --shape y=512x512"));
    }
    Ok((key.map(str::to_owned), shape.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(text: &str) -> Extents {
        text.parse().unwrap()
    }

    #[test]
    fn shapes_have_extents_with_x_or_commas() {
        for (text, numbers) in
            [("512x512", &[512, 512][..]), ("2, 3,4", &[2, 3, 4]), ("1Ki", &[1024]), ("0x0", &[0, 0])]
        {
            assert_eq!(extents(text).numbers, numbers, "{text}");
        }
        for wrong in ["", "x", "2x", "2,,3", "-1", "2x3,4", "a", "2.5"] {
            assert!(wrong.parse::<Extents>().is_err(), "{wrong}");
        }
        assert!(vec!["1"; 33].join(",").parse::<Extents>().is_err());
        assert_eq!(parse_given("y=2x3"), Ok((Some("y".to_owned()), extents("2x3"))));
        assert_eq!(parse_given("2x3"), Ok((None, extents("2x3"))));
        assert!(parse_given("=2x3").is_err() && parse_given("y=").is_err());
    }

    #[test]
    fn products_must_be_what_there_is() {
        assert_eq!(extents("2x3").of_array(6, "float32"), Ok(vec![2, 3]));
        let message = extents("2,3").of_array(8, "float32").unwrap_err();
        assert!(
            message.starts_with("expected a shape of 8 elements (float32), found (2, 3) of 6: choose"),
            "{message}"
        );
        assert!(extents("8Ti,8Ti").of_array(8, "").is_err(), "no overflow");

        assert_eq!(extents("4x2").of_picture(8), Ok([4, 2]));
        for wrong in ["4x3", "4,2", "8", "2x2x2", "0x0"] {
            assert!(extents(wrong).of_picture(8).is_err(), "{wrong}");
        }
        assert!(picture([0, 7], 0).is_err());
    }
}

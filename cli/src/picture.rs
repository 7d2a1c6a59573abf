//! PNG files as the contents of buffers, and back.
//!
//! Values are those of the file, scaled to 0 to 1: no colour space is converted.

use std::io::Cursor;

use anywarp::backend::{BindingInfo, Layout, Scalar, ScalarKind, Shape};
use half::f16;
use image::{DynamicImage, ImageFormat, ImageReader};

/// The form of pixels in a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pixels {
    /// A u32 per pixel, in the form of `unpack4x8unorm`: red in the lowest byte, then green, blue and alpha.
    Packed,
    /// A gray level per pixel.
    Gray { wide: bool },
    /// A vector of red, green, blue and alpha per pixel.
    Rgba { wide: bool },
}

/// A picture that was read.
pub(crate) struct Picture {
    /// Width and height.
    pub(crate) size: [u32; 2],
    /// The pixels, row by row from the top, each row from the left.
    pub(crate) bytes: Vec<u8>,
}

/// A picture to write.
pub(crate) struct Written {
    /// The bytes of the PNG file.
    pub(crate) file: Vec<u8>,
    /// The count of numbers that were clamped: NaN, and numbers outside of 0 to 1.
    pub(crate) clamped: u64,
}

impl Pixels {
    /// The form of pixels in an array of this type, if it can hold pixels.
    pub(crate) fn of(layout: &Layout) -> Option<Self> {
        let Shape::Array { element, .. } = &layout.shape else { return None };
        match element.shape {
            Shape::Scalar(Scalar { kind: ScalarKind::Unsigned, width: 4 }) => Some(Self::Packed),
            Shape::Scalar(scalar) => is_wide(scalar).map(|wide| Self::Gray { wide }),
            Shape::Vector { length: 4, scalar } => is_wide(scalar).map(|wide| Self::Rgba { wide }),
            _ => None,
        }
    }

    /// The number of scalars per pixel.
    pub(crate) fn channels(self) -> u64 {
        if matches!(self, Self::Rgba { .. }) { 4 } else { 1 }
    }

    /// The size of a pixel in bytes.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Packed => 4,
            Self::Gray { wide } | Self::Rgba { wide } => self.channels() * if wide { 4 } else { 2 },
        }
    }
}

/// Whether a float has 32 bits rather than 16.
fn is_wide(scalar: Scalar) -> Option<bool> {
    match scalar {
        Scalar { kind: ScalarKind::Float, width: 4 } => Some(true),
        Scalar { kind: ScalarKind::Float, width: 2 } => Some(false),
        _ => None,
    }
}

/// The message for a binding that cannot hold pixels.
pub(crate) fn expected(binding: &BindingInfo) -> String {
    format!(
        "expected, for a picture, array<u32> (pixels as unpack4x8unorm takes them), array<f32> or array<f16> (gray, 0 to 1), \
         array<vec4<f32>> or array<vec4<f16>> (red, green, blue, alpha, 0 to 1), found '{}', which is {}: declare it as \
         one of these, or give a .npy or .bin file",
        binding.name, binding.layout.name
    )
}

/// Parses a PNG file.
///
/// # Errors
/// An error text, without the file's name.
pub(crate) fn parse(file: &[u8], pixels: Pixels) -> Result<Picture, String> {
    let reader = ImageReader::with_format(Cursor::new(file), ImageFormat::Png);
    let picture =
        reader.decode().map_err(|error| format!("expected a PNG file, found another: {error}: convert it"))?;
    let (width, height) = (picture.width(), picture.height());
    Ok(Picture { size: [width, height], bytes: numbers(picture, pixels) })
}

fn numbers(picture: DynamicImage, pixels: Pixels) -> Vec<u8> {
    match pixels {
        Pixels::Packed => picture.into_rgba8().into_raw(),
        Pixels::Gray { wide } => floats(&picture.to_luma32f(), wide),
        Pixels::Rgba { wide } => floats(&picture.into_rgba32f(), wide),
    }
}

fn floats(values: &[f32], wide: bool) -> Vec<u8> {
    if wide {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    } else {
        values.iter().flat_map(|value| f16::from_f32(*value).to_le_bytes()).collect()
    }
}

/// Encodes pixels as a PNG file with eight bits per channel.
///
/// # Errors
/// A picture without pixels, or larger than the format's own limit.
pub(crate) fn write(pixels: Pixels, [width, height]: [u32; 2], bytes: &[u8]) -> Result<Written, String> {
    let mut clamped = 0;
    let mut byte = |value: f32| {
        clamped += u64::from(!(0.0..=1.0).contains(&value));
        // NaN becomes 0, as in a GPU's store to a texture.
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    let (levels, color): (Vec<u8>, _) = match pixels {
        Pixels::Packed => (bytes.to_vec(), image::ExtendedColorType::Rgba8),
        Pixels::Gray { wide } => (values(bytes, wide).map(&mut byte).collect(), image::ExtendedColorType::L8),
        Pixels::Rgba { wide } => (values(bytes, wide).map(&mut byte).collect(), image::ExtendedColorType::Rgba8),
    };
    let mut file = Cursor::new(Vec::new());
    image::write_buffer_with_format(&mut file, &levels, width, height, color, ImageFormat::Png)
        .map_err(|error| error.to_string())?;
    Ok(Written { file: file.into_inner(), clamped })
}

fn values(bytes: &[u8], wide: bool) -> impl Iterator<Item = f32> + '_ {
    let value = move |chunk: &[u8]| match *chunk {
        [a, b] => f16::from_le_bytes([a, b]).to_f32(),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
        _ => 0.0,
    };
    bytes.chunks_exact(if wide { 4 } else { 2 }).map(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::tests::{F32, U32, array, scalar, vector};

    const HALF: Scalar = Scalar { kind: ScalarKind::Float, width: 2 };
    const ALL: [Pixels; 5] = [
        Pixels::Packed,
        Pixels::Gray { wide: true },
        Pixels::Gray { wide: false },
        Pixels::Rgba { wide: true },
        Pixels::Rgba { wide: false },
    ];

    #[test]
    fn the_element_type_says_what_a_pixel_is() {
        let table = [
            (array(scalar(U32), None), Some(ALL[0])),
            (array(scalar(F32), Some(64)), Some(ALL[1])),
            (array(scalar(HALF), None), Some(ALL[2])),
            (array(vector(4, F32), None), Some(ALL[3])),
            (array(vector(4, HALF), None), Some(ALL[4])),
            (array(vector(3, F32), None), None),
            (array(vector(4, U32), None), None),
            (scalar(U32), None),
        ];
        for (layout, pixels) in table {
            assert_eq!(Pixels::of(&layout), pixels, "{}", layout.name);
            let Some(pixels) = pixels else { continue };
            let Shape::Array { stride, .. } = layout.shape else { panic!("no array") };
            assert_eq!(pixels.bytes(), u64::from(stride), "{}", layout.name);
        }
    }

    #[test]
    fn a_written_picture_is_read_back() {
        let levels: Vec<u8> = (0..24).map(|at| at * 10).collect();
        for pixels in ALL {
            let bytes: Vec<u8> = match pixels {
                Pixels::Packed => levels.clone(),
                Pixels::Gray { wide } | Pixels::Rgba { wide } => {
                    let count = 6 * pixels.channels() as usize;
                    floats(&levels[..count].iter().map(|level| f32::from(*level) / 255.0).collect::<Vec<_>>(), wide)
                }
            };
            let written = write(pixels, [3, 2], &bytes).unwrap();
            assert_eq!(written.clamped, 0, "{pixels:?}");
            let read = parse(&written.file, pixels).unwrap();
            assert_eq!((read.size, read.bytes), ([3, 2], bytes), "{pixels:?}");
        }
    }

    #[test]
    fn a_gray_file_has_three_equal_colours_and_a_coloured_one_a_gray_level() {
        let gray = write(Pixels::Gray { wide: true }, [1, 1], &1_f32.to_le_bytes()).unwrap();
        assert_eq!(parse(&gray.file, Pixels::Packed).unwrap().bytes, [255; 4]);
        let green = write(Pixels::Packed, [1, 1], &[0, 255, 0, 255]).unwrap();
        let level = parse(&green.file, Pixels::Gray { wide: true }).unwrap().bytes;
        let level = f32::from_le_bytes(level.try_into().unwrap());
        assert!((level - 0.7152).abs() < 1e-4, "{level}");
    }

    #[test]
    fn clamped_values_are_counted() {
        let bytes = floats(&[-1.0, 0.5, 1.5, f32::NAN], true);
        let written = write(Pixels::Gray { wide: true }, [4, 1], &bytes).unwrap();
        let read = parse(&written.file, Pixels::Packed).unwrap();
        assert_eq!((written.clamped, read.bytes.iter().step_by(4).copied().collect()), (3, vec![0, 128, 255, 0]));
        assert!(parse(b"GIF89a", Pixels::Packed).is_err_and(|message| message.contains("expected a PNG file")));
        assert!(parse(b"", Pixels::Packed).is_err_and(|message| message.contains("expected a PNG file")));
    }
}

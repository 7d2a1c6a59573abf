//! Reads photographs and writes PNGs. The crate `image` does both as well, but its build takes a third of anywarp's
//! time: it includes conversions between the colours of screens and printers.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// A failure to read or to write a picture.
pub type Error = Box<dyn std::error::Error>;

/// Pixels of red, green, blue and alpha, row by row from the top.
#[derive(Debug)]
pub struct Picture {
    /// Columns and rows.
    pub size: [u32; 2],
    /// All pixels, row by row.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Reads a JPEG or a PNG, as its first bytes say; fails if the file cannot be read or is neither.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, Error> {
        let file = file.as_ref();
        let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        match bytes.get(..3) {
            Some([0xff, 0xd8, 0xff]) => Self::of_jpeg(&bytes),
            Some(b"\x89PN") => Self::of_png(&bytes),
            _ => Err("expected a JPEG or a PNG".into()),
        }
        .map_err(|error| format!("{}: {error}", file.display()).into())
    }

    fn of_jpeg(bytes: &[u8]) -> Result<Self, Error> {
        let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGBA);
        let mut decoder = JpegDecoder::new_with_options(std::io::Cursor::new(bytes), options);
        let pixels = decoder.decode()?;
        let (width, height) = decoder.dimensions().ok_or("the picture has no size")?;
        let size = [u32::try_from(width)?, u32::try_from(height)?];
        Ok(Self { size, pixels: pixels.as_chunks().0.to_vec() })
    }

    fn of_png(bytes: &[u8]) -> Result<Self, Error> {
        let mut decoder = Decoder::new(BufReader::new(std::io::Cursor::new(bytes)));
        decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
        let mut reader = decoder.read_info()?;
        let mut levels = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
        let info = reader.next_frame(&mut levels)?;
        levels.truncate(info.buffer_size());
        let pixels = match info.color_type {
            ColorType::GrayscaleAlpha => {
                levels.as_chunks().0.iter().map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect()
            }
            _ => levels.as_chunks().0.to_vec(),
        };
        Ok(Self { size: [info.width, info.height], pixels })
    }

    /// Reduces the picture to at most `columns` columns by leaving out columns and rows.
    #[must_use]
    pub fn at_most(self, columns: u32) -> Self {
        let step = self.size[0].div_ceil(columns).max(1) as usize;
        let rows = self.pixels.chunks(self.size[0].max(1) as usize).step_by(step);
        let pixels = rows.flat_map(|row| row.iter().step_by(step)).copied().collect();
        Self { size: self.size.map(|side| side.div_ceil(step as u32)), pixels }
    }
}

/// Writes pixels as a PNG; fails if their number does not match the size, or the file cannot be written.
pub fn save(file: impl AsRef<Path>, size: [u32; 2], pixels: &[[u8; 4]]) -> Result<(), Error> {
    let mut encoder = Encoder::new(File::create(file)?, size[0], size[1]);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    Ok(encoder.write_header()?.write_image_data(pixels.as_flattened())?)
}

#[cfg(test)]
mod tests {
    use super::{Picture, save};

    #[test]
    fn a_png_is_read_as_it_was_written() {
        let file = std::env::temp_dir().join(format!("picture-{}.png", std::process::id()));
        let pixels: Vec<[u8; 4]> = (0..15).map(|at| [at, 2 * at, 255 - at, 17 * at]).collect();
        save(&file, [5, 3], &pixels).unwrap();
        let read = Picture::open(&file);
        std::fs::remove_file(&file).unwrap();
        let read = read.unwrap();
        assert_eq!((read.size, read.pixels), ([5, 3], pixels));
    }

    #[test]
    fn columns_and_rows_are_left_out_alike() {
        let pixels = (0..15).map(|at| [at, 0, 0, 255]).collect();
        let fewer = Picture { size: [5, 3], pixels }.at_most(3);
        assert_eq!(fewer.size, [3, 2]);
        assert_eq!(fewer.pixels.iter().map(|pixel| pixel[0]).collect::<Vec<_>>(), [0, 2, 4, 10, 12, 14]);
    }

    #[test]
    fn a_jpeg_has_the_size_that_it_says_and_is_opaque() {
        let photo = Picture::open(concat!(env!("CARGO_MANIFEST_DIR"), "/data/rocket.jpg")).unwrap();
        assert_eq!((photo.size, photo.pixels.len()), ([640, 427], 640 * 427));
        assert!(photo.pixels.iter().all(|pixel| pixel[3] == 255));
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let error = Picture::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap_err().to_string();
        assert!(error.contains("Cargo.toml: expected a JPEG or a PNG"), "{error}");
    }
}

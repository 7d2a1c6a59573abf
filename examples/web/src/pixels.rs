//! Conversion between a canvas's pixels and the kernel's colours.

/// Values in a pixel of a canvas: red, green, blue, opacity.
pub(crate) const RGBA: usize = 4;

/// Convolved values in a pixel: the opacity is unchanged.
pub(crate) const RGB: usize = 3;

/// Red, green and blue of each pixel, from 0 to 1.
pub(crate) fn colours(rgba: &[u8]) -> Vec<f32> {
    rgba.chunks_exact(RGBA)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .map(|byte| f32::from(byte) / 255.0)
        .collect()
}

/// Writes the colours to the pixels, rounded and clamped to 0..1.
pub(crate) fn recolour(rgba: &mut [u8], colours: &[f32]) {
    for (pixel, colour) in rgba.chunks_exact_mut(RGBA).zip(colours.chunks_exact(RGB)) {
        for (byte, value) in pixel.iter_mut().zip(colour) {
            *byte = (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        }
    }
}

//! Pixels as canvases have them, and colours as the kernel wants them.

/// Values in a pixel of a canvas: red, green, blue, and how opaque it is.
pub(crate) const RGBA: usize = 4;

/// Values that are convolved: how opaque a pixel is stays as it is.
pub(crate) const RGB: usize = 3;

/// Red, green and blue of each pixel, from 0 to 1.
pub(crate) fn colours(rgba: &[u8]) -> Vec<f32> {
    rgba.chunks_exact(RGBA)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .map(|byte| f32::from(byte) / 255.0)
        .collect()
}

/// Puts the colours into the pixels, rounded; what is beyond 0 and 1 becomes that.
pub(crate) fn recolour(rgba: &mut [u8], colours: &[f32]) {
    for (pixel, colour) in rgba.chunks_exact_mut(RGBA).zip(colours.chunks_exact(RGB)) {
        for (byte, value) in pixel.iter_mut().zip(colour) {
            *byte = (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        }
    }
}

//! A conversion of colours: integers of eight bits, packed in words.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, on_device, on_host, random_words};

const COUNT: usize = 1 << 22;

pub(super) fn case() -> Case {
    let rgb = random_words(COUNT, 1);
    let device_rgb = rgb.clone();
    Case {
        name: "rgb_to_yuv",
        bytes: Some(2 * 4 * COUNT as u64),
        expected: Expected::Exactly(rgb.iter().map(|pixel| exact(*pixel)).collect()),
        spmd: Spmd {
            text: include_str!("../spmd/rgb_to_yuv.ispc"),
            size: 0,
            inputs: [rgb.clone(), Vec::new()],
            initial: vec![0; COUNT],
            units: COUNT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/rgb_to_yuv.cl"), [COUNT, 1], [64, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("yuv.wgsl"))?;
            let rgb = device.buffer_from(&device_rgb)?;
            on_device(device, vec![0u32; COUNT], move |yuv| {
                kernel.launch().bind("rgb", &rgb).bind("yuv", yuv).threads(COUNT)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let rgb = rgb.clone();
            on_host(vec![0u32; COUNT], move |yuv: &mut [u32]| {
                yuv.par_chunks_mut(CHUNK).zip(rgb.par_chunks(CHUNK)).for_each(|(yuv, rgb)| {
                    for (yuv, rgb) in yuv.iter_mut().zip(rgb) {
                        *yuv = converted(*rgb);
                    }
                });
            })
        }),
    }
}

fn converted(pixel: u32) -> u32 {
    let [r, g, b] = [0, 8, 16].map(|shift| ((pixel >> shift) & 0xff) as i32);
    let y = (77 * r + 150 * g + 29 * b + 128) >> 8;
    let u = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128;
    let v = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128;
    let [y, u, v] = [y, u, v].map(|value| value.clamp(0, 255) as u32);
    (pixel & 0xff00_0000) | y | (u << 8) | (v << 16)
}

/// The same by a table of weights and divisions that round down.
fn exact(pixel: u32) -> u32 {
    let channels = pixel.to_le_bytes().map(i32::from);
    let rows = [([77, 150, 29], 0), ([-43, -85, 128], 128), ([128, -107, -21], 128)];
    let mut bytes = pixel.to_le_bytes();
    for (byte, (weights, offset)) in bytes.iter_mut().zip(rows) {
        let sum: i32 = weights.iter().zip(channels).map(|(weight, channel)| weight * channel).sum();
        *byte = ((sum + 128).div_euclid(256) + offset).clamp(0, 255) as u8;
    }
    u32::from_le_bytes(bytes)
}

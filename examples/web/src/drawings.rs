//! Pictures without a photograph: the Mandelbrot set, and two substances that react.

use anywarp::{Device, Kernel, Recording, UnifiedBuffer, Wgsl};
use js_sys::Error;
use wasm_bindgen::prelude::*;

use crate::convolution::{Convolution, in_words};

/// Draws parts of the Mandelbrot set, one after the other.
#[wasm_bindgen]
pub struct Mandelbrot {
    kernel: Kernel,
    size: [u32; 2],
    pixels: UnifiedBuffer<u32>,
}

#[wasm_bindgen]
impl Mandelbrot {
    /// Compiles the kernel, for pictures of this size.
    ///
    /// # Errors
    ///
    /// Fails if the device refuses the kernel or the memory.
    #[wasm_bindgen(constructor)]
    pub fn new(convolution: &Convolution, width: u32, height: u32) -> Result<Self, Error> {
        let device = convolution.device();
        let kernel = device.kernel(include_str!("../../shaders/mandelbrot.wgsl")).map_err(in_words)?;
        let pixels = device.buffer((width * height) as usize).map_err(in_words)?;
        Ok(Self { kernel, size: [width, height], pixels })
    }

    /// Draws the part around a point of the plane and returns pixels in a canvas's format.
    ///
    /// # Errors
    ///
    /// Fails if the device fails.
    pub async fn draw(&mut self, x: f32, y: f32, width: f32, steps: u32) -> Result<Vec<u8>, Error> {
        let launch = self.kernel.launch().set("view.centre", [x, y]).set("view.width", width);
        let launch = launch.set("view.most_steps", steps).set("view.size", self.size);
        launch.bind("pixels", &mut self.pixels).threads(self.size).map_err(in_words)?;
        bytes(&mut self.pixels).await.map_err(in_words)
    }
}

/// A dish with two substances that react and spread, by Gray and Scott.
#[wasm_bindgen]
pub struct Dish {
    device: Device,
    paint: Kernel,
    size: [u32; 2],
    substances: [UnifiedBuffer<[f32; 2]>; 2],
    pixels: UnifiedBuffer<u32>,
    /// Runs a hundred steps.
    steps: Recording,
}

#[wasm_bindgen]
impl Dish {
    /// A square dish with some drops in it.
    ///
    /// # Errors
    ///
    /// Fails if the device refuses the kernels or the memory.
    #[wasm_bindgen(constructor)]
    pub fn new(convolution: &Convolution, side: u32) -> Result<Self, Error> {
        Self::filled(convolution.device().clone(), [side; 2]).map_err(in_words)
    }

    /// Simulates `hundreds` times a hundred steps and returns pixels in a canvas's format.
    ///
    /// # Errors
    ///
    /// Fails if the device fails.
    pub async fn go_on(&mut self, hundreds: u32) -> Result<Vec<u8>, Error> {
        self.painted(hundreds).await.map_err(in_words)
    }
}

impl Dish {
    fn filled(device: Device, size: [u32; 2]) -> anywarp::Result<Self> {
        let wgsl = Wgsl::new(include_str!("../../shaders/gray_scott.wgsl")).file("gray_scott.wgsl");
        let (react, paint) = (device.kernel(wgsl.clone().entry("react"))?, device.kernel(wgsl.entry("paint"))?);
        let drops = drops(size[0]);
        let mut substances = [device.buffer_from(&drops)?, device.buffer_from(&drops)?];
        let mut steps = device.recording();
        let [a, b] = &mut substances;
        for _ in 0..50 {
            dish(&react, size).bind("old", &*a).bind("next", &mut *b).record(&mut steps).threads(size)?;
            dish(&react, size).bind("old", &*b).bind("next", &mut *a).record(&mut steps).threads(size)?;
        }
        let pixels = device.buffer((size[0] * size[1]) as usize)?;
        Ok(Self { device, paint, size, substances, pixels, steps })
    }

    async fn painted(&mut self, hundreds: u32) -> anywarp::Result<Vec<u8>> {
        for _ in 0..hundreds {
            self.steps.submit()?;
        }
        let launch = dish(&self.paint, self.size).bind("old", &self.substances[0]);
        launch.bind("pixels", &mut self.pixels).threads(self.size)?;
        self.device.submit()?;
        bytes(&mut self.pixels).await
    }
}

/// A launch with its values set, but without buffers.
fn dish(kernel: &Kernel, size: [u32; 2]) -> anywarp::Launch<'_> {
    kernel.launch().set("dish.size", size).set("dish.feed", 0.037f32).set("dish.kill", 0.06f32)
}

/// A dish full of the first substance, with drops of the second.
fn drops(side: u32) -> Vec<[f32; 2]> {
    let drops: Vec<[u32; 2]> = (0..14u32).map(|drop| [drop * drop * 83 % side, drop * 151 % side]).collect();
    let near = |at: u32, drop: u32| at.wrapping_sub(drop) < 6;
    let in_a_drop = |x, y| drops.iter().any(|[column, row]| near(x, *column) && near(y, *row));
    (0..side * side).map(|at| if in_a_drop(at % side, at / side) { [0.5, 0.25] } else { [1.0, 0.0] }).collect()
}

async fn bytes(pixels: &mut UnifiedBuffer<u32>) -> anywarp::Result<Vec<u8>> {
    Ok(pixels.read_async().await?.iter().flat_map(|pixel| pixel.to_le_bytes()).collect())
}

//! anywarp in a browser: convolves a picture on the GPU and shows the times; other kernels draw their own pictures.
//!
//! The page (`page/`) reads pictures and shows them; this crate holds all GPU code. Nothing blocks: a page has one
//! thread, so every wait is awaited.

#![cfg(target_arch = "wasm32")]

mod clock;
mod convolution;
mod drawings;
mod pixels;

pub use convolution::{Convolution, Convolved};
pub use drawings::{Dish, Mandelbrot};

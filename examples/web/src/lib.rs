//! anywarp in a browser: a picture is convolved on the GPU, and the page shows what that took; other kernels draw
//! pictures of their own.
//!
//! The page (`page/`) reads pictures and shows them; everything about the GPU is here. Nothing blocks:
//! a browser's page has one thread, and what it waits for is awaited.

#![cfg(target_arch = "wasm32")]

mod clock;
mod convolution;
mod drawings;
mod pixels;

pub use convolution::{Convolution, Convolved};
pub use drawings::{Dish, Mandelbrot};

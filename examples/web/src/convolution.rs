//! The kernel on the browser's device, and the code that runs it.

use anywarp::{Device, DeviceOptions, Kernel, Recording, Submission, UnifiedBuffer};
use js_sys::Error;
use wasm_bindgen::prelude::*;

use crate::clock::{median, now};
use crate::pixels::{RGB, RGBA, colours, recolour};

/// The limit of a page's memory use: each pixel takes about 100 bytes.
const MAX_PIXELS: u64 = 24 << 20;

/// Milliseconds after which no further run starts.
const LONG: f64 = 2000.0;

/// The compiled kernel on the device of this browser.
#[wasm_bindgen]
pub struct Convolution {
    device: Device,
    kernel: Kernel,
}

/// A convolved picture, and the medians of the measured times.
#[wasm_bindgen]
pub struct Convolved {
    rgba: Vec<u8>,
    /// How many runs were measured.
    #[wasm_bindgen(readonly)]
    pub runs: u32,
    /// Milliseconds from passing the colours to the library until their arrival, without the kernel.
    #[wasm_bindgen(readonly)]
    pub upload: f64,
    /// Milliseconds of the kernel, all passes together.
    #[wasm_bindgen(readonly)]
    pub kernel: f64,
    /// Whether `kernel` is from the device's own clock; else it includes the submission and the notification.
    #[wasm_bindgen(readonly)]
    pub device_clock: bool,
    /// Milliseconds until the result could be read.
    #[wasm_bindgen(readonly)]
    pub read_back: f64,
}

#[wasm_bindgen]
impl Convolved {
    /// The pixels: red, green, blue, and the unchanged opacity. A second call returns nothing.
    #[must_use]
    pub fn take_pixels(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rgba)
    }
}

#[wasm_bindgen]
impl Convolution {
    /// Opens the browser's device and compiles the kernel.
    ///
    /// # Errors
    ///
    /// Fails if the browser has no usable device.
    pub async fn open() -> Result<Convolution, Error> {
        let device = Device::open_async(&DeviceOptions::default()).await.map_err(in_words)?;
        let kernel = device.kernel(include_str!("../../../examples/shaders/conv3x3.wgsl")).map_err(in_words)?;
        Ok(Self { device, kernel })
    }

    /// The browser's name for the device; often empty.
    #[must_use]
    pub fn name(&self) -> String {
        self.device.caps().name.clone()
    }

    /// The maximum size of a buffer binding, in bytes.
    #[must_use]
    pub fn largest_binding(&self) -> f64 {
        let limits = &self.device.caps().limits;
        limits.storage_binding_size.min(limits.buffer_size) as f64
    }

    /// The maximum number of invocations in one workgroup.
    #[must_use]
    pub fn workgroup_invocations(&self) -> u32 {
        self.device.caps().limits.workgroup_invocations
    }

    /// The maximum number of pixels of a picture.
    #[must_use]
    pub fn max_pixels(&self) -> f64 {
        let colour = (RGB * size_of::<f32>()) as f64;
        (self.largest_binding() / colour).floor().min(MAX_PIXELS as f64)
    }

    /// Convolves the colours of `rgba` with nine `weights`, row by row, `passes` times. Repeats this `runs` times after
    /// one warm-up run, or fewer times if that takes long.
    ///
    /// # Errors
    ///
    /// Fails if the sizes do not match, or if the device fails.
    pub async fn run(
        &self,
        rgba: Vec<u8>,
        width: u32,
        height: u32,
        weights: Vec<f32>,
        passes: u32,
        runs: u32,
    ) -> Result<Convolved, Error> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 || rgba.len() as u64 != pixels * RGBA as u64 {
            return Err(Error::new(&format!(
                "{width} x {height} pixels: the number of bytes does not match, got {}",
                rgba.len()
            )));
        }
        if pixels as f64 > self.max_pixels() {
            let most = self.max_pixels();
            return Err(Error::new(&format!("{width} x {height} pixels exceed the limit of {most} pixels")));
        }
        let weights: [f32; 9] =
            weights.try_into().map_err(|_| Error::new("expected nine weights for a 3 x 3 filter"))?;
        self.measured(rgba, [width, height], weights, passes.max(1), runs.max(1)).await.map_err(in_words)
    }
}

impl Convolution {
    /// The browser's device, for other kernels.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    async fn measured(
        &self,
        mut rgba: Vec<u8>,
        size: [u32; 2],
        weights: [f32; 9],
        passes: u32,
        runs: u32,
    ) -> anywarp::Result<Convolved> {
        let colours = colours(&rgba);
        let mut source = self.device.buffer::<f32>(colours.len())?;
        let mut target = self.device.buffer::<f32>(colours.len())?;
        let mut between = self.device.buffer::<f32>(if passes > 1 { colours.len() } else { 0 })?;
        let recording = self.record(size, weights, passes, &source, &mut between, &mut target)?;
        let (mut uploads, mut kernels, mut downloads, mut device_clock) = (Vec::new(), Vec::new(), Vec::new(), true);
        let begun = now();
        for run in 0..=runs {
            if run > 1 && now() - begun > LONG {
                break;
            }
            let start = now();
            source.copy_from_slice_async(&colours).await?;
            let submission = recording.submit()?;
            submission.clone().await?;
            let both = now() - start;
            let (kernel, by_device) = self.kernel_time(&recording, &submission).await?;
            let start = now();
            let result = target.read_async().await?;
            let download = now() - start;
            if run == 0 {
                recolour(&mut rgba, &result);
                continue; // the first run includes compilation and allocation
            }
            uploads.push((both - kernel).max(0.0));
            kernels.push(kernel);
            downloads.push(download);
            device_clock &= by_device;
        }
        let runs = kernels.len() as u32;
        let [upload, kernel, read_back] = [uploads, kernels, downloads].map(|times| median(times).unwrap_or_default());
        Ok(Convolved { rgba, runs, upload, kernel, device_clock, read_back })
    }

    /// Records all passes. The last one writes `target`; earlier ones alternate between `between` and `target`.
    fn record(
        &self,
        [width, height]: [u32; 2],
        weights: [f32; 9],
        passes: u32,
        source: &UnifiedBuffer<f32>,
        between: &mut UnifiedBuffer<f32>,
        target: &mut UnifiedBuffer<f32>,
    ) -> anywarp::Result<Recording> {
        let [a, b, c, d, e, f, g, h, i] = weights;
        let columns = [[a, b, c, 0.0], [d, e, f, 0.0], [g, h, i, 0.0]]; // WGSL pads the columns of a mat3x3 to four
        let mut recording = self.device.recording();
        recording.timed(true);
        for pass in 0..passes {
            let launch = self.kernel.launch().set("params.weights", columns).set("params.channels", RGB as u32);
            let launch = launch.set("params.width", width).set("params.height", height);
            let to_target = (passes - pass) % 2 == 1;
            let launch = match (pass, to_target) {
                (0, true) => launch.bind("source", source).bind("target_image", &mut *target),
                (0, false) => launch.bind("source", source).bind("target_image", &mut *between),
                (_, true) => launch.bind("source", &*between).bind("target_image", &mut *target),
                (_, false) => launch.bind("source", &*target).bind("target_image", &mut *between),
            };
            launch.record(&mut recording).threads([width, height])?;
        }
        Ok(recording)
    }

    /// Milliseconds of the kernel, and whether the device's clock measured them. Without such a clock the recording
    /// runs again with nothing to upload.
    async fn kernel_time(&self, recording: &Recording, submission: &Submission) -> anywarp::Result<(f64, bool)> {
        if let Some(timings) = submission.timings() {
            return Ok((timings.total().as_secs_f64() * 1e3, true));
        }
        let start = now();
        recording.submit()?.await?;
        Ok((now() - start, false))
    }
}

pub(crate) fn in_words(error: impl std::fmt::Display) -> Error {
    Error::new(&error.to_string())
}

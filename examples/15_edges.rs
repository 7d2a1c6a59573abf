//! Four kernels in a row on a photograph: blur by rows, blur by columns, slopes, thinning. Only the photograph is
//! uploaded, and only the final picture is downloaded.
//!
//! `cargo run --release --example 15_edges -- [PHOTO]` writes `edges.png`.

use anywarp::{Device, Wgsl};
use picture::Picture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/data/rocket.jpg").to_owned();
    let Picture { size, pixels } = Picture::open(std::env::args().nth(1).unwrap_or(sample))?;
    let device = Device::open_default()?;
    let wgsl = Wgsl::new(include_str!("shaders/edges.wgsl")).file("edges.wgsl");
    let kernel = |entry| device.kernel(wgsl.clone().entry(entry));

    let area = (size[0] * size[1]) as usize;
    let photo = device.buffer_from(pixels.as_flattened())?; // bytes fit any binding: four are a `u32`
    let (mut rows, mut blurred) = (device.buffer::<f32>(area)?, device.buffer::<f32>(area)?);
    let (mut slopes, mut pixels) = (device.buffer::<[f32; 2]>(area)?, device.buffer::<u32>(area)?);

    let launch = kernel("blur_rows")?.launch().set("size", size).bind("photo", &photo);
    launch.bind("blurred", &mut rows).threads(size)?;
    let launch = kernel("blur_columns")?.launch().set("size", size).bind("source", &rows);
    launch.bind("blurred", &mut blurred).threads(size)?;
    let launch = kernel("slope")?.launch().set("size", size).bind("source", &blurred);
    launch.bind("slopes", &mut slopes).threads(size)?;
    let launch = kernel("thin")?.launch().set("size", size).bind("slopes", &slopes);
    launch.bind("photo", &photo).bind("pixels", &mut pixels).threads(size)?;

    let edges = pixels.read()?;
    picture::save("edges.png", size, bytemuck::cast_slice(&edges))?;
    let (name, moved) = (&device.caps().name, device.stats());
    println!("{name}: {}x{} pixels -> edges.png", size[0], size[1]);
    println!("{} bytes uploaded, {} bytes downloaded", moved.bytes_uploaded, moved.bytes_downloaded);
    Ok(())
}

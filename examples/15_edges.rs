//! Four kernels in a row on a photograph: blur by rows, blur by columns, slopes, thinning. Only the photograph is
//! uploaded, and only the final picture is downloaded.
//!
//! `cargo run --release --example 15_edges -- [PHOTO]` writes `edges.png`.

use anywarp::{Device, Wgsl};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/data/rocket.jpg").to_owned();
    let photo = image::open(std::env::args().nth(1).unwrap_or(sample))?.to_rgba8();
    let size = [photo.width(), photo.height()];
    let device = Device::open_default()?;
    let wgsl = Wgsl::new(include_str!("shaders/edges.wgsl")).file("edges.wgsl");
    let kernel = |entry| device.kernel(wgsl.clone().entry(entry));

    let area = (size[0] * size[1]) as usize;
    let colours: Vec<u32> = photo.pixels().map(|pixel| u32::from_le_bytes(pixel.0)).collect();
    let photo = device.buffer_from(&colours)?;
    let (mut rows, mut blurred) = (device.buffer::<f32>(area)?, device.buffer::<f32>(area)?);
    let (mut slopes, mut pixels) = (device.buffer::<[f32; 2]>(area)?, device.buffer::<u32>(area)?);

    let launch = kernel("blur_rows")?.launch().set("size", size).bind("photo", &photo);
    launch.bind("blurred", &mut rows).threads(size)?;
    let launch = kernel("blur_columns")?.launch().set("size", size).bind("source", &rows);
    launch.bind("blurred", &mut blurred).threads(size)?;
    let launch = kernel("slope")?.launch().set("size", size).bind("source", &blurred);
    launch.bind("slopes", &mut slopes).threads(size)?;
    let launch = kernel("thin")?.launch().set("size", size).bind("slopes", &mut slopes);
    launch.bind("photo", &photo).bind("pixels", &mut pixels).threads(size)?;

    let edges = pixels.read()?;
    image::save_buffer("edges.png", bytemuck::cast_slice(&edges), size[0], size[1], image::ColorType::Rgba8)?;
    let (name, moved) = (&device.caps().name, device.stats());
    println!("{name}: {}x{} pixels -> edges.png", size[0], size[1]);
    println!("{} bytes uploaded, {} bytes downloaded", moved.bytes_uploaded, moved.bytes_downloaded);
    Ok(())
}

//! Pixel sorting: sorts each row of a photograph by brightness, with a workgroup for each row.
//!
//! `cargo run --release --example 16_sorted_pixels -- [PHOTO]` writes `sorted-pixels.png`.

use std::time::Instant;

use anywarp::Device;

const MAX_COLUMNS: u32 = 1024; // as in the kernel

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/data/rocket.jpg").to_owned();
    let mut photo = image::open(std::env::args().nth(1).unwrap_or(sample))?;
    if photo.width() > MAX_COLUMNS {
        photo = photo.thumbnail(MAX_COLUMNS, photo.height());
    }
    let photo = photo.to_rgba8();
    let size = [photo.width(), photo.height()];
    let colours: Vec<u32> = photo.pixels().map(|pixel| u32::from_le_bytes(pixel.0)).collect();

    let device = Device::open_default()?;
    let sort = device.kernel(include_str!("shaders/sorted_pixels.wgsl"))?;
    let photo = device.buffer_from(&colours)?;
    let mut pixels = device.buffer::<u32>(colours.len())?;
    let start = Instant::now();
    let launch = sort.launch().set("size", size).set("darkest", 0.12f32);
    launch.bind("photo", &photo).bind("pixels", &mut pixels).groups(size[1])?;
    let sorted = pixels.read()?;
    println!("{}: {} rows of {} in {:?}", device.caps().name, size[1], size[0], start.elapsed());

    // Each row has the same pixels as before, in another order.
    let width = size[0] as usize;
    for (row, (new, old)) in sorted.chunks(width).zip(colours.chunks(width)).enumerate() {
        let [mut new, mut old] = [new.to_vec(), old.to_vec()];
        new.sort_unstable();
        old.sort_unstable();
        assert_eq!(new, old, "row {row}");
    }
    Ok(image::save_buffer(
        "sorted-pixels.png",
        bytemuck::cast_slice(&sorted),
        size[0],
        size[1],
        image::ColorType::Rgba8,
    )?)
}

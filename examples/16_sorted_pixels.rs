//! Pixel sorting: sorts each row of a photograph by brightness, with a workgroup for each row.
//!
//! `cargo run --release --example 16_sorted_pixels -- [PHOTO]` writes `sorted-pixels.png`.

use std::time::Instant;

use anywarp::Device;
use picture::Picture;

const MAX_COLUMNS: u32 = 1024; // as in the kernel

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/data/rocket.jpg").to_owned();
    let photo = Picture::open(std::env::args().nth(1).unwrap_or(sample))?;
    let photo = photo.at_most(MAX_COLUMNS);
    let size = photo.size;

    let device = Device::open_default()?;
    let sort = device.kernel(include_str!("shaders/sorted_pixels.wgsl"))?;
    let source = device.buffer_from(photo.pixels.as_flattened())?; // bytes fit any binding: four are a `u32`
    let mut pixels = device.buffer::<u32>(photo.pixels.len())?;
    let start = Instant::now();
    let launch = sort.launch().set("size", size).set("darkest", 0.12f32);
    launch.bind("photo", &source).bind("pixels", &mut pixels).groups(size[1])?;
    let pixels = pixels.read()?;
    let sorted: &[[u8; 4]] = bytemuck::cast_slice(&pixels);
    println!("{}: {} rows of {} in {:?}", device.caps().name, size[1], size[0], start.elapsed());

    // Each row has the same pixels as before, in another order.
    let width = size[0] as usize;
    for (row, (new, old)) in sorted.chunks(width).zip(photo.pixels.chunks(width)).enumerate() {
        let [mut new, mut old] = [new.to_vec(), old.to_vec()];
        new.sort_unstable();
        old.sort_unstable();
        assert_eq!(new, old, "row {row}");
    }
    picture::save("sorted-pixels.png", size, sorted)
}

//! Prefix sums by three kernels, as a start for your own. The operator for this is `anywarp::ops::cumulative_sum`.
//!
//! `cargo run --release --example 17_prefix_sum -- [LENGTH]`

use std::time::Instant;

use anywarp::{Device, Kernel, UnifiedBuffer, Wgsl};

const BLOCK: usize = 1024; // as the kernels say

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let length = std::env::args().nth(1).map(|text| text.parse()).transpose()?.unwrap_or(1_000_000);
    let device = Device::open_default()?;
    let prefix_sums = PrefixSums::new(&device)?;
    let values: Vec<u32> = (0..length).map(|at| (at % 7) as u32).collect();
    let x = device.buffer_from(&values)?;

    prefix_sums.of(&x)?; // the first launch of a kernel may take longer
    device.synchronize()?;
    let start = Instant::now();
    let sums = prefix_sums.of(&x)?;
    device.synchronize()?;
    println!("{}: {length} prefix sums in {:?}", device.caps().name, start.elapsed());

    let mut wanted = 0;
    for (at, (value, got)) in values.iter().zip(&*sums.read()?).enumerate() {
        wanted += value;
        assert_eq!(*got, wanted, "element {at}");
    }
    println!("the sum of all is {wanted}");
    Ok(())
}

struct PrefixSums {
    sum_blocks: Kernel,
    sum_totals: Kernel,
    add_totals: Kernel,
}

impl PrefixSums {
    fn new(device: &Device) -> anywarp::Result<Self> {
        let wgsl = Wgsl::new(include_str!("shaders/prefix_sum.wgsl")).file("prefix_sum.wgsl");
        let kernel = |entry| device.kernel(wgsl.clone().entry(entry));
        let (sum_blocks, sum_totals) = (kernel("sum_blocks")?, kernel("sum_totals")?);
        Ok(Self { sum_blocks, sum_totals, add_totals: kernel("add_totals")? })
    }

    /// `sums[k]` is `x[0] + .. + x[k]`, modulo 2^32.
    fn of(&self, x: &UnifiedBuffer<u32>) -> anywarp::Result<UnifiedBuffer<u32>> {
        let (device, blocks) = (x.device(), x.len().div_ceil(BLOCK));
        let (mut sums, mut totals) = (device.buffer::<u32>(x.len())?, device.buffer::<u32>(blocks)?);
        if blocks == 0 {
            return Ok(sums);
        }
        let launch = self.sum_blocks.launch().bind("x", x).bind("sums", &mut sums);
        launch.bind("totals", &mut totals).groups(blocks)?;
        self.sum_totals.launch().bind("totals", &mut totals).groups(1)?;
        self.add_totals.launch().bind("sums", &mut sums).bind("totals", &totals).threads(x.len())?;
        Ok(sums)
    }
}

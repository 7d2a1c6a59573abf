//! Prices of options: exponentials, logarithms, and a branch without divergence.

use rayon::prelude::*;

use super::{CHUNK, Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const COUNT: usize = 1 << 20;
const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

pub(super) fn case() -> Case {
    let uniform = |seed, least: f32, most: f32| {
        let scaled = move |value: f32| least + (most - least) * value.abs();
        random_floats(COUNT, seed).into_iter().map(scaled).collect::<Vec<f32>>()
    };
    let [stock, contract, years] =
        [(1, 5.0, 30.0), (2, 1.0, 100.0), (3, 0.25, 10.0)].map(|(seed, least, most)| uniform(seed, least, most));
    let options: Vec<[f32; 4]> = (0..COUNT).map(|at| [stock[at], contract[at], years[at], 0.0]).collect();
    let expected = options.iter().flat_map(|option| exact(option.map(f64::from)).map(|price| price as f32)).collect();
    let device_options = options.clone();
    Case {
        name: "black_scholes",
        bytes: None,
        expected: Expected::Within(expected, 2e-4),
        spmd: Spmd {
            text: include_str!("../spmd/black_scholes.ispc"),
            size: 0,
            inputs: [words(&options), Vec::new()],
            initial: vec![0; 2 * COUNT],
            units: COUNT / 16,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/black_scholes.cl"), [COUNT, 1], [64, 1]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("black_scholes.wgsl"))?;
            let options = device.buffer_from(&device_options)?;
            on_device(device, vec![[0.0f32; 2]; COUNT], move |prices| {
                let launch = kernel.launch().set("params", [RATE, VOLATILITY]);
                launch.bind("options", &options).bind("prices", prices).threads(COUNT)?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let options = options.clone();
            on_host(vec![[0.0f32; 2]; COUNT], move |prices: &mut [[f32; 2]]| {
                prices.par_chunks_mut(CHUNK).zip(options.par_chunks(CHUNK)).for_each(|(prices, options)| {
                    for (price, option) in prices.iter_mut().zip(options) {
                        *price = prices_of(*option);
                    }
                });
            })
        }),
    }
}

fn normal_distribution(d: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let series = k * (0.319_381_53 + k * (-0.356_563_78 + k * (1.781_477_9 + k * (-1.821_255_9 + k * 1.330_274_5))));
    let tail = 0.398_942_3 * (-0.5 * d * d).exp() * series;
    if d > 0.0 { 1.0 - tail } else { tail }
}

fn prices_of([stock, contract, years, _]: [f32; 4]) -> [f32; 2] {
    let deviation = VOLATILITY * years.sqrt();
    let d1 = ((stock / contract).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / deviation;
    let discounted = contract * (-RATE * years).exp();
    let call = stock * normal_distribution(d1) - discounted * normal_distribution(d1 - deviation);
    [call, call + discounted - stock]
}

/// The same prices in double precision.
fn exact([stock, contract, years, _]: [f64; 4]) -> [f64; 2] {
    let (rate, volatility) = (f64::from(RATE), f64::from(VOLATILITY));
    let normal = |d: f64| {
        let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
        let factors = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53];
        let series = factors.iter().fold(0.0, |sum, factor| (sum + factor) * k);
        let tail = 0.398_942_280_4 * (-0.5 * d * d).exp() * series;
        if d > 0.0 { 1.0 - tail } else { tail }
    };
    let deviation = volatility * years.sqrt();
    let d1 = ((stock / contract).ln() + (rate + 0.5 * volatility * volatility) * years) / deviation;
    let discounted = contract * (-rate * years).exp();
    let call = stock * normal(d1) - discounted * normal(d1 - deviation);
    [call, call + discounted - stock]
}

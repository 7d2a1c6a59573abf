//! The operations of anywarp on every device, compared with plain Rust in `f64`.
//!
//! A case's name starts with its device and its operator: `vulkan::matmul::f32::shapes`. Cases of `null` check the
//! commands for a device whose vendor has a library; those of `vulkan-phone`, `vulkan-webgpu` and `cpu-least` have the
//! limits of weaker devices; cases of `shaders` parse the files in `shaders/` and `examples/shaders/`.
//!
//! | environment variable | meaning |
//! |---|---|
//! | `ANYWARP_REQUIRE` | required backends, such as `cpu,vulkan`; a missing one is a failure |
//! | `ANYWARP_SCIPY_DIR` | the folder of results of `scipy/cases.py`, for the cases `scipy`; without it there are none |

mod activations;
mod attention;
mod complex_signals;
mod conjugate_gradients;
mod cosines;
mod decompositions;
mod dense;
mod elementwise;
mod fft;
mod fft_halves;
mod fft_properties;
mod fill_pattern;
mod histograms;
mod integer_matmul;
mod keys;
mod limits;
mod matmul;
mod merges;
mod movement;
mod multigrid;
mod random;
mod reduction;
mod rotary_embedding;
mod rows;
mod scans;
mod scipy;
mod searches;
mod segments;
mod selections;
mod shaders;
mod signals;
mod solvers;
mod sort;
mod sort_by;
mod sparse;
mod sparse_algebra;
mod sparse_files;
mod top_k;
mod triangular;
mod tuning;
mod whole_numbers;
mod windows;

use std::process::ExitCode;

use anywarp::Device;
use anywarp_testing_devices::outcome::{self, TestResult};
use anywarp_testing_devices::targets::{devices, required};
use anywarp_testing_devices::trial::{alone, on_device, presence};
use libtest_mimic::{Arguments, Trial};

/// A named case that must succeed on every device.
type Case = (String, fn(&Device) -> TestResult);

/// The name of a case within its group, and the case.
type Unnamed = (&'static str, fn(&Device) -> TestResult);

/// A named case that chooses its devices.
type Alone = (String, Box<dyn Fn() -> TestResult + Send>);

/// The cases of each operator, which run on every device.
#[rustfmt::skip] // one a line
const ON_DEVICES: &[fn() -> Vec<Case>] = &[
    activations::cases,
    attention::cases,
    conjugate_gradients::cases,
    cosines::cases,
    decompositions::cases,
    dense::cases,
    elementwise::cases,
    complex_signals::cases,
    fft::cases,
    fft_halves::cases,
    fft_properties::cases,
    fill_pattern::cases,
    histograms::cases,
    integer_matmul::cases,
    matmul::cases,
    movement::cases,
    merges::cases,
    multigrid::cases,
    random::cases,
    reduction::cases,
    rotary_embedding::cases,
    rows::cases,
    scans::cases,
    searches::cases,
    segments::cases,
    selections::cases,
    signals::cases,
    solvers::cases,
    sort::cases,
    sort_by::cases,
    sparse::cases,
    sparse_algebra::cases,
    sparse_files::cases,
    top_k::cases,
    triangular::cases,
    tuning::cases,
    windows::cases,
];

/// Cases that choose their devices.
#[rustfmt::skip] // one a line
const ALONE: &[fn() -> Vec<Alone>] = &[
    matmul::vendor_library::cases,
    shaders::cases,
];

/// The case of each operator on a checked device.
#[rustfmt::skip] // one a line
const CHECKED: &[fn() -> Alone] = &[
    activations::checked,
    attention::checked,
    conjugate_gradients::checked,
    cosines::checked,
    decompositions::checked,
    dense::checked,
    complex_signals::checked,
    fft::checked,
    fft_halves::checked,
    fill_pattern::checked,
    histograms::checked,
    integer_matmul::checked,
    movement::checked,
    merges::checked,
    multigrid::checked,
    random::checked,
    rotary_embedding::checked,
    rows::checked,
    signals::checked,
    scans::checked,
    searches::checked,
    segments::checked,
    selections::checked,
    solvers::checked,
    sort::checked,
    sort_by::checked,
    sparse::checked,
    sparse_algebra::checked,
    top_k::checked,
    triangular::checked,
    windows::checked,
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = required().into_iter().map(presence).collect();
    let devices = devices();
    for device in &devices {
        let cases = ON_DEVICES.iter().flat_map(|cases| cases());
        trials.extend(cases.map(|(name, run)| on_device(device, &name, run)));
    }
    trials.extend(limits::trials(&arguments, ON_DEVICES));
    trials.extend(scipy::trials(&devices));
    let cases = ALONE.iter().flat_map(|cases| cases()).chain(CHECKED.iter().map(|case| case()));
    trials.extend(cases.map(|(name, run)| alone(name, run)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    print!("{}", scipy::table());
    conclusion.exit_code()
}

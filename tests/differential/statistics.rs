//! Figures about the generated kernels: whether the front end accepts the kernels, and whether conditions and results
//! vary.

use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp_null::{NullBackend, NullOptions};

use crate::options::Options;
use anywarp_testing::random::Random;
use anywarp_testing::random_kernels::ast::{Program, Space};
use anywarp_testing::random_kernels::evaluate::evaluate;
use anywarp_testing::random_kernels::print::wgsl;

#[derive(Default)]
struct Numbers {
    refused: Vec<String>,
    undefined: Vec<String>,
    both_ways: u64,
    branches: u64,
    dependent: u64,
    distinct: u64,
    barriers: u64,
    workgroup: u64,
    bytes: usize,
    steps: u64,
    outside: u64,
    /// The number of kernels without an access out of range.
    inside: u64,
    evaluating: Duration,
}

/// Evaluates the kernels without a device and prints the figures.
pub(crate) fn print(options: &Options) -> bool {
    let everything = NullOptions { shader: naga::valid::Capabilities::all(), ..NullOptions::default() };
    let device = Device::from_backend(NullBackend::with(&everything));
    let mut numbers = Numbers::default();
    for seed in options.seed..options.seed + options.count() {
        numbers.add(&device, seed, options.kernel(seed));
    }
    numbers.print(options.count())
}

impl Numbers {
    fn add(&mut self, device: &Device, seed: u64, program: Program) {
        let text = wgsl(&program);
        self.bytes += text.len();
        self.barriers += u64::from(text.contains("workgroupBarrier"));
        self.workgroup += u64::from(text.contains("workgroupUniformLoad"));
        if let Err(error) = device.kernel(text.as_str()) {
            self.refused.push(format!("seed {seed}: {error}"));
        }
        let started = Instant::now();
        let outcome = match evaluate(&program) {
            Ok(outcome) => outcome,
            Err(stop) => return self.undefined.push(format!("seed {seed}: {}", stop.0)),
        };
        self.evaluating += started.elapsed();
        self.steps += outcome.steps;
        self.outside += outcome.outside;
        self.inside += u64::from(outcome.outside == 0);
        self.branches += outcome.branches.len() as u64;
        self.both_ways += outcome.branches.values().filter(|[yes, no]| *yes > 0 && *no > 0).count() as u64;
        let words = |buffers: &[Vec<u8>]| -> Vec<[u8; 4]> {
            let outputs = program.globals.iter().filter(|global| global.name == "output");
            outputs
                .flat_map(|global| buffers[global.binding.unwrap_or_default() as usize].as_chunks().0.to_vec())
                .collect()
        };
        let first = words(&outcome.buffers);
        // The hash is the sixth of each invocation's eight words.
        let hashes: std::collections::BTreeSet<_> = first.iter().skip(5).step_by(8).collect();
        self.distinct += u64::from(hashes.len() * 8 == first.len());
        let other = evaluate(&changed(&program, seed));
        let same = other
            .is_ok_and(|other| words(&other.buffers).iter().skip(5).step_by(8).eq(first.iter().skip(5).step_by(8)));
        self.dependent += u64::from(!same);
    }

    fn print(&self, count: u64) -> bool {
        for line in self.refused.iter().chain(&self.undefined) {
            println!("{line}");
        }
        let each = |sum: u64| sum / count.max(1);
        println!("{count} kernels, {} bytes of WGSL and {} steps each", each(self.bytes as u64), each(self.steps));
        println!("{} refused by the front end, {} without a defined result", self.refused.len(), self.undefined.len());
        println!("{} with barriers, {} with uniform loads", self.barriers, self.workgroup);
        println!("{} of {} conditions were both true and false", self.both_ways, self.branches);
        println!(
            "{} depend on their input, {} have a different hash for every invocation",
            self.dependent, self.distinct
        );
        println!("{} accesses out of range, {} kernels without any", self.outside, self.inside);
        println!("{:.2} ms to evaluate each", self.evaluating.as_secs_f64() * 1e3 / count.max(1) as f64);
        self.refused.is_empty() && self.undefined.is_empty()
    }
}

/// The kernel with a different input.
fn changed(program: &Program, seed: u64) -> Program {
    let mut program = program.clone();
    let mut random = Random::new(!seed);
    for global in program.globals.iter().filter(|global| global.name == "input" && global.space == Space::Input) {
        let bytes = &mut program.buffers[global.binding.unwrap_or_default() as usize];
        bytes.iter_mut().for_each(|byte| *byte = random.word() as u8);
    }
    program
}

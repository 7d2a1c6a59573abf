//! Kernels of the benches, which were not written for the inspector, against the counters of a card.
//!
//! Compilers join, move and remove accesses, so not all predictions are equal to what a card counts; `real.csv` has its
//! counters.

use anywarp::Device;
use anywarp::backend::Observations;

use super::case::{Case, Scale};
use super::cases;
use super::truth::{predicted, table};

/// The counters of a card: one line for each kernel, one column for each counter.
const COUNTERS: &str = include_str!("real.csv");

/// By how much the predictions of other counters may differ: some are estimated from 32 workgroups.
const TOLERANCE: f64 = 0.05;

/// Counters whose predictions differ by more, and the likely cause, by the text of the kernel.
const DIFFERENT: &[(&str, &[&str], &str)] = &[
    (
        "spmv_csr",
        &["requests_read", "sectors_read"],
        "the compiler reads the end of a row once, not in each turn of the loop",
    ),
    ("perlin", &["requests_read", "sectors_read"], "the compiler reads equal elements once"),
    ("knn", &["requests_written", "sectors_written"], "the card writes four words by four instructions"),
    ("box_blur", &["requests_read"], "workgroups at the ends of rows are more frequent in the sample"),
    ("jacobi", &["requests_written"], "workgroups at the ends of rows are more frequent in the sample"),
    ("nbody", &["wavefronts_read"], "the compiler reads several elements of workgroup memory at once"),
    ("kmeans", &["wavefronts_read"], "as nbody"),
    (
        "attention_scores",
        &["wavefronts_read", "wavefronts_written"],
        "as nbody, and zeros are written twice in the text",
    ),
    (
        "box_blur",
        &["wavefronts_read", "wavefronts_written"],
        "as nbody; the compiler removes zeros that are overwritten",
    ),
    ("conv7x7", &["wavefronts_written"], "the compiler removes zeros that are overwritten"),
    ("matvec", &["wavefronts_read", "wavefronts_written"], "as box_blur"),
    ("compaction", &["wavefronts_written"], "the compiler removes zeros that are overwritten"),
    ("softmax", &["wavefronts_read"], "the compiler reads equal elements once"),
    ("layernorm", &["wavefronts_read"], "as softmax"),
    ("histogram", &["wavefronts_read"], "the card counts loads of atomics as reads"),
    ("digit_counts", &["wavefronts_read"], "as histogram"),
];

fn run(device: &Device, case: &Case) -> Observations {
    let kernel = device.kernel(case.source).unwrap();
    let inputs: Vec<_> = case.inputs.iter().map(|(name, bytes)| (*name, device.buffer_from(bytes).unwrap())).collect();
    let mut outputs: Vec<_> =
        case.outputs.iter().map(|(name, bytes)| (*name, device.buffer_from(&vec![0u8; *bytes]).unwrap())).collect();
    let mut launch = kernel.launch();
    if !case.params.is_empty() {
        launch = launch.set_bytes("params", bytemuck::cast_slice(&case.params));
    }
    for (name, buffer) in &inputs {
        launch = launch.bind(name, buffer);
    }
    for (name, buffer) in &mut outputs {
        launch = launch.bind(name, buffer);
    }
    launch.groups(case.groups).unwrap();
    device.synchronize().unwrap();
    device.observations()
}

/// The kernels whose launch is small enough that a card and the processor run all of it at once.
fn all() -> impl Iterator<Item = (&'static str, Case)> {
    cases::ALL.iter().map(|(name, make)| (*name, make(Scale::Quick)))
}

#[test]
#[ignore = "the subject of a profiler"]
fn run_real_kernels_on_the_default_device() {
    let device = Device::open_default().unwrap();
    for (name, case) in all() {
        run(&device, &case);
        println!("{name}");
    }
}

/// Requests, sectors and passes over banks are those of the card, except where a compiler joined or removed accesses.
#[test]
fn real_kernels_are_predicted() {
    let device = Device::open("cpu:observed").unwrap();
    let counters = table(COUNTERS);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, case) in all() {
        let observations = run(&device, &case);
        let kernel = observations.iter().next().unwrap();
        let measured = &counters[name];
        assert_eq!(measured["workgroups"], kernel.workgroups as f64, "{name}");
        let all = kernel.workgroups as f64 / kernel.observed as f64;
        for (counter, value) in predicted(kernel).into_iter().filter(|(counter, _)| *counter != "active") {
            let (value, truth) = (value * all, measured[counter]);
            let differs = (value - truth).abs() > TOLERANCE * truth;
            let is_listed = DIFFERENT.iter().any(|(known, counters, _)| *known == name && counters.contains(&counter));
            count += 1;
            if differs != is_listed {
                let listed = if is_listed { "listed as different" } else { "not listed" };
                wrong.push(format!("{name}: {counter} predicted {value}, counted {truth}: {listed}"));
            }
        }
    }
    assert!(count >= 200 && wrong.is_empty(), "{count} compared, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

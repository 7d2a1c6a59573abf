//! Five slow programs known from articles, and their fixed forms: the first finding names the cause at its line.
//!
//! docs/results has the gains that a card measured beside the estimated ones.

use anywarp::insight::{Model, Problem, inspect};
use anywarp::{Device, Wgsl};

/// The program, its first finding, and the width of its grid; grids of one dimension have no height.
struct Slow {
    name: &'static str,
    problem: Problem,
    texts: [&'static str; 2],
    is_square: bool,
}

macro_rules! slow {
    ($name:literal, $problem:ident, $is_square:literal) => {
        Slow {
            name: $name,
            problem: Problem::$problem,
            texts: [
                include_str!(concat!("slow/", $name, ".wgsl")),
                include_str!(concat!("slow/", $name, "_fixed.wgsl")),
            ],
            is_square: $is_square,
        }
    };
}

const PROGRAMS: [Slow; 5] = [
    slow!("transpose", Scattered, true),
    slow!("tile", BankConflict, true),
    slow!("histogram", Contention, false),
    slow!("particles", Scattered, false),
    slow!("escape", UnevenLoop, false),
];

/// Runs both forms of a program on `size` x `size` elements; returns the time of each in seconds, and the reports.
fn run(device: &Device, slow: &Slow, size: u32) -> Vec<(f64, anywarp::insight::Report)> {
    let elements = (size * size) as usize;
    let x: Vec<u32> = (0..elements as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
    let x = device.buffer_from(&x).unwrap();
    let mut y = device.buffer_from(&vec![0u32; elements]).unwrap();
    let forms = slow.texts.iter().zip([slow.name.to_owned(), format!("{}_fixed", slow.name)]);
    forms
        .map(|(text, name)| {
            let wgsl = Wgsl::new(*text).file(format!("{name}.wgsl")).set_override("N", f64::from(size));
            let kernel = device.kernel(wgsl).unwrap_or_else(|error| panic!("{error}"));
            let groups = if slow.is_square { [size / 32, size / 8, 1] } else { [(size * size / 1024).min(1056), 1, 1] };
            let mut times = Vec::new();
            for _ in 0..11 {
                let mut recording = device.recording();
                recording.timed(true);
                kernel.launch().bind("x", &x).bind("y", &mut y).record(&mut recording).groups(groups).unwrap();
                let submission = recording.submit().unwrap();
                submission.wait().unwrap();
                times.push(submission.timings().unwrap().entries[0].duration.as_secs_f64());
                if device.caps().observed {
                    break;
                }
            }
            times.sort_by(f64::total_cmp);
            (times[times.len() / 2], inspect(&device.observations(), &Model::default()))
        })
        .collect()
}

#[test]
fn the_first_finding_is_the_known_cause() {
    let device = Device::open("cpu:observed").unwrap();
    for slow in &PROGRAMS {
        let reports = run(&device, slow, 512);
        let finding = reports[0].1.findings.first().unwrap_or_else(|| panic!("{}: nothing found", slow.name));
        let line = 1 + slow.texts[0].lines().position(|line| line.contains("// here")).unwrap() as u32;
        assert_eq!((finding.problem, finding.at.line), (slow.problem, line), "{}: {}", slow.name, reports[0].1);
        let same = reports[1].1.findings.iter().any(|finding| finding.problem == slow.problem);
        assert!(!same, "{}: the fixed form has the same problem: {}", slow.name, reports[1].1);
    }
}

/// Prints estimated and measured gains at a real size: run it on `cpu:observed` and on a card.
#[test]
#[ignore = "a measurement"]
fn print_gains() {
    let device = Device::open_default().unwrap();
    println!("{}", device.caps().name);
    for slow in &PROGRAMS {
        let reports = run(&device, slow, 8192);
        let estimates: Vec<f64> =
            reports.iter().map(|(_, report)| report.kernels.first().map_or(0.0, |(_, e)| e.time())).collect();
        let gain = reports[0].1.findings.first().map_or(0.0, |finding| finding.gain);
        println!(
            "{}: {:.2} us, fixed {:.2} us; estimated {:.2} us, fixed {:.2} us, gain {:.2} us",
            slow.name,
            reports[0].0 * 1e6,
            reports[1].0 * 1e6,
            estimates[0] * 1e6,
            estimates[1] * 1e6,
            gain * 1e6
        );
    }
}

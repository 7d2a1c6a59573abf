//! Registers and occupancies without a card, by NVIDIA's compiler alone, against those that a card reported.

use anywarp::Wgsl;
use anywarp::insight::{Occupancy, Usage};

use super::case::Scale;
use super::truth::table;
use super::{cases, micro};

/// The kernels whose occupancy may differ, of all: versions of the compiler give kernels different registers.
const DIFFERENT: f64 = 0.05;

/// The registers that a card reserves for an invocation at least, and reports for those that need fewer.
const LEAST: u32 = 16;

/// The usage of a kernel for `sm_90`.
fn usage(source: &str) -> Usage {
    let program = Wgsl::new(source).program(&anywarp_cuda::caps_of(90)).unwrap();
    let usage = anywarp_cuda::stages::usage(&program, false, 90).unwrap();
    Usage {
        invocations: program.workgroup_size.iter().product(),
        registers: usage.registers,
        workgroup_bytes: usage.shared_bytes,
    }
}

#[test]
fn nvrtc_predicts_the_occupancy_of_a_card() {
    if std::env::var_os("ANYWARP_NVRTC").is_none() {
        let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
        assert!(!required.contains("nvrtc"), "ANYWARP_REQUIRE has nvrtc, but ANYWARP_NVRTC is not set");
        println!("not compiled: ANYWARP_NVRTC is not set");
        return;
    }
    let micros = micro::all().into_iter().map(|micro| (micro.name.to_string(), micro.source.to_string()));
    let real = cases::ALL.iter().map(|(name, make)| (name.to_string(), make(Scale::Quick).source.to_owned()));
    let counters = [table(include_str!("counters.csv")), table(include_str!("real.csv"))];
    let (mut all, mut same, mut different) = (0, 0, Vec::new());
    for (name, source) in micros.chain(real) {
        let Some(counted) = counters.iter().find_map(|counters| counters.get(name.as_str())) else { continue };
        let predicted = usage(&source);
        let reported = Usage { registers: counted["registers"] as u32, ..predicted };
        all += 1;
        same += usize::from(predicted.registers.max(LEAST) == reported.registers);
        assert_eq!(f64::from(predicted.invocations), counted["block"], "{name}");
        assert_eq!(f64::from(predicted.workgroup_bytes), counted["shared"], "{name}");
        let [ours, card] = [predicted, reported].map(|usage| Occupancy::on((9, 0), usage).unwrap().workgroups);
        if ours != card {
            different.push(format!("{name}: {predicted:?}, {ours} workgroups, and {reported:?}, {card} on the card"));
        }
    }
    println!("{same} of {all} kernels have as many registers as on the card, {} other occupancies", different.len());
    assert!(all >= 110, "{all} kernels were compared");
    assert!(different.len() as f64 <= DIFFERENT * f64::from(all), "{}", different.join("\n"));
}

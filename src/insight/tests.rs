//! Rules and estimates, with counts made by hand.

use std::sync::Arc;

use super::*;
use crate::backend::{
    BranchCounts, LaneCounts, Mix, ObservedAccess, ObservedBranch, ObservedBuffer, ObservedKernel, ObservedSpace,
    RequestCounts, Spot, Touch,
};

fn spot(line: u32) -> Spot {
    Spot { file: "k.wgsl".into(), line, column: 5, width: 4, text: "    x[i]".into() }
}

/// A kernel of 1024 workgroups, all observed, that issues 1000 instructions in each of 8192 warps.
fn kernel() -> ObservedKernel {
    ObservedKernel {
        kernel: "k.wgsl:main".into(),
        workgroup_size: [256, 1, 1],
        workgroup_bytes: 0,
        dispatches: 1,
        workgroups: 1024,
        observed: 1024,
        buffers: Vec::new(),
        accesses: Vec::new(),
        branches: Vec::new(),
        lanes: [LaneCounts { executed: 1 << 18, issued: 1 << 18 }; 4],
        mix: Mix::default(),
    }
}

fn access(space: ObservedSpace, touch: Touch, counts: RequestCounts) -> ObservedAccess {
    ObservedAccess {
        at: spot(3),
        variable: Arc::from("x"),
        space,
        touch,
        bytes: 4,
        stride: Some(128),
        extent: [0, 4],
        common: false,
        invocations: counts.lanes,
        counts: [counts; 4],
    }
}

fn with(access: ObservedAccess) -> ObservedKernel {
    ObservedKernel { accesses: vec![access], ..kernel() }
}

fn report(kernel: ObservedKernel, model: &str) -> Report {
    let mut observations = Observations::default();
    observations.add(kernel);
    inspect(&observations, &Model::named(model).unwrap())
}

#[test]
fn scattered_reads_cost_the_sectors_that_they_do_not_need() {
    let requests = 1 << 20;
    let counts = RequestCounts {
        requests,
        lanes: 32 * requests,
        sectors: 32 * requests,
        ideal_sectors: 4 * requests,
        ..RequestCounts::default()
    };
    let kernel = with(access(ObservedSpace::Storage, Touch::Read, counts));
    let report = report(kernel, "h100");
    let finding = &report.findings[0];
    assert_eq!((finding.problem, finding.value, finding.ideal), (Problem::Scattered, 32.0, 4.0));
    // 28 of 32 sectors are wasted, 4 in a cycle of each of 132 multiprocessors.
    let expected = 28.0 * requests as f64 / 4.0 / 132.0 / 1.755e9;
    assert!((finding.gain / expected - 1.0).abs() < 1e-9, "{} {expected}", finding.gain);
    assert!(finding.share > 0.8, "{}", finding.share);
    assert!(report.to_string().contains("each request to 'x' touches 32.0 sectors of 32 bytes where 4.0 would do"));
}

#[test]
fn the_memory_that_nothing_needs_counts_as_well() {
    let requests = 1 << 20;
    let sectors = 32 * requests;
    let counts =
        RequestCounts { requests, lanes: sectors, sectors, ideal_sectors: 4 * requests, ..RequestCounts::default() };
    let mut kernel = with(access(ObservedSpace::Storage, Touch::Read, counts));
    kernel.buffers.push(ObservedBuffer { name: "x".into(), bytes: 32 * sectors, read: sectors, written: 0 });
    let report = report(kernel, "t4");
    let estimate = &report.kernels[0].1;
    assert_eq!(estimate.binding(), Resource::Memory);
    // Seven of eight bytes are not needed.
    let expected = estimate.of_resource(Resource::Memory) * 7.0 / 8.0;
    assert!(report.findings[0].gain > 0.9 * expected, "{:?}", report.findings[0]);
}

#[test]
fn conflicts_gain_nothing_while_memory_takes_longer() {
    let counts = RequestCounts {
        requests: 1000,
        lanes: 32_000,
        wavefronts: 32_000,
        ideal_wavefronts: 1000,
        ..RequestCounts::default()
    };
    let mut kernel = with(access(ObservedSpace::Workgroup, Touch::Read, counts));
    kernel.buffers.push(ObservedBuffer { name: "y".into(), bytes: 1 << 30, read: 1 << 25, written: 0 });
    let report = report(kernel, "h100");
    let finding = &report.findings[0];
    assert_eq!((finding.problem, finding.gain), (Problem::BankConflict, 0.0));
    assert!(finding.wasted > 0.0);
    assert!(report.to_string().contains("gain: none now"));
}

#[test]
fn small_deviations_are_no_findings() {
    let requests = 1000;
    let common = RequestCounts { requests, lanes: 32_000, ..RequestCounts::default() };
    // A row that begins in the middle of a sector, and a lucky gather.
    for (sectors, ideal_sectors) in [(5000, 4000), (2000, 1000), (1400, 1000)] {
        let counts = RequestCounts { sectors, ideal_sectors, ..common };
        assert!(report(with(access(ObservedSpace::Storage, Touch::Read, counts)), "h100").findings.is_empty());
    }
    let counts = RequestCounts { wavefronts: 1400, ideal_wavefronts: 1000, ..common };
    assert!(report(with(access(ObservedSpace::Workgroup, Touch::Write, counts)), "h100").findings.is_empty());
}

#[test]
fn branches_and_loops_tell_their_share() {
    let lost = BranchCounts { warps: 100, diverged: 50, lost: 1 << 17 };
    for (is_loop, problem) in [(false, Problem::DivergentBranch), (true, Problem::UnevenLoop)] {
        let branch = ObservedBranch { at: spot(7), is_loop, counts: [lost; 4] };
        let report = report(ObservedKernel { branches: vec![branch], ..kernel() }, "a100");
        let finding = &report.findings[0];
        assert_eq!((finding.problem, finding.at.line), (problem, 7));
        assert!((finding.value - 50.0).abs() < 1e-9);
        assert!(finding.help.contains("50 of 100 warps diverge"), "{}", finding.help);
    }
}

#[test]
fn counts_of_a_sample_are_scaled() {
    let sampled = ObservedKernel { observed: 32, ..kernel() };
    let (all, part) = (report(kernel(), "h100"), report(sampled, "h100"));
    let instructions = |report: &Report| report.kernels[0].1.of_resource(Resource::Instructions);
    assert!((instructions(&part) / instructions(&all) - 32.0).abs() < 1e-9);
}

#[test]
fn the_warp_size_is_that_of_the_model() {
    let columns: Vec<usize> =
        ["iris-xe", "arc-a770", "h100", "mi210"].map(|name| Model::named(name).unwrap().column()).to_vec();
    assert_eq!(columns, [0, 1, 2, 3]);
    assert!(Model::names().all(|name| Model::named(name).is_some()));
}

#[test]
fn few_workgroups_leave_multiprocessors_idle() {
    let lanes = [LaneCounts { executed: 1 << 34, issued: 1 << 34 }; 4];
    let few = ObservedKernel { workgroups: 8, observed: 8, lanes, ..kernel() };
    let report = report(few, "h100");
    assert_eq!((report.findings[0].problem, report.findings[0].value), (Problem::FewWorkgroups, 8.0));
    assert!(report.findings[0].share > 0.9);
    let many = ObservedKernel { lanes, ..kernel() };
    let report = tests::report(many, "h100");
    assert!(report.findings.is_empty(), "{report}");
}

#[test]
fn occupancy_tells_its_limiter_and_the_next_step() {
    let on = |registers, invocations, workgroup_bytes| {
        Occupancy::on((8, 0), Usage { invocations, registers, workgroup_bytes }).unwrap()
    };
    assert_eq!((on(32, 256, 0).workgroups, on(32, 256, 0).limiter), (8, Limiter::Warps));
    assert_eq!((on(16, 32, 0).workgroups, on(16, 32, 0).limiter), (32, Limiter::Workgroups));
    assert_eq!((on(128, 256, 0).workgroups, on(128, 256, 0).limiter), (2, Limiter::Registers));
    assert_eq!((on(32, 128, 48 << 10).workgroups, on(32, 128, 48 << 10).limiter), (3, Limiter::WorkgroupMemory));
    let usage = Usage { invocations: 256, registers: 72, workgroup_bytes: 0 };
    assert_eq!(Occupancy::registers_for_one_more((8, 0), usage), Some(64));
    assert_eq!(Occupancy::on((1, 0), usage), None);
}

#[test]
fn what_a_compiler_says_becomes_lines_and_findings() {
    let usage = Usage { invocations: 256, registers: 255, workgroup_bytes: 0 };
    let compiled = Compiled { capability: (9, 0), usage, private_bytes: 64, spilled_bytes: 100 };
    let mut observations = Observations::default();
    observations.add(kernel());
    let mut report = inspect(&observations, &Model::default());
    report.add_compiled("other.wgsl:main", compiled);
    assert!(report.findings.is_empty() && report.compiled.is_empty(), "{report}");
    report.add_compiled("k.wgsl:main", compiled);
    let finding = &report.findings[0];
    assert_eq!((finding.problem, &*finding.kernel, finding.value), (Problem::Spilled, "k.wgsl:main", 100.0));
    // 25 words of each of 8192 warps, each of them a request of four sectors.
    let seconds = 25.0 * 8192.0 / (132.0 * 1.755e9);
    assert!((finding.wasted / seconds - 1.0).abs() < 1e-9, "{finding:?}");
    // The sectors of the kernel take no time, so that all beyond its instructions is lost.
    let before = report.kernels[0].1.time();
    assert!((finding.gain - (seconds + report.kernels[0].1.launches - before).max(0.0)).abs() < 1e-12, "{finding:?}");
    let line = "sm_90: 255 registers, 0 bytes of workgroup memory, 100 bytes of registers spilled; 1 workgroups in a \
                multiprocessor, 12 % of its warps, limited by registers; with 128 registers, 2 workgroups and 25 %";
    assert!(report.to_string().contains(line), "{report}");
    let small = Compiled { usage: Usage { registers: 32, ..usage }, spilled_bytes: 0, ..compiled };
    report.add_compiled("k.wgsl:main", small);
    assert!(report.findings.is_empty() && report.compiled.len() == 1, "it replaces the earlier one: {report}");
    let unknown = Compiled { capability: (6, 1), ..small };
    assert!(unknown.to_string().ends_with("the occupancy of sm_61 is not known"), "{unknown}");
}

#[test]
fn one_more_workgroup_fits_with_as_many_bytes_and_no_more() {
    for capability in [(7, 5), (8, 0), (8, 9), (9, 0), (12, 0)] {
        for workgroup_bytes in [9 << 10, 20_000, 33 << 10, 60_001] {
            let usage = Usage { invocations: 64, registers: 16, workgroup_bytes };
            let Some(bytes) = Occupancy::bytes_for_one_more(capability, usage) else { continue };
            let workgroups =
                |workgroup_bytes| Occupancy::on(capability, Usage { workgroup_bytes, ..usage }).unwrap().workgroups;
            assert!(workgroups(bytes) > workgroups(workgroup_bytes), "{capability:?} {workgroup_bytes} {bytes}");
            assert_eq!(workgroups(bytes + 1), workgroups(workgroup_bytes), "{capability:?} {workgroup_bytes} {bytes}");
        }
    }
    let usage = Usage { invocations: 64, registers: 16, workgroup_bytes: 40 << 10 };
    assert!(Occupancy::bytes_for_one_more((9, 0), usage).is_some());
    let endless = Usage { invocations: 64, registers: u32::MAX, workgroup_bytes: u32::MAX };
    assert_eq!(Occupancy::on((9, 0), endless).map(|now| now.workgroups), Some(0));
    assert_eq!(Occupancy::registers_for_one_more((9, 0), Usage { workgroup_bytes: 0, ..endless }), Some(255));
    let free = Usage { workgroup_bytes: 0, ..usage };
    assert_eq!(Occupancy::bytes_for_one_more((9, 0), free), None);
}

/// A load of one element of 4 bytes that each of the kernel's invocations makes 16 times.
fn uniform_load() -> ObservedKernel {
    let requests = 16 * 8192;
    let counts = RequestCounts {
        requests,
        lanes: 32 * requests,
        sectors: requests,
        ideal_sectors: requests,
        uniform: requests,
        ..RequestCounts::default()
    };
    let access = access(ObservedSpace::Storage, Touch::Read, counts);
    let mut kernel = with(ObservedAccess { common: true, stride: Some(0), ..access });
    kernel.buffers.push(ObservedBuffer { name: "x".into(), bytes: 4, read: 1024, written: 0 });
    kernel
}

#[test]
fn repeated_loads_of_the_same_places_are_findings() {
    type Edit = fn(&mut ObservedKernel);
    let found = report(uniform_load(), "h100");
    let finding = &found.findings[0];
    assert_eq!((finding.problem, finding.value, finding.ideal), (Problem::UniformLoad, 16.0, 1.0));
    assert!(finding.help.contains("the same element each time"), "{finding}");
    let mut table = uniform_load();
    table.accesses[0].extent = [0, 64];
    let found = report(table.clone(), "h100");
    assert!(found.findings[0].help.contains("bind 'x' as var<uniform>"), "{found}");

    let changes: [(&str, Edit); 7] = [
        ("lanes read different places", |kernel| kernel.accesses[0].common = false),
        ("the buffer is written", |kernel| kernel.buffers[0].written = 1),
        ("the table is too large for a uniform", |kernel| kernel.accesses[0].extent = [0, 65_540]),
        ("only the start of a large table was observed", |kernel| {
            kernel.buffers[0].bytes = 1 << 20;
            kernel.accesses[0].invocations *= 64;
        }),
        ("each invocation loads it once", |kernel| kernel.accesses[0].invocations /= 16),
        ("warps have one lane", |kernel| kernel.accesses[0].counts[2].uniform = 0),
        ("another access differs", |kernel| {
            let other = ObservedAccess { at: spot(9), common: false, ..kernel.accesses[0].clone() };
            kernel.accesses.push(other);
        }),
    ];
    for (why, change) in changes {
        let mut kernel = table.clone();
        change(&mut kernel);
        assert!(report(kernel, "h100").findings.is_empty(), "{why}");
    }
}

//! Timelines of events made by hand.

use std::time::Duration;

use anywarp_backend::Clock;

use super::*;
use crate::insight::Pitfall;

const fn us(count: u64) -> Duration {
    Duration::from_micros(count)
}

fn event(at: u64, event: Event) -> Observed {
    Observed { at: us(at), event }
}

fn submission(at: u64, number: u64) -> Observed {
    event(at, Event::Submission { stream: 0, number, commands: 1 })
}

/// A kernel that ran from `start` to `end` on a clock that is 1 s ahead of the host's, and was noticed at `at`.
fn command(at: u64, submission: u64, label: &str, start: u64, end: u64) -> Observed {
    let (start, end) = (us(1_000_000 + start), us(1_000_000 + end));
    event(at, Event::Command { stream: 0, submission, label: label.into(), start, end, clock: Clock::Device })
}

fn profile(events: Vec<Observed>, end: u64) -> Profile {
    Profile::of(events, (Duration::ZERO, us(end)), 0)
}

#[test]
fn clocks_are_aligned_within_the_stated_uncertainty() {
    let events =
        vec![submission(100, 1), command(400, 1, "a", 110, 300), submission(500, 2), command(720, 2, "b", 504, 700)];
    let profile = profile(events, 800);
    // The bounds: 500 - 504 and 720 - 700, apart from the second between the clocks.
    assert_eq!(profile.uncertainty, us(12));
    let starts: Vec<i64> = profile.spans.iter().map(|span| span.start.as_micros() as i64).collect();
    assert!((starts[0] - 118).abs() <= 1 && (starts[1] - 512).abs() <= 1, "{starts:?}");
}

#[test]
fn idle_time_has_causes() {
    let miss = Event::CompileMiss { kernel: "b".into(), took: us(200) };
    let events = vec![
        submission(100, 1),
        command(300, 1, "a", 100, 300),
        event(600, miss),
        submission(700, 2),
        command(950, 2, "b", 750, 950),
    ];
    let idle = profile(events, 1000).idle();
    assert_eq!(idle.busy, us(400));
    assert_eq!(idle.compiling, us(200));
    // Before the first submission, between the kernels, and after the last one.
    assert_eq!(idle.host, us(100 + 200 + 50));
    assert_eq!(idle.other, us(50));
    assert_eq!(idle.busy + idle.compiling + idle.host + idle.other, us(1000));
}

#[test]
fn tables_sum_the_runs_of_each_kernel() {
    let events =
        vec![submission(0, 1), command(100, 1, "a", 0, 10), command(100, 1, "b", 10, 60), command(100, 1, "a", 60, 90)];
    let profile = profile(events, 100);
    let rows = profile.table(Sort::Total);
    assert_eq!((&*rows[0].label, rows[0].count, rows[0].total), ("b", 1, us(50)));
    assert_eq!((rows[1].total, rows[1].mean(), rows[1].least, rows[1].most), (us(40), us(20), us(10), us(30)));
    assert!((rows[0].share - 5.0 / 9.0).abs() < 1e-9);
    assert_eq!(&*profile.table(Sort::Count)[0].label, "a");
    assert!(profile.text(Sort::Total).lines().nth(1).unwrap().ends_with("b"));
}

#[test]
fn traces_have_spans_arrows_and_counters() {
    let events = vec![
        event(1, Event::Allocation { bytes: 8, live: 24 }),
        event(2, Event::Upload { bytes: 8 }),
        submission(5, 7),
        command(100, 7, "k.wgsl:\"main\"", 10, 60),
        event(100, Event::Wait { took: us(20) }),
    ];
    let trace = profile(events, 120).trace();
    for part in [
        r#""ph":"X","tid":10,"cat":"kernel","name":"k.wgsl:\"main\"""#,
        r#""ph":"s","tid":1,"cat":"flow","name":"submission","id":7,"ts":5.000"#,
        r#""ph":"f","bp":"e","tid":10,"cat":"flow","name":"submission","id":7"#,
        r#""ph":"C","name":"buffers","ts":1.000,"args":{"bytes":24}"#,
        r#""cat":"wait","name":"wait","ts":80.000,"dur":20.000"#,
        r#""name":"upload","ts":2.000,"args":{"bytes":8}"#,
        r#""args":{"name":"stream 0"}"#,
    ] {
        assert!(trace.contains(part), "{part}: {trace}");
    }
    let depth = |open: char, close: char| trace.matches(open).count() == trace.matches(close).count();
    assert!(depth('{', '}') && depth('[', ']'));
}

fn pitfalls(events: Vec<Observed>, end: u64) -> Vec<Pitfall> {
    profile(events, end).advice().into_iter().map(|advice| advice.pitfall).collect()
}

#[test]
fn each_pitfall_is_found_alone() {
    let tiny = (0..30).flat_map(|k| [submission(k * 4, k), command(k * 4 + 4, k, "k", k * 4, k * 4 + 3)]).collect();
    assert_eq!(pitfalls(tiny, 120), [Pitfall::TinyKernels]);
    let transfers = (0..15)
        .flat_map(|k| [event(k, Event::Upload { bytes: 1 << 20 }), event(k, Event::Download { bytes: 1 << 20 })]);
    assert_eq!(pitfalls(transfers.collect(), 100), [Pitfall::TransfersBackAndForth]);
    let waits = (0..30).flat_map(|k| {
        let at = k * 100;
        [submission(at, k), command(at + 95, k, "k", at, at + 90), event(at + 95, Event::Wait { took: us(95) })]
    });
    assert_eq!(pitfalls(waits.collect(), 3000), [Pitfall::WaitsInTheLoop]);
    let starved = (0..30).flat_map(|k| [submission(k * 100, k), command(k * 100 + 30, k, "k", k * 100, k * 100 + 30)]);
    assert_eq!(pitfalls(starved.collect(), 3000), [Pitfall::StarvedDevice]);
    let compiled = (1..4).map(|k| event(k * 100, Event::CompileMiss { kernel: "k".into(), took: us(50) }));
    assert_eq!(pitfalls(compiled.collect(), 400), [Pitfall::Recompilation]);
    let churn = (0..25)
        .flat_map(|k| [event(k, Event::Allocation { bytes: 4, live: 4 }), event(k, Event::Free { bytes: 4, live: 0 })]);
    assert_eq!(pitfalls(churn.collect(), 100), [Pitfall::AllocationChurn]);
}

#[test]
fn a_good_program_gets_no_advice() {
    let good = (0..30).flat_map(|k| [submission(k * 10, k), command(3100, k, "k", 300 + k * 90, 300 + k * 90 + 89)]);
    assert_eq!(pitfalls(good.collect(), 3100), []);
}

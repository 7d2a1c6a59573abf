//! Timelines of events made by hand.

use std::time::Duration;

use anywarp_backend::Clock;

use super::*;
use crate::insight::Pitfall;

const fn us(count: u64) -> Duration {
    Duration::from_micros(count)
}

fn event(at: u64, event: Event) -> Observed {
    Observed { at: us(at), thread: 0, event }
}

fn submission(at: u64, number: u64) -> Observed {
    event(at, Event::Submission { stream: 0, number, commands: 1, took: us(2) })
}

/// A kernel that ran from `start` to `end` on a clock that is 1 s ahead of the host's, and was noticed at `at`.
fn command(at: u64, submission: u64, label: &str, start: u64, end: u64) -> Observed {
    of_workgroups(None, at, submission, label, start, end)
}

fn of_workgroups(workgroups: Option<u64>, at: u64, submission: u64, label: &str, start: u64, end: u64) -> Observed {
    let (start, end, label) = (us(1_000_000 + start), us(1_000_000 + end), label.into());
    event(at, Event::Command { stream: 0, submission, label, workgroups, start, end, clock: Clock::Device })
}

fn profile(events: Vec<Observed>, end: u64) -> Profile {
    Profile::of(events, (Duration::ZERO, us(end)))
}

#[test]
fn clocks_are_aligned_within_the_stated_uncertainty() {
    let events =
        vec![submission(100, 1), command(400, 1, "a", 110, 300), submission(500, 2), command(720, 2, "b", 504, 700)];
    let profile = profile(events, 800);
    // The bounds: 500 - 504 and 720 - 700, apart from the second between the clocks.
    assert_eq!(profile.uncertainty, us(12));
    let starts: Vec<i64> = profile.of_kind(SpanKind::Kernel).map(|span| span.start.as_micros() as i64).collect();
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

/// A resident kernel is busy while it has messages, and idle otherwise.
#[test]
fn rings_are_rows_of_their_own() {
    let activity = |at: u64, took: u64, resident: bool| {
        let (name, took, busy) = ("ring:echo".into(), us(took), us(2 * took));
        event(at, Event::Activity { name, took, messages: 5, busy, parts: 4, resident })
    };
    let step = |at: u64, step: &str| event(at, Event::Step { name: "ring:echo".into(), step: step.into() });
    let events = vec![
        step(10, "started"),
        activity(300, 100, true),
        submission(350, 1),
        command(450, 1, "a", 350, 450),
        activity(460, 60, true),
        step(900, "ended"),
    ];
    let timeline = profile(events, 1000);
    let rows = timeline.rings();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].count, rows[0].messages, rows[0].total), (2, 10, us(160)));
    assert!((rows[0].busy - 0.08).abs() < 1e-9, "{}", rows[0].busy);
    assert_eq!(rows[0].steps, [(us(10), "started".into()), (us(900), "ended".into())]);
    let idle = timeline.idle();
    // The ring from 200 to 300, the kernel from 350 to 450, and the ring until 460.
    assert_eq!((idle.busy, idle.host), (us(210), us(790)));
    assert!(timeline.text(Sort::Total).contains("ring:echo: 10 messages in 2 times, 0.160 ms in all"));
    assert!(timeline.text(Sort::Total).contains("8.0% of the time; started, ended\n"));
    let trace = timeline.trace();
    for part in [
        r#""ph":"X","tid":9000,"cat":"ring","name":"ring:echo","ts":200.000,"dur":100.000,"args":{"messages":5,"busy":0.500}"#,
        r#""ph":"i","s":"t","tid":9000,"cat":"step","name":"started","ts":10.000"#,
        r#""tid":9000,"name":"thread_name","args":{"name":"ring:echo"}"#,
    ] {
        assert!(trace.contains(part), "{part}: {trace}");
    }
    // Launches show the time of a ring in batches.
    assert_eq!(profile(vec![activity(300, 100, false)], 1000).idle().busy, Duration::ZERO);
}

#[test]
fn copies_explain_idle_time_once() {
    let copy = |at, took| event(at, Event::HostCopy { bytes: 8, to_buffer: true, took: us(took) });
    let miss = |at, took| event(at, Event::CompileMiss { kernel: "b".into(), took: us(took) });
    let events = vec![
        submission(0, 1),
        command(100, 1, "a", 0, 100),
        copy(300, 150), // from 150 on
        miss(250, 50),  // from 200 on, in the middle of the copy
        copy(320, 100), // overlaps the first one
        submission(400, 2),
        command(500, 2, "a", 400, 500),
    ];
    let idle = profile(events, 500).idle();
    assert_eq!((idle.busy, idle.compiling, idle.transfer), (us(200), us(50), us(120)));
    assert_eq!((idle.host, idle.other), (us(130), us(0)));
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
        event(3, Event::Upload { bytes: 16 }),
        submission(5, 7),
        event(100, Event::Ended { number: 7 }),
        command(100, 7, "k.wgsl:\"main\"", 10, 60),
        event(
            100,
            Event::Transfer {
                stream: 0,
                submission: 7,
                is_fill: false,
                bytes: 24,
                start: us(1_000_005),
                end: us(1_000_010),
            },
        ),
        event(100, Event::Wait { took: us(20) }),
        Observed { thread: 3, ..event(110, Event::Scope { name: "load".into(), took: us(60) }) },
    ];
    let trace = profile(events, 120).trace();
    for part in [
        r#""ph":"X","tid":10,"cat":"copy","name":"copy","ts":25.000,"dur":5.000,"args":{"bytes":24}"#,
        r#""ph":"X","tid":10,"cat":"kernel","name":"k.wgsl:\"main\"""#,
        r#""ph":"s","tid":1,"cat":"flow","name":"submission","id":7,"ts":5.000"#,
        r#""ph":"f","bp":"e","tid":10,"cat":"flow","name":"submission","id":7"#,
        r#""ph":"C","name":"buffers","ts":1.000,"args":{"bytes":24}"#,
        r#""tid":1,"cat":"submission","name":"submission","ts":5.000,"dur":2.000,"args":{"submission":7}"#,
        r#""ph":"C","name":"bytes in flight","ts":2.000,"args":{"bytes":8}"#,
        r#""ph":"C","name":"bytes in flight","ts":3.000,"args":{"bytes":24}"#,
        r#""ph":"C","name":"bytes in flight","ts":100.000,"args":{"bytes":0}"#,
        r#""tid":1,"cat":"wait","name":"wait","ts":80.000,"dur":20.000"#,
        r#""tid":10003,"cat":"scope","name":"load","ts":50.000,"dur":60.000"#,
        r#""tid":10003,"name":"thread_name","args":{"name":"thread 3"}"#,
        r#""name":"upload","ts":2.000,"args":{"bytes":8}"#,
        r#""args":{"name":"stream 0"}"#,
        r#""otherData":{"producer":"anywarp","duration_us":120.000,"busy_us":50.000,"#,
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

#[test]
fn comparisons_have_all_rows_and_the_greatest_differences_first() {
    let compiled = |took| event(1000, Event::CompileMiss { kernel: "b".into(), took: us(took) });
    let base = vec![submission(0, 1), command(100, 1, "a", 0, 10), command(100, 1, "b", 10, 60), compiled(100)];
    let new =
        vec![submission(0, 2), command(100, 2, "b", 0, 20), command(100, 2, "b", 20, 45), command(100, 2, "c", 45, 46)];
    let comparison = profile(new, 500).compare(&profile(base, 1000));
    let rows: Vec<_> = comparison.rows.iter().map(|row| (row.kind, &*row.label)).collect();
    use SpanKind::{Compile, Kernel, Submission};
    assert_eq!(rows, [(Compile, "b"), (Kernel, "a"), (Kernel, "b"), (Kernel, "c"), (Submission, "submission")]);
    let b = &comparison.rows[2];
    assert_eq!((b.count, b.total), (Pair { before: 1, after: 2 }, Pair { before: us(50), after: us(45) }));
    assert_eq!((b.mean().before, b.mean().after), (us(50), Duration::from_nanos(22_500)));
    assert!((b.total.difference() + 5e-6).abs() < 1e-12);
    assert_eq!((comparison.rows[3].count.before, comparison.rows[3].mean().before), (0, Duration::ZERO));
    assert_eq!(comparison.duration, Pair { before: us(1000), after: us(500) });
    assert_eq!((comparison.idle.before.busy, comparison.idle.after.busy), (us(60), us(46)));
}

#[test]
fn a_printed_comparison_fits_eighty_columns() {
    let long = "a_module_with_a_long_name.wgsl:an_entry_point_with_a_long_name";
    let base = vec![submission(0, 1), command(100, 1, long, 0, 10)];
    let new = vec![
        submission(0, 2),
        command(9_000_000, 2, long, 0, 8_765_432),
        command(9_000_000, 2, "short", 8_765_432, 8_765_433),
    ];
    let text = profile(new, 9_000_000).compare(&profile(base, 100)).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    assert!(lines[2].starts_with("  0.0100 8765.432 +8765.422"), "{text}");
    assert!(lines[2].ends_with("…int_with_a_long_name"), "{text}");
    assert!(lines[3].ends_with("0     1  short"), "{text}");
    let division = [("kernels ran", "8765.433"), ("the whole time", "9000.000")];
    for (name, after) in division {
        assert!(lines.iter().any(|line| line.ends_with(name) && line.contains(after)), "{name}: {text}");
    }
}

#[test]
fn copies_on_the_host_are_needless_where_the_memory_is_shared() {
    let copies = |took: u64| -> Vec<Observed> {
        let copy =
            |k: u64| event(k * 10 + 10, Event::HostCopy { bytes: 100, to_buffer: k.is_multiple_of(2), took: us(took) });
        (0..30).map(copy).collect()
    };
    let unified = Profile { unified: true, ..profile(copies(5), 300) };
    let [advice] = &unified.advice()[..] else { panic!("{:?}", unified.advice()) };
    assert_eq!((advice.pitfall, advice.cost), (Pitfall::NeedlessCopies, us(150)));
    assert!(advice.evidence.contains("30 times, 3000 bytes"), "{advice}");
    assert_eq!(profile(copies(5), 300).advice(), [], "memory of its own needs them");
    assert_eq!(Profile { unified: true, ..profile(copies(5), 100_000) }.advice(), [], "they cost little");
}

#[test]
fn grids_that_leave_multiprocessors_idle_are_found() {
    let launches = |workgroups: Option<u64>| {
        let launch = |k: u64| of_workgroups(workgroups, 1000, 1, "k", k * 100, k * 100 + 100);
        let events = std::iter::once(submission(0, 1)).chain((0..10).map(launch)).collect();
        Profile { multiprocessors: Some(100), ..profile(events, 1000) }
    };
    for (workgroups, cost) in [(Some(25), us(750)), (Some(101), us(495))] {
        let found = launches(workgroups).advice();
        let [advice] = &found[..] else { panic!("{workgroups:?}: {found:?}") };
        assert_eq!(advice.pitfall, Pitfall::UnevenGrid);
        assert!(advice.cost.abs_diff(cost) < us(1), "{advice}");
        assert!(advice.evidence.contains(&format!("'k' has {}", workgroups.unwrap())), "{advice}");
    }
    for even in [None, Some(100), Some(76), Some(390), Some(1001)] {
        assert_eq!(launches(even).advice(), [], "{even:?}");
    }
    assert_eq!(Profile { multiprocessors: None, ..launches(Some(25)) }.advice(), []);
}

#[test]
fn long_timelines_take_seconds_at_most() {
    let launches = (0..20_000).flat_map(|k| {
        let at = k * 10;
        [submission(at, k), event(at + 9, Event::Ended { number: k }), command(at + 9, k, "k", at + 2, at + 8)]
    });
    let profile = profile(launches.collect(), 200_000);
    let began = std::time::Instant::now();
    let (idle, trace) = (profile.idle(), profile.trace());
    assert_eq!(idle.busy, us(120_000));
    assert_eq!(trace.matches("\"ph\":\"s\"").count(), 20_000);
    assert!(!profile.advice().is_empty());
    // No launch is compared with all events, which would take far longer.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

//! Tests how a run of conformance cases chooses a sample, reads its options, treats known failures, and sums up.

use std::path::PathBuf;

use clap::Parser;

use anywarp_testing_devices::cts::case_file::Name;
use anywarp_testing_devices::cts::known;
use anywarp_testing_devices::cts::options::Options;
use anywarp_testing_devices::cts::outcome::Outcome;
use anywarp_testing_devices::cts::report::Tally;
use anywarp_testing_devices::cts::sample::Sample;

fn name(query: &str, sub: &str) -> Name {
    Name { query: query.to_owned(), sub: sub.to_owned() }
}

#[test]
fn a_sample_is_stable_and_of_about_its_size() {
    let sample = |percent, seed| Sample { percent, seed };
    let chosen =
        |seed| (0..10_000).filter(|i| sample(5.0, seed).contains(&name(&format!("q{i}"), ""))).collect::<Vec<_>>();
    assert_eq!(chosen(1), chosen(1));
    assert_ne!(chosen(1), chosen(2));
    assert!((400..600).contains(&chosen(1).len()), "{}", chosen(1).len());
    assert_eq!(chosen(1)[..3], FIRST_OF_SEED_1);
    assert!((0..100).all(|i| sample(100.0, 7).contains(&name("q", &i.to_string()))));
    assert!((0..100).all(|i| !sample(0.0, 7).contains(&name("q", &i.to_string()))));
}

/// Pinned, because samples must be the same in all versions to be comparable.
const FIRST_OF_SEED_1: [i32; 3] = [39, 59, 100];

#[test]
fn options_are_read() {
    let parse = |line: &str| Options::try_parse_from(["cts"].into_iter().chain(line.split_whitespace()));
    let line = "--device vulkan --staged --filter=a=b --sample 5 --seed 1 --jobs 3 --list-failures cases";
    let options = parse(line).unwrap();
    assert_eq!(options.for_worker(), ["--worker", "--device", "vulkan", "--staged"]);
    assert_eq!(options.filter.as_deref(), Some("a=b"));
    assert!(matches!(options.sample.sample(), Some(Sample { percent: 5.0, seed: 1 })));
    assert_eq!((options.jobs, options.list_failures, options.dir), (3, true, Some(PathBuf::from("cases"))));
    assert!(parse("--nocapture --test-threads=1 --format pretty -q").is_ok());
    for bad in ["--sample", "--sample x", "--unknown", "one two"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

const LIST: &str =
    "# comment\n\nllvmpipe | webgpu:a,b:c op=\"|\"; | naga: wrong | got 3\n* | webgpu:a,z one=1 two= | driver | x\n";

#[test]
fn known_failures_fit_by_device_query_and_sub() {
    let list = known::parse(LIST).unwrap();
    let found = |device, query, sub| known::find(&list, device, &name(query, sub)).is_some();
    assert!(found("vulkan:0 LLVMpipe (LLVM 15)", "webgpu:a,b:c=1", "x;op=\"|\";y"));
    assert!(!found("vulkan:0 SwiftShader", "webgpu:a,b:c=1", "x;op=\"|\";y"));
    assert!(!found("vulkan:0 llvmpipe", "webgpu:a,b:c=1", "x"));
    assert!(!found("vulkan:0 llvmpipe", "webgpu:a,b", "op=\"|\";"));
    assert!(found("metal", "webgpu:a,z,y", "two=2;one=1"));
    assert!(!found("metal", "webgpu:a,z,y", "one=1"));
    for bad in ["llvmpipe | q", "llvmpipe | q | r", "| q | r | f", "llvmpipe | q | r |  "] {
        assert!(known::parse(bad).is_err(), "{bad}");
    }
    known::parse(known::LIST).unwrap();
}

#[test]
fn a_known_failure_must_fail() {
    let list = known::parse(LIST).unwrap();
    let judge = |outcome| list[0].judge(outcome);
    let listed = judge(Outcome::failed("wrong results\nword 1: expected 2, got 3"));
    assert!(matches!(listed, Outcome::Skipped { reason } if reason.contains("naga: wrong")));
    for other in ["panicked", "wrong results\nword 1: expected 2, got 4"] {
        assert!(matches!(judge(Outcome::failed(other)), Outcome::Failed(failure) if failure.contains("line 3")));
    }
    assert!(matches!(judge(Outcome::Passed), Outcome::Failed(failure) if failure.cause.contains("remove line 3")));
    let skipped = Outcome::Skipped { reason: "no f16".to_owned() };
    assert_eq!(judge(skipped.clone()), skipped);
}

#[test]
fn the_summary_counts() {
    let mut tally = Tally::default();
    tally.add(&name("q", "s"), Outcome::Passed);
    tally.add(&name("q", "s"), Outcome::failed("refused\nwhy"));
    for reason in ["a", "b", "b"] {
        tally.add(&name("q", ""), Outcome::Skipped { reason: reason.to_owned() });
    }
    let mut total = Tally::default();
    total.merge(tally);
    assert_eq!(total.to_string(), "1 passed, 1 failed, 3 skipped");
    assert_eq!(total.reasons(), "      2 skipped: b\n      1 skipped: a\n");
    assert_eq!(total.failures(), "FAILED q\n  sub: s\n  refused\n    why\n");
}

//! The fuzzers' functions on a stable compiler: the seeds, and random changes of them.
//!
//! `ANYWARP_FUZZ_SECONDS` is the time for each function, `ANYWARP_FUZZ_SEED` the seed of the changes. An input that
//! fails is written to `target/fuzz/NAME`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use anywarp_fuzz::TARGETS;
use anywarp_testing::random::Random;

/// Replacements for bytes of a seed: numbers at the ends of their ranges, and words with a meaning.
const PIECES: &[&str] = &[
    "4294967295u",
    "-2147483648",
    "0",
    "1e38",
    "array<",
    "ptr<function,",
    "((((",
    "}",
    "import ",
    "@if(wide)",
    "@size(",
    "workgroupBarrier();",
    "loop {",
    "vec4<f16>",
    "\u{0}",
    "\u{ff}",
    "\"",
    ",,,",
    "(9223372036854775807,)",
    "\n---\n",
];

#[test]
fn no_function_panics() {
    let seconds = variable("ANYWARP_FUZZ_SECONDS").unwrap_or(2);
    let seed = variable("ANYWARP_FUZZ_SEED").unwrap_or(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, folder, target) in TARGETS {
        let mut seeds: Vec<Vec<u8>> = files(&root.join("seeds").join(folder));
        assert!(*name == "cache" || !seeds.is_empty(), "{name} has no seeds");
        seeds.push(Vec::new());
        let mut random = Random::from_state(seed);
        let (start, mut tries) = (Instant::now(), 0);
        while tries < seeds.len() || start.elapsed() < Duration::from_secs(seconds) {
            let bytes = seeds.get(tries).cloned().unwrap_or_else(|| changed(&seeds, &mut random));
            let began = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            let slow = began.elapsed() > Duration::from_secs(60);
            if outcome.is_err() || slow {
                let kept = root.join("../target/fuzz").join(name);
                fs::create_dir_all(kept.parent().unwrap()).unwrap();
                fs::write(&kept, &bytes).unwrap();
                println!("{name} failed after {tries} tries, {:?}: {}", began.elapsed(), kept.display());
                assert!(!slow, "{name} takes too long");
            }
            outcome.unwrap_or_else(|panic| resume_unwind(panic));
            tries += 1;
        }
        println!("{name}: {tries} tries");
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// The contents of the files of a folder, sorted by name; empty if the folder does not exist.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A seed with up to eight changes: bytes flipped, removed, replaced, or taken from another seed.
fn changed(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..end, PIECES[random.below(PIECES.len())].bytes())),
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let until = (from + random.below(200)).min(other.len());
                bytes.splice(at..end, other[from..until].iter().copied());
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

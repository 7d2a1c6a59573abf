//! The front end never panics and never overflows the stack, whatever text it is given; nor does the compiler for the
//! processor, given what the front end lets through.
//!
//! ```text
//! cargo test --release --test front_end -- [OPTION..]
//!
//! --count N     how many mutated texts (as many as 12 seconds allow where absent)
//! --seed S      the first one's seed (0 where absent)
//! --print S     only print the text of seed S
//! --nested      only the texts that are nested deeply, or ask for too much
//! --device D    the damaged texts go to this device, too (only the nested ones go to `cpu` where absent)
//! ```
//!
//! Texts that nest deeply, or ask for huge sizes, come first; then shaders and generated kernels with random damage.
//! They are read in child processes, on threads with 2 MiB of stack, so that an overflow is caught and named.

#[path = "front_end/damage.rs"]
mod damage;
#[path = "differential/mod.rs"]
#[allow(dead_code, reason = "only its kernels are of use here")]
mod differential;
#[path = "front_end/nested.rs"]
mod nested;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp_null::{NullBackend, NullOptions};

/// What a thread has by default; a program's main thread has more.
const STACK: usize = 2 << 20;

/// How long the damaged texts take that were given no count.
const QUICK: Duration = Duration::from_secs(12);

#[derive(Default)]
struct Options {
    count: Option<u64>,
    seed: u64,
    print: Option<u64>,
    nested: bool,
    device: Option<String>,
    /// This process is a child, and reads the nested texts from this one on, or the damaged ones.
    child: Option<String>,
}

fn main() -> ExitCode {
    let Some(options) = parse() else { return ExitCode::SUCCESS };
    if let Some(seed) = options.print {
        print!("{}", damage::text(seed));
        return ExitCode::SUCCESS;
    }
    if let Some(kind) = &options.child {
        read_texts(kind, &options);
        return ExitCode::SUCCESS;
    }
    let mut failures = Vec::new();
    let mut texts = 0;
    for device in ["null", "cpu"] {
        texts += run("nested", device, 0, nested::texts().len() as u64, None, &mut failures);
    }
    if !options.nested {
        let limit = options.count.is_none().then(|| Instant::now() + QUICK);
        let end = options.seed + options.count.unwrap_or(u64::MAX / 2);
        let device = options.device.as_deref().unwrap_or("null");
        texts += run("damaged", device, options.seed, end, limit, &mut failures);
    }
    for failure in &failures {
        println!("{failure}");
    }
    println!("{texts} texts, {} failures", failures.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse() -> Option<Options> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|value| value.parse().ok());
        match argument.as_str() {
            "--count" => options.count = number(),
            "--seed" => options.seed = number().unwrap_or_default(),
            "--print" => options.print = number(),
            "--nested" => options.nested = true,
            "--device" => options.device = arguments.next(),
            "--child" => options.child = arguments.next(),
            // Options of the standard harness, which `cargo test` hands to every test.
            option if option.starts_with('-') => {}
            // `cargo test NAME` hands NAME to every test.
            _ => return None,
        }
    }
    Some(options)
}

/// The child: says which text comes, and what became of it.
fn read_texts(kind: &str, options: &Options) {
    let everything = NullOptions { shader: naga::valid::Capabilities::all(), ..NullOptions::default() };
    let device = match options.device.as_deref() {
        None | Some("null") => Device::from_backend(NullBackend::with(&everything)),
        Some(selector) => match Device::open(selector) {
            Ok(device) => device,
            Err(error) => return say(&format!("skipped {error}")),
        },
    };
    let nested = if kind == "nested" { nested::texts() } else { Vec::new() };
    let count = options.count.unwrap_or(u64::MAX / 2);
    for number in options.seed..options.seed.saturating_add(count) {
        let (name, text) = match nested.get(number as usize) {
            Some((name, make)) => (name.clone(), make()),
            None if kind == "nested" => return,
            None => (String::new(), damage::text(number)),
        };
        say(&format!("starts {number} {name}"));
        let device = device.clone();
        let work = move || drop(device.kernel(text.as_str()));
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
        let fine = thread.is_ok_and(|thread| thread.join().is_ok());
        say(if fine { "fine" } else { "panicked" });
    }
}

fn say(line: &str) {
    // A parent that listens no more has ended this process too.
    drop(writeln!(std::io::stdout(), "{line}"));
}

/// Reads the texts from `first` on in child processes, and returns how many.
fn run(kind: &str, device: &str, first: u64, end: u64, limit: Option<Instant>, failures: &mut Vec<String>) -> u64 {
    let mut next = first;
    let in_time = || limit.is_none_or(|limit| Instant::now() < limit);
    while next < end && in_time() && failures.len() < 40 {
        let Ok(program) = std::env::current_exe() else { break };
        let (seed, count) = (next.to_string(), (end - next).to_string());
        let child = Command::new(program)
            .args(["--child", kind, "--device", device, "--seed", &seed, "--count", &count])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            failures.push("no child process can be started".to_owned());
            break;
        };
        let errors = child.stderr.take().map(|errors| {
            std::thread::spawn(move || {
                let lines = BufReader::new(errors).lines().map_while(Result::ok);
                lines.filter(|line| line.contains("panicked at") || line.contains("overflowed")).last()
            })
        });
        let (mut running, mut panics) = (None, Vec::new());
        for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
            if let Some(reason) = line.strip_prefix("skipped ") {
                println!("{kind} texts on {device}: skipped, {reason}");
                drop(child.wait());
                return 0;
            }
            match line.strip_prefix("starts ") {
                Some(name) => {
                    next += 1;
                    running = Some(name.to_owned());
                }
                None => {
                    let name = running.take().unwrap_or_default();
                    if line == "panicked" {
                        panics.push(format!("{kind} on {device} {name}: panicked"));
                    }
                }
            }
            if !in_time() || panics.len() > 8 {
                break;
            }
        }
        let in_time = in_time();
        if !in_time || panics.len() > 8 {
            drop(child.kill());
        }
        let status = child.wait().map(|status| status.to_string()).unwrap_or_default();
        let words = errors.and_then(|thread| thread.join().ok()).flatten().unwrap_or_default();
        failures.extend(panics.into_iter().map(|panic| format!("{panic}; the last one: {words}")));
        if let Some(name) = running.filter(|_| in_time && !status.contains("signal: 9")) {
            failures.push(format!("{kind} on {device} {name}: {status}; {words}"));
        }
        if next == first && in_time {
            failures.push(format!("a child process ended before it began: {status}"));
            break;
        }
    }
    next - first
}

//! The front end never panics and never overflows the stack, for any text; for accepted texts the compiler of the CPU
//! backend does not either.
//!
//! `cargo test --test front_end -- [OPTION..]`; `--help` lists the options.
//!
//! Texts with deep nesting or huge sizes come first, then shaders and generated kernels with random changes. Child
//! processes read them on threads with 2 MiB of stack, so that an overflow is detected and reported.

mod damage;
mod nested;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp_null::{NullBackend, NullOptions};
use anywarp_testing_devices::libtest::HarnessOptions;
use clap::Parser;

/// The default stack size of a thread; a program's main thread has more.
const STACK_BYTES: usize = 2 << 20;

/// The time limit for mutated texts without a count.
const MAX_QUICK_RUN: Duration = Duration::from_secs(12);

/// The front end never panics and never overflows the stack, whatever the text.
#[derive(Parser)]
struct Options {
    /// The number of mutated texts. By default as many as fit in 12 seconds.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// The seed of the first text.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Only print the text of this seed.
    #[arg(long, value_name = "S")]
    print: Option<u64>,
    /// Only the texts with deep nesting or huge sizes.
    #[arg(long)]
    nested: bool,
    /// Compile the mutated texts for this device, too. By default only the nested ones are compiled, for `cpu`.
    #[arg(long, value_name = "D")]
    device: Option<String>,
    /// The kind of texts that this process, a child, reads.
    #[arg(long, hide = true)]
    child: Option<String>,
    /// Names of other tests, which `cargo test NAME` passes to every test.
    #[arg(hide = true)]
    other_tests: Vec<String>,
    #[command(flatten)]
    _harness: HarnessOptions,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if !options.other_tests.is_empty() {
        return ExitCode::SUCCESS;
    }
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
        let limit = options.count.is_none().then(|| Instant::now() + MAX_QUICK_RUN);
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

/// Runs in a child process: writes the name of each text and then its outcome.
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
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
        let fine = thread.is_ok_and(|thread| thread.join().is_ok());
        say(if fine { "fine" } else { "panicked" });
    }
}

fn say(line: &str) {
    // The error is ignored: if the parent has closed the pipe, it also ends this process.
    drop(writeln!(std::io::stdout(), "{line}"));
}

/// Tests the texts from `first` on in child processes; returns the number of texts.
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
            failures.push("cannot start a child process".to_owned());
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
            failures.push(format!("a child process ended before its first text: {status}"));
            break;
        }
    }
    next - first
}

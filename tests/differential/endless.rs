//! Endless loops, which random kernels cannot contain. The CPU backend stops each of them. Each loop runs in a process
//! of its own, so that a loop that is not stopped fails alone.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anywarp::backend::BackendError;
use anywarp::{Device, Error};

/// The number of iterations after which the CPU backend stops a kernel.
const STEPS: &str = "1048576";
/// The time limit of a child.
const PATIENCE: Duration = Duration::from_secs(30);

/// The kernels: the text before `main`, and the body of `main`. All words of `b` are zero at the start.
const LOOPS: [(&str, &str); 26] = [
    ("", "loop { b[1] += 1u; }"),
    // The condition holds for every number of the type.
    ("", "for (var i = 7u; i >= 0u; i--) { b[1] += i; }"),
    ("", "for (var i = 0u; i <= 0xffffffffu; i++) { b[1] += i; }"),
    ("", "for (var i = 0i; i <= 0x7fffffffi; i++) { b[1] += u32(i); }"),
    ("", "for (var i = 0i; i >= i32(-0x80000000); i--) { b[1] += 1u; }"),
    // The steps jump over the end.
    ("", "for (var i = 0u; i != 5u; i += 2u) { b[1] += i; }"),
    ("", "for (var i = 9i; i != 0i; i -= 2i) { b[1] += 1u; }"),
    ("", "for (var i = 0u; i < 0xfffffff8u; i += 0x10000u) { b[1] += 1u; }"),
    ("", "for (var i = 0i; i < 0x7fffffffi; i += 0x10000i) { b[1] += 1u; }"),
    // The steps do not advance the counter.
    ("", "for (var i = 0u; i < 10u; i += b[0]) { b[1] += 1u; }"),
    ("", "for (var i = 1u; i < 100u; i *= b[0] + 1u) { b[1] += 1u; }"),
    ("", "for (var i = 0u; i < 100u; i *= 2u) { b[1] += 1u; }"),
    ("", "for (var i = -1i; i != 0i; i >>= 1u) { b[1] += 1u; }"),
    ("", "for (var i = 8u; i != 1u; i /= 3u) { b[1] += 1u; }"),
    ("", "for (var i = 0u; i < 10u; i = min(i + 1u, 9u)) { b[1] += 1u; }"),
    ("", "for (var i = 0u; i < 8u; i = (i + 1u) & 7u) { b[1] += 1u; }"),
    // The body changes the counter, too.
    ("", "for (var i = 0u; i < 10u; i++) { b[1] += 1u; i--; }"),
    ("fn back(p: ptr<function, u32>) { *p -= 1u; }", "for (var i = 0u; i < 10u; i++) { b[1] += 1u; back(&i); }"),
    ("", "for (var i = 0u; i < 4u; i++) { for (var j = 0u; j < 4u; j++) { b[1] += 1u; i = 0u; } }"),
    ("var<private> n: u32; fn f() { n = 0u; }", "for (n = 0u; n < 10u; n++) { b[1] += 1u; f(); }"),
    ("", "for (b[1] = 0u; b[1] < 10u; b[1] += 1u) { b[1] = b[2]; }"),
    ("", "var a: array<u32, 2>; for (; a[1] < 10u; a[1] += 1u) { b[1] += 1u; a[1u - b[0]] = 0u; }"),
    // The condition depends on another variable, or the end moves.
    ("", "var j = 0u; for (var i = 0u; j < 10u; i++) { b[1] += i; }"),
    ("", "for (var i = 0u; i < b[1] + 10u; i++) { b[1] = i; }"),
    // The `break` does not leave the loop, or `continue` skips the step.
    ("", "loop { switch b[0] { case 0u: { break; } default: { return; } } b[1] += 1u; }"),
    ("", "var i = 0u; while i < 10u { b[1] += 1u; if b[0] == 0u { continue; } i++; }"),
];

/// Runs every loop in a child process and prints the loops that are not stopped; returns whether all are stopped.
///
/// # Errors
///
/// No child process starts.
pub(crate) fn all_stop(devices: &[String]) -> Result<bool, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of this test program: {error}"))?;
    let mut stopped = 0;
    let on: Vec<&String> = devices.iter().filter(|selector| selector.starts_with("cpu")).collect();
    for selector in &on {
        for (number, (before, body)) in LOOPS.iter().enumerate() {
            let mut child = Command::new(&program)
                .args(["--endless", &number.to_string(), "--devices", selector])
                .env("ANYWARP_CPU_STEPS", STEPS)
                .stdin(Stdio::null())
                .spawn()
                .map_err(|error| format!("cannot start a child process: {error}"))?;
            let started = Instant::now();
            let status = loop {
                match child.try_wait() {
                    Ok(None) if started.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
                    Ok(status) => break status,
                    Err(_) => break None,
                }
            };
            // The child may have ended already.
            drop(child.kill());
            drop(child.wait());
            if status.is_some_and(|status| status.success()) {
                stopped += 1;
            } else {
                println!("{selector}: FAILED: this endless loop was not stopped\n{before}\n{body}");
            }
        }
    }
    println!("{stopped} of {} endless loops were stopped", LOOPS.len() * on.len());
    Ok(stopped == LOOPS.len() * on.len())
}

/// Runs one of the loops; fails unless the device stops it.
pub(crate) fn run(number: usize, selector: &str) -> ExitCode {
    match outcome(number, selector) {
        Err(Error::Device(BackendError::Stopped { .. })) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::FAILURE,
    }
}

fn outcome(number: usize, selector: &str) -> anywarp::Result<()> {
    let Some((before, body)) = LOOPS.get(number) else { return Ok(()) };
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n{before}\n\
         @compute @workgroup_size(1)\nfn main() {{ {body} }}"
    );
    let device = Device::open(selector)?;
    let kernel = device.kernel(&text)?;
    let mut b = device.buffer::<u32>(4)?;
    kernel.launch().bind("b", &mut b).groups(1u32)?;
    device.synchronize()
}

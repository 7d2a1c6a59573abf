//! The output of a program that returns an error from `main` is the error's display text, once.
//!
//! The test starts its own executable as such a program.

use std::process::{Command, ExitCode, Termination};

use anywarp::{Device, Result};

/// The environment variable that makes a process run the program.
const PROGRAM: &str = "ANYWARP_TEST_PROGRAM";

#[test]
fn a_program_prints_the_error_that_it_returns() {
    if std::env::var_os(PROGRAM).is_some() {
        // The standard library does the same with the result of `main`.
        let code = program().report();
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
    let itself = std::env::current_exe().expect("this file");
    let test = "main_error::a_program_prints_the_error_that_it_returns";
    let ran = Command::new(itself).args([test, "--exact", "--nocapture"]).env(PROGRAM, "1").output().expect("it runs");
    let printed = String::from_utf8(ran.stderr).expect("text").replace('\\', "/");
    let wanted = "\
Error: tests/library/main_error.rs:LINE (inline WGSL) is not valid WGSL
error: `*` does not take `u32` and a float constant
  ┌─ tests/library/main_error.rs:LINE (inline WGSL):4:23
  │
4 │         data[id.x] += id.x * 0.5;
  │                       ^^^^   --- this is a float constant
  │                       │       
  │                       this is `u32`
  │
  = help: WGSL does not convert values implicitly: write `f32(id.x) * 0.5`
";
    let wanted = wanted.replace("LINE", &LINE.to_string());
    assert!(!ran.status.success(), "the program ended successfully");
    assert_eq!(printed.trim_end(), wanted.trim_end());
}

/// The line of the wrong call.
const LINE: u32 = line!() + 4;

fn program() -> Result<()> {
    let device = Device::open("cpu")?;
    device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        data[id.x] += id.x * 0.5;
    }",
    )?;
    Ok(())
}

//! The output of a program that returns an error from `main`: the error's display text, once.
//!
//! The test runs itself as such a program.

use std::process::Command;

use anywarp::{Device, Result};

/// The argument that makes this executable the program.
const PROGRAM: &str = "--as-a-program";

fn main() -> Result<()> {
    if std::env::args().any(|argument| argument == PROGRAM) {
        return program();
    }
    let itself = std::env::current_exe().expect("this file");
    let ran = Command::new(itself).arg(PROGRAM).output().expect("it runs");
    let printed = String::from_utf8(ran.stderr).expect("text").replace('\\', "/");
    let wanted = "\
Error: tests/main_error.rs:LINE (inline WGSL) is not valid WGSL
error: `*` does not take `u32` and a float constant
  ┌─ tests/main_error.rs:LINE (inline WGSL):4:23
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
    println!("a program prints the error that it returns");
    Ok(())
}

/// The line of the call.
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

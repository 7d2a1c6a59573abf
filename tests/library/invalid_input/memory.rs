//! The resources of a kernel are freed when the kernel is.

use std::time::Instant;

use anywarp_testing::process::in_own_process;

use super::{COUNT, device, without_hanging};

/// The resident memory of this process, in bytes.
fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(statm.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096)
}

#[test]
fn memory_of_kernels_is_freed_with_them() {
    if resident().is_none() {
        return println!("skipped: the system does not report the memory in use");
    }
    in_own_process(|| without_hanging(compile_and_drop));
}

fn compile_and_drop() {
    const KERNELS: u32 = 10_000;
    let device = device();
    let started = Instant::now();
    let mut first = 0;
    let mut b = device.buffer::<u32>(64).expect("memory");
    for number in 1..=KERNELS {
        // The device caches some hundred unused kernels, and frees the oldest when there are more.
        let text = COUNT.replace("1u", &format!("{number}u"));
        let kernel = device.kernel(&text).expect("a kernel");
        b.fill(0).expect("a fill");
        kernel.launch().bind("b", &mut b).threads(64).expect("a launch");
        if number % 100 == 0 {
            assert_eq!(*b.read().expect("the results"), [number; 64]);
        }
        if number == KERNELS / 10 {
            first = resident().unwrap_or_default();
        }
    }
    let last = resident().unwrap_or_default();
    println!("{:?} a kernel; {first} bytes at first, {last} in the end", started.elapsed() / KERNELS);
    assert!(last < first + (64 << 20), "{first} bytes after {} kernels, {last} after {KERNELS}", KERNELS / 10);
}

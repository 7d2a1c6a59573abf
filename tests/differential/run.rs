//! Runs a kernel on a device and compares the result with the reference.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anywarp::{Checks, Device, FindingKind, Findings, Wgsl};

use crate::explicit;
use anywarp_testing::random_kernels::ast::{Program, Space};
use anywarp_testing::random_kernels::evaluate::canonical;

/// The method that keeps a kernel's accesses in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Proven,
    /// The checks of the driver, whose results may differ from the reference if an access is out of range.
    Driver,
    /// Checks in the kernel's own text, on a device that reports every access out of range.
    Explicit,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Driver => "driver",
            Self::Explicit => "explicit",
        }
    }

    fn checks(self) -> Checks {
        match self {
            Self::Proven => Checks::Proven,
            Self::Driver | Self::Explicit => Checks::Driver,
        }
    }
}

/// The kind of a device's failure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The device refuses the kernel or stops it.
    Error(String),
    Panic(String),
    /// The results differ from the reference.
    Mismatch(String),
}

impl Failure {
    /// Whether `other` is likely to have the same cause.
    pub(crate) fn resembles(&self, other: &Self) -> bool {
        let start = |text: &String| text.chars().filter(|letter| letter.is_alphabetic()).take(60).collect::<String>();
        match (self, other) {
            (Self::Error(one), Self::Error(two)) | (Self::Panic(one), Self::Panic(two)) => start(one) == start(two),
            (Self::Mismatch(_), Self::Mismatch(_)) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Error(text) => write!(f, "error: {text}"),
            Self::Panic(text) => write!(f, "panic: {text}"),
            Self::Mismatch(text) => write!(f, "{text}"),
        }
    }
}

/// Runs the kernel on `device` and returns the bytes of its buffers.
///
/// # Errors
///
/// [`Failure::Error`] or [`Failure::Panic`].
pub(crate) fn run(device: &Device, mode: Mode, program: &Program, wgsl: &str) -> Result<Vec<Vec<u8>>, Failure> {
    let ran = catch_unwind(AssertUnwindSafe(|| match mode {
        Mode::Explicit => {
            let text = explicit::wgsl(wgsl)?;
            try_run(device, mode, program, &text).map_err(|error| Failure::Error(format!("{error}\n{text}")))
        }
        _ => try_run(device, mode, program, wgsl).map_err(|error| Failure::Error(error.to_string())),
    }));
    match ran {
        Ok(Ok(buffers)) => in_range(device).map(|()| buffers),
        Ok(Err(failure)) => Err(failure),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("(no message)");
            Err(Failure::Panic(text.to_owned()))
        }
    }
}

fn try_run(device: &Device, mode: Mode, program: &Program, wgsl: &str) -> anywarp::Result<Vec<Vec<u8>>> {
    let kernel = device.kernel(Wgsl::new(wgsl).file("differential.wgsl").checks(mode.checks()))?;
    let mut held = Vec::new();
    for bytes in &program.buffers {
        held.push(device.buffer_from(bytes)?);
    }
    let mut launch = kernel.launch();
    for (global, buffer) in program.globals.iter().filter(|global| global.binding.is_some()).zip(&mut held) {
        if !kernel.bindings().iter().any(|info| info.name == global.name) {
            continue;
        }
        launch = if global.space == Space::Uniform {
            let at = global.binding.unwrap_or_default() as usize;
            launch.set_bytes(&global.name, &program.buffers[at])
        } else {
            launch.bind(&global.name, buffer)
        };
    }
    launch.groups(program.groups)?;
    held.iter().map(|buffer| Ok(buffer.read()?.to_vec())).collect()
}

/// Checks that a device with access checks has found no access out of range.
fn in_range(device: &Device) -> Result<(), Failure> {
    let mut outside = Findings::default();
    let found = device.findings();
    found.iter().filter(|found| found.kind == FindingKind::OutOfRange).for_each(|found| outside.add(found.clone()));
    if outside.is_empty() { Ok(()) } else { Err(Failure::Mismatch(format!("an access is out of range\n{outside}"))) }
}

/// Compares the buffers that the kernel writes, word by word.
///
/// # Errors
///
/// [`Failure::Mismatch`] names the first words that differ.
pub(crate) fn compare(program: &Program, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let mut count = 0;
    for global in program.globals.iter().filter(|global| global.space == Space::Output) {
        let at = global.binding.unwrap_or_default() as usize;
        let mut found = found[at].clone();
        canonical(&global.ty, &program.structs, &mut found);
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        };
        for (index, (expected, found)) in words(&expected[at]).into_iter().zip(words(&found)).enumerate() {
            if expected != found {
                count += 1;
                if lines.len() < 5 {
                    lines.push(format!("{}[word {index}]: expected {expected:#010x}, got {found:#010x}", global.name));
                }
            }
        }
    }
    if count == 0 {
        return Ok(());
    }
    Err(Failure::Mismatch(format!("{count} words differ\n{}", lines.join("\n"))))
}

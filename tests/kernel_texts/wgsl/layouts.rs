//! The layouts of every kernel, before and after the middle end.

use anywarp_backend::{Backend, Caps};
use libtest_mimic::Failed;

use super::again::again;
use crate::collect::{self, operations};

/// Checks that each kernel's text describes the same kernel.
///
/// # Errors
///
/// The text lists the kernels with differences.
pub(crate) fn layouts() -> Result<(), Failed> {
    let mut runs = collect::conformance();
    runs.extend(operations::runs());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = anywarp_cpu::open(anywarp_cpu::Options::default()).map_err(|error| error.to_string())?;
    let (mut read, mut failures) = (0, Vec::new());
    for described in [as_written, faster] {
        let mut programs = collect::programs(&runs, jobs, &described)?;
        for (file, program) in collect::shaders(&described(processor.caps().clone()))? {
            programs.push((file.clone(), program.map_err(|error| format!("{file}: {error}"))?));
        }
        for (from, program) in &programs {
            read += 1;
            failures.extend(again(program).err().map(|problem| format!("{from}: {problem}")));
        }
    }
    println!("{read} kernels read again");
    if read < 300 {
        failures.push(format!("only {read} kernels were found"));
    }
    if failures.is_empty() { Ok(()) } else { Err(Failed::from(failures.join("\n\n"))) }
}

/// The capabilities of a checked device, for which the middle end changes nothing.
fn as_written(caps: Caps) -> Caps {
    let mut caps = caps;
    caps.checked = true;
    caps
}

fn faster(caps: Caps) -> Caps {
    caps
}

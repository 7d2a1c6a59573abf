//! A snapshot with a line for each kernel, which shows every change.

use std::fmt::Write;

use libtest_mimic::Failed;

use super::gather::{Outcome, kernels};

/// Checks that the same kernels are written, and the same kernels lack a feature, as in the snapshot.
///
/// # Errors
///
/// The text lists the kernels that cannot be written, or the differences from the snapshot.
pub(crate) fn all() -> Result<(), Failed> {
    let (mut table, mut failures) = (String::new(), String::new());
    let (mut written, mut lacking, mut before) = (0, 0, "");
    for kernel in kernels()? {
        if kernel.from != before {
            writeln!(table, "{}", kernel.from)?;
            before = &kernel.from;
        }
        let name = &kernel.name;
        match &kernel.outcome {
            Outcome::Written(text) => {
                written += 1;
                writeln!(table, "  {:016x} {:>6}  {name}", hash(text), text.len())?;
            }
            Outcome::Lacks(feature) => {
                lacking += 1;
                writeln!(table, "  Metal lacks {feature:<11}  {name}")?;
            }
            Outcome::Failed(reason) => writeln!(failures, "{} {name}: {reason}", kernel.from)?,
        }
    }
    if !failures.is_empty() {
        return Err(Failed::from(format!("these kernels cannot be written as MSL:\n{failures}")));
    }
    writeln!(table, "{written} written, {lacking} lack a feature")?;
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("all", table);
    });
    Ok(())
}

/// The FNV-1a hash, which is the same on every machine and with every release of Rust.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

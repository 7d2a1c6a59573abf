//! The instructions that kernels use, and the choice of the generator of machine code.

use std::sync::OnceLock;

/// The instructions of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// Those that Cranelift knows: vectors of 128 bits.
    Baseline,
    /// AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT of x86-64, by the crate's own emitter.
    Avx2,
}

/// Returns the instructions that the environment asks for, or the best ones that this processor has.
///
/// # Errors
/// The names of instructions that this processor lacks, as text.
pub(super) fn selected() -> Result<Isa, String> {
    static SELECTED: OnceLock<Result<Isa, String>> = OnceLock::new();
    SELECTED
        .get_or_init(|| match crate::environment::isa() {
            Some(Isa::Avx2) => check_avx2().map(|()| Isa::Avx2),
            Some(Isa::Baseline) => Ok(Isa::Baseline),
            None => Ok(if check_avx2().is_ok() { Isa::Avx2 } else { Isa::Baseline }),
        })
        .clone()
}

/// Checks that the emitter's instructions exist here.
///
/// # Errors
/// The names of instructions that this processor lacks, as text.
#[cfg(target_arch = "x86_64")]
pub(crate) fn check_avx2() -> Result<(), String> {
    let features = [
        ("AVX2", std::is_x86_feature_detected!("avx2")),
        ("FMA", std::is_x86_feature_detected!("fma")),
        ("BMI1", std::is_x86_feature_detected!("bmi1")),
        ("BMI2", std::is_x86_feature_detected!("bmi2")),
        ("LZCNT", std::is_x86_feature_detected!("lzcnt")),
        ("POPCNT", std::is_x86_feature_detected!("popcnt")),
    ];
    let missing: Vec<&str> = features.iter().filter(|(_, present)| !present).map(|(name, _)| *name).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("ANYWARP_CPU_ISA=avx2 needs {}", missing.join(", "))) }
}

/// Checks that the emitter's instructions exist here.
///
/// # Errors
/// Always: it writes instructions of x86-64.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn check_avx2() -> Result<(), String> {
    Err("ANYWARP_CPU_ISA=avx2 needs a processor of the x86-64 family".to_owned())
}

/// Whether one instruction that reads a lane's scalar for each lane is faster than a read for each: on Intel's processors
/// since Alder Lake and Sapphire Rapids, which have AVX-VNNI. Earlier ones lost that speed by a mitigation (Gather Data
/// Sampling), and AMD's never had it.
#[cfg(target_arch = "x86_64")]
pub(super) fn gathers_fast() -> bool {
    let vendor = std::arch::x86_64::__cpuid(0);
    let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    name.as_flattened() == b"GenuineIntel" && std::is_x86_feature_detected!("avxvnni")
}

/// Whether one instruction that reads a lane's scalar for each lane is faster than a read for each.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn gathers_fast() -> bool {
    false
}

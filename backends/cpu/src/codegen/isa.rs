//! The instructions that kernels use, and the choice of the generator of machine code.

use std::sync::OnceLock;

/// The instructions of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// Those that Cranelift knows: vectors of 128 bits.
    Baseline,
    /// AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT of x86-64, by the crate's own emitter.
    Avx2,
    /// AVX-512 as well: F, BW, CD, DQ and VL, by the same emitter.
    Avx512,
}

/// Returns the instructions that the environment asks for, or the best ones that this processor has.
///
/// # Errors
/// The names of instructions that this processor lacks, as text.
pub(super) fn selected() -> Result<Isa, String> {
    static SELECTED: OnceLock<Result<Isa, String>> = OnceLock::new();
    SELECTED
        .get_or_init(|| match crate::environment::isa() {
            Some(isa) => isa.check().map(|()| isa),
            None => Ok(Isa::best()),
        })
        .clone()
}

impl Isa {
    /// The best instructions that this processor has.
    fn best() -> Self {
        [Self::Avx512, Self::Avx2].into_iter().find(|isa| isa.check().is_ok()).unwrap_or(Self::Baseline)
    }

    /// All instructions that this processor has.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        [Self::Baseline, Self::Avx2, Self::Avx512].into_iter().filter(|isa| isa.check().is_ok()).collect()
    }

    /// Checks that this processor has the instructions.
    ///
    /// # Errors
    /// The names of instructions that this processor lacks, as text.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn check(self) -> Result<(), String> {
        let avx2 = [
            ("AVX2", std::is_x86_feature_detected!("avx2")),
            ("FMA", std::is_x86_feature_detected!("fma")),
            ("BMI1", std::is_x86_feature_detected!("bmi1")),
            ("BMI2", std::is_x86_feature_detected!("bmi2")),
            ("LZCNT", std::is_x86_feature_detected!("lzcnt")),
            ("POPCNT", std::is_x86_feature_detected!("popcnt")),
        ];
        let avx512 = [
            ("AVX512F", std::is_x86_feature_detected!("avx512f")),
            ("AVX512BW", std::is_x86_feature_detected!("avx512bw")),
            ("AVX512CD", std::is_x86_feature_detected!("avx512cd")),
            ("AVX512DQ", std::is_x86_feature_detected!("avx512dq")),
            ("AVX512VL", std::is_x86_feature_detected!("avx512vl")),
        ];
        let (name, needed) = match self {
            Self::Baseline => return Ok(()),
            Self::Avx2 => ("avx2", avx2.to_vec()),
            Self::Avx512 => ("avx512", [&avx2[..], &avx512[..]].concat()),
        };
        let missing: Vec<&str> = needed.iter().filter(|(_, present)| !present).map(|(name, _)| *name).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("ANYWARP_CPU_ISA={name} needs {}", missing.join(", "))) }
    }

    /// Checks that this processor has the instructions.
    ///
    /// # Errors
    /// For the emitter's instructions, always: they are those of x86-64.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn check(self) -> Result<(), String> {
        match self {
            Self::Baseline => Ok(()),
            Self::Avx2 | Self::Avx512 => {
                Err("ANYWARP_CPU_ISA=avx2 and avx512 need a processor of the x86-64 family".to_owned())
            }
        }
    }
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

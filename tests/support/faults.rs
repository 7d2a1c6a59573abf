//! What drivers and compilers are known to do wrong, for every suite: one list.
//!
//! Each fault has a small kernel in `tests/known` that shows it, and the cases of the suites that fail because of
//! it. All of them must still fail where the fault is, so that nothing stays here for longer than it is true; on
//! every other device they must pass. `docs/known-failures.md` is made from this list.

/// One fault of somebody else's.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Its reproduction is `tests/known/NAME.wgsl`.
    pub(crate) name: &'static str,
    /// The backend that it is seen on; empty for all.
    pub(crate) backend: &'static str,
    /// A part of the device's name or driver, in lower case; empty for all.
    pub(crate) device: &'static str,
    /// Whose fault it is.
    pub(crate) whose: &'static str,
    /// What goes wrong.
    pub(crate) what: &'static str,
    /// How it was told whose fault it is.
    pub(crate) told: &'static str,
    /// The process ends where it is met: cases that meet it are not run.
    pub(crate) ends_process: bool,
    /// Suites and cases that fail because of it. A `*` at a case's end stands for anything.
    pub(crate) cases: &'static [(&'static str, &'static str)],
}

impl Fault {
    /// Whether a device has it: its backend, and its name and driver.
    pub(crate) fn is_on(&self, backend: &str, hardware: &str) -> bool {
        (self.backend.is_empty() || self.backend == backend) && hardware.to_lowercase().contains(self.device)
    }
}

/// The fault that `case` of `suite` fails by on a device.
pub(crate) fn expected(suite: &str, case: &str, backend: &str, hardware: &str) -> Option<&'static Fault> {
    let names = |listed: &str| listed.strip_suffix('*').map_or(listed == case, |start| case.starts_with(start));
    let fails = |fault: &&Fault| fault.cases.iter().any(|(of, listed)| *of == suite && names(listed));
    FAULTS.iter().filter(|fault| fault.is_on(backend, hardware)).find(fails)
}

/// The fault of this name.
pub(crate) fn named(name: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| fault.name == name)
}

const LLVMPIPE: &str = "Mesa, llvmpipe";
const SPIRV: &str = "naga, its SPIR-V writer";

/// Every one that there is.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "trunc_of_large_f64",
        backend: "vulkan",
        device: "llvmpipe",
        whose: LLVMPIPE,
        what: "`trunc` leaves the fraction of f64 values from 2^51 on.",
        told: "The SPIR-V has the one instruction `Trunc`; `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[("operators", "operators::f64::remainder*"), ("operators", "builtins::f64::trunc*")],
    },
    Fault {
        name: "round_of_f64_ties",
        backend: "vulkan",
        device: "llvmpipe",
        whose: LLVMPIPE,
        what: "`round` takes ties of f64 values down, not to even.",
        told: "The SPIR-V has the one instruction `RoundEven`; `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[("operators", "builtins::f64::round*")],
    },
    Fault {
        name: "widening_by_the_wrong_sign",
        backend: "vulkan",
        device: "",
        whose: SPIRV,
        what: "A 32-bit integer that becomes a 64-bit one is extended by the result's sign, not by its own.",
        told: "The SPIR-V has `UConvert` where the source is signed; every Vulkan device agrees with it.",
        ends_process: false,
        cases: &[("operators", "conversions::i32::to_u64*"), ("operators", "conversions::u32::to_i64*")],
    },
    Fault {
        name: "subgroups_not_counted",
        backend: "vulkan",
        device: "llvmpipe",
        whose: LLVMPIPE,
        what: "`num_subgroups` leaves out a subgroup that is not full.",
        told: "`subgroup_id` of the same kernel reaches that number; `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[("operators", "subgroups::num_subgroups")],
    },
];

//! Known bugs of drivers and compilers: one list for every suite.
//!
//! Each bug has a small kernel in `tests/driver_bugs` that shows it, and lists the cases of the suites that fail
//! because of it. All these cases must fail on the devices with the bug, so that the list stays true, and pass on every
//! other device. `docs/known-failures.md` is generated from this list.

/// A bug of a component outside this project.
#[derive(Debug)]
pub struct DriverBug {
    pub name: &'static str,
    /// The source of the kernel that shows the bug, `tests/driver_bugs/NAME.wgsl`.
    pub reproduction: &'static str,
    /// The name of the backend on which the bug occurs; empty for all backends.
    pub backend: &'static str,
    /// A text that the device's name or driver contains, in lower case; empty for all devices.
    pub device: &'static str,
    /// The CPU feature without which the bug occurs; empty if the bug depends on no CPU feature.
    pub lacking: &'static str,
    /// The driver or compiler that has the bug.
    pub component: &'static str,
    /// The effect of the bug.
    pub what: &'static str,
    /// The evidence that the bug is in this component.
    pub evidence: &'static str,
    /// Whether the bug ends the process; if so, its cases do not run.
    pub ends_process: bool,
    /// The suites and cases that fail because of the bug. A `*` at the end of a case matches any text.
    pub cases: &'static [(&'static str, &'static str)],
}

impl DriverBug {
    /// Whether a device has the bug, from the name of its backend, and from `hardware`, the names of the device and its
    /// driver.
    pub fn is_on(&self, backend: &str, hardware: &str) -> bool {
        (self.backend.is_empty() || self.backend == backend)
            && hardware.to_lowercase().contains(self.device)
            && !(self.lacking == AVX512 && has_avx512())
    }
}

/// Whether software drivers compile for AVX-512 on this machine.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

/// The bug because of which `case` of `suite` fails on a device.
pub fn expected(suite: &str, case: &str, backend: &str, hardware: &str) -> Option<&'static DriverBug> {
    let names = |listed: &str| listed.strip_suffix('*').map_or(listed == case, |start| case.starts_with(start));
    let fails = |bug: &&DriverBug| bug.cases.iter().any(|(of, listed)| *of == suite && names(listed));
    DRIVER_BUGS.iter().filter(|bug| bug.is_on(backend, hardware)).find(fails)
}

/// The bug with this name.
pub fn named(name: &str) -> Option<&'static DriverBug> {
    DRIVER_BUGS.iter().find(|bug| bug.name == name)
}

const AVX512: &str = "AVX-512";
const NVIDIA: &str = "NVIDIA 580, its Vulkan";
const LLVMPIPE: &str = "Mesa, llvmpipe";
const WINE: &str = "Wine 8, its Direct3D 12";
const HLSL: &str = "naga, its HLSL writer";
const CONSTANTS: &str = "naga, its evaluation of constants";

/// All known bugs.
pub const DRIVER_BUGS: &[DriverBug] = &[
    DriverBug {
        name: "trunc_of_large_f64",
        reproduction: include_str!("../../../tests/driver_bugs/trunc_of_large_f64.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: AVX512,
        component: LLVMPIPE,
        what: "`trunc` does not remove the fraction of f64 values from 2^51 on.",
        evidence: "The SPIR-V has the one instruction `Trunc`; `cpu` and CUDA are right, and so is llvmpipe with AVX-512.",
        ends_process: false,
        cases: &[("wgsl_operators", "operators::f64::remainder*"), ("wgsl_operators", "builtins::f64::trunc*")],
    },
    DriverBug {
        name: "round_of_f64_ties",
        reproduction: include_str!("../../../tests/driver_bugs/round_of_f64_ties.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: AVX512,
        component: LLVMPIPE,
        what: "`round` rounds ties of f64 values down instead of to even.",
        evidence: "The SPIR-V has the one instruction `RoundEven`; `cpu` and CUDA are right, and so is llvmpipe with AVX-512.",
        ends_process: false,
        cases: &[("wgsl_operators", "builtins::f64::round*")],
    },
    DriverBug {
        name: "subgroups_not_counted",
        reproduction: include_str!("../../../tests/driver_bugs/subgroups_not_counted.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "`num_subgroups` does not count a partial subgroup.",
        evidence: "`subgroup_id` of the same kernel is as large as that number; `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[("wgsl_operators", "subgroups::num_subgroups")],
    },
    DriverBug {
        name: "loops_of_many_turns",
        reproduction: include_str!("../../../tests/driver_bugs/loops_of_many_turns.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "All loops of an invocation, nested ones included, end after 65 535 iterations in total.",
        evidence: "The number is Mesa's `LP_MAX_TGSI_LOOP_ITERATIONS`, counted down over a whole invocation: splitting a \
            loop does not help. `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[],
    },
    DriverBug {
        name: "pack_and_unpack",
        reproduction: include_str!("../../../tests/driver_bugs/pack_and_unpack.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "The second half of `pack2x16float` is zero where its argument was converted from a vector of integers.",
        evidence: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
        ends_process: false,
        cases: &[("differential", "seed 150, size 4"), ("differential", "seed 881, size 4")],
    },
    DriverBug {
        name: "product_of_transposed",
        reproduction: include_str!("../../../tests/driver_bugs/product_of_transposed.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "The product of two transposed matrices of different shapes loses the device, with `VK_ERROR_UNKNOWN`.",
        evidence: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
        ends_process: false,
        cases: &[
            ("differential", "seed 786, size 4"),
            ("differential", "seed 1309, size 4"),
            ("differential", "seed 1640, size 4"),
        ],
    },
    DriverBug {
        name: "product_of_transposed_crashes",
        reproduction: include_str!("../../../tests/driver_bugs/product_of_transposed_crashes.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "The same product of other shapes ends the process with SIGSEGV while the kernel is compiled.",
        evidence: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
        ends_process: true,
        cases: &[
            ("differential", "seed 641, size 4"),
            ("differential", "seed 853, size 4"),
            ("differential", "seed 1071, size 4"),
            ("differential", "seed 1514, size 4"),
            ("differential", "seed 1841, size 4"),
        ],
    },
    DriverBug {
        name: "index_of_vector_in_buffer",
        reproduction: include_str!("../../../tests/driver_bugs/index_of_vector_in_buffer.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "A read of a vector in a buffer with an index out of range returns data behind the binding, if the kernel has several such reads.",
        evidence: "The driver offers `robustBufferAccess2`, so naga leaves bounds to it; SwiftShader is right with the same SPIR-V.",
        ends_process: false,
        cases: &[],
    },
    DriverBug {
        name: "store_of_bool_in_workgroup",
        reproduction: include_str!("../../../tests/driver_bugs/store_of_bool_in_workgroup.wgsl"),
        backend: "vulkan",
        device: "nvidia",
        lacking: "",
        component: NVIDIA,
        what: "A store to an element of an array of `bool` in workgroup memory also clears the three bytes after it.",
        evidence: "The index is right, and so is every kernel without a store of a `bool`; llvmpipe is right with the same SPIR-V, and CUDA on the same card is, too.",
        ends_process: false,
        cases: &[],
    },
    DriverBug {
        name: "immediate_without_struct",
        reproduction: include_str!("../../../tests/driver_bugs/immediate_without_struct.wgsl"),
        backend: "dx12",
        device: "",
        lacking: "",
        component: HLSL,
        what: "naga cannot write an immediate that is not a struct; anywarp refuses the kernel.",
        evidence: "The error message says so, and no driver receives the kernel; `cpu` and Vulkan run it.",
        ends_process: false,
        cases: &[("conformance", "kernel::immediates_and_uniforms")],
    },
    DriverBug {
        name: "num_workgroups_of_indirect",
        reproduction: include_str!("../../../tests/driver_bugs/num_workgroups_of_indirect.wgsl"),
        backend: "dx12",
        device: "gtx 470",
        lacking: "", // the name that Wine gives every device
        component: WINE,
        what: "`num_workgroups` is wrong in an indirect launch.",
        evidence: "It is passed as constants of the command signature; the grid itself is right, as it is on Vulkan.",
        ends_process: false,
        cases: &[("conformance", "kernel::indirect"), ("conformance", "kernel::counted_beyond_the_limit")],
    },
    DriverBug {
        name: "shift_of_abstract_by_64",
        reproduction: include_str!("../../../tests/driver_bugs/shift_of_abstract_by_64.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        component: CONSTANTS,
        what: "A negative abstract integer shifted right by 64 or more is 0, not -1.",
        evidence: "Every device does the same: the constant is folded before any driver receives it.",
        ends_process: false,
        cases: &[],
    },
];

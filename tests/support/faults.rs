//! Known faults of drivers and compilers: one list for every suite.
//!
//! Each fault has a small kernel in `tests/known` that shows it, and lists the cases of the suites that fail because of
//! it. All of them must fail on the devices with the fault, so that the list stays true, and pass on every other
//! device. `docs/known-failures.md` is generated from this list.

/// A fault in a component outside this project.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// The source of the kernel that shows the fault, `tests/known/NAME.wgsl`.
    pub(crate) reproduction: &'static str,
    /// The backend with the fault; empty for all.
    pub(crate) backend: &'static str,
    /// A part of the device's name or driver, in lower case; empty for all.
    pub(crate) device: &'static str,
    /// The CPU feature without which the fault occurs; empty if it does not matter.
    pub(crate) lacking: &'static str,
    /// The component with the fault.
    pub(crate) component: &'static str,
    /// The effect of the fault.
    pub(crate) what: &'static str,
    /// The evidence that the fault is in this component.
    pub(crate) evidence: &'static str,
    /// Whether the fault ends the process: such cases do not run.
    pub(crate) ends_process: bool,
    /// The suites and cases that fail because of the fault. A `*` at the end of a case matches any text.
    pub(crate) cases: &'static [(&'static str, &'static str)],
}

impl Fault {
    /// Whether a device has the fault, from its backend and from its name and driver.
    pub(crate) fn is_on(&self, backend: &str, hardware: &str) -> bool {
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

/// The fault because of which `case` of `suite` fails on a device.
pub(crate) fn expected(suite: &str, case: &str, backend: &str, hardware: &str) -> Option<&'static Fault> {
    let names = |listed: &str| listed.strip_suffix('*').map_or(listed == case, |start| case.starts_with(start));
    let fails = |fault: &&Fault| fault.cases.iter().any(|(of, listed)| *of == suite && names(listed));
    FAULTS.iter().filter(|fault| fault.is_on(backend, hardware)).find(fails)
}

/// The fault with this name.
pub(crate) fn named(name: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| fault.name == name)
}

const AVX512: &str = "AVX-512";
const NVIDIA: &str = "NVIDIA 580, its Vulkan";
const LLVMPIPE: &str = "Mesa, llvmpipe";
const WINE: &str = "Wine 8, its Direct3D 12";
const HLSL: &str = "naga, its HLSL writer";
const SPIRV: &str = "naga, its SPIR-V writer";
const LAYOUT: &str = "naga, its layouts";
const CONSTANTS: &str = "naga, its evaluation of constants";

/// All known faults.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "trunc_of_large_f64",
        reproduction: include_str!("../known/trunc_of_large_f64.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: AVX512,
        component: LLVMPIPE,
        what: "`trunc` does not remove the fraction of f64 values from 2^51 on.",
        evidence: "The SPIR-V has the one instruction `Trunc`; `cpu` and CUDA are right, and so is llvmpipe with AVX-512.",
        ends_process: false,
        cases: &[("operators", "operators::f64::remainder*"), ("operators", "builtins::f64::trunc*")],
    },
    Fault {
        name: "round_of_f64_ties",
        reproduction: include_str!("../known/round_of_f64_ties.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: AVX512,
        component: LLVMPIPE,
        what: "`round` rounds ties of f64 values down instead of to even.",
        evidence: "The SPIR-V has the one instruction `RoundEven`; `cpu` and CUDA are right, and so is llvmpipe with AVX-512.",
        ends_process: false,
        cases: &[("operators", "builtins::f64::round*")],
    },
    Fault {
        name: "subgroups_not_counted",
        reproduction: include_str!("../known/subgroups_not_counted.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "`num_subgroups` does not count a partial subgroup.",
        evidence: "`subgroup_id` of the same kernel is as large as that number; `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[("operators", "subgroups::num_subgroups")],
    },
    Fault {
        name: "loops_of_many_turns",
        reproduction: include_str!("../known/loops_of_many_turns.wgsl"),
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
    Fault {
        name: "pack_and_unpack",
        reproduction: include_str!("../known/pack_and_unpack.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "The second half of `pack2x16float` is zero where its argument was converted from a vector of integers.",
        evidence: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
        ends_process: false,
        cases: &[("differential", "seed 150, size 4"), ("differential", "seed 881, size 4")],
    },
    Fault {
        name: "product_of_transposed",
        reproduction: include_str!("../known/product_of_transposed.wgsl"),
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
    Fault {
        name: "product_of_transposed_crashes",
        reproduction: include_str!("../known/product_of_transposed_crashes.wgsl"),
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
    Fault {
        name: "index_of_vector_in_buffer",
        reproduction: include_str!("../known/index_of_vector_in_buffer.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        component: LLVMPIPE,
        what: "A read of a vector in a buffer with an index out of range returns data behind the binding, if the kernel has several such reads.",
        evidence: "The driver offers `robustBufferAccess2`, so naga leaves bounds to it; SwiftShader is right with the same SPIR-V.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "store_of_bool_in_workgroup",
        reproduction: include_str!("../known/store_of_bool_in_workgroup.wgsl"),
        backend: "vulkan",
        device: "nvidia",
        lacking: "",
        component: NVIDIA,
        what: "A store to an element of an array of `bool` in workgroup memory also clears the three bytes after it.",
        evidence: "The index is right, and so is every kernel without a store of a `bool`; llvmpipe is right with the same SPIR-V, and CUDA on the same card is, too.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "pointer_to_part_as_argument",
        reproduction: include_str!("../known/pointer_to_part_as_argument.wgsl"),
        backend: "vulkan",
        device: "",
        lacking: "",
        component: SPIRV,
        what: "naga panics when a pointer to a part of a variable is an argument of a function; anywarp refuses the kernel.",
        evidence: "No driver receives the kernel; `cpu` runs it.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "immediate_without_struct",
        reproduction: include_str!("../known/immediate_without_struct.wgsl"),
        backend: "dx12",
        device: "",
        lacking: "",
        component: HLSL,
        what: "naga cannot write an immediate that is not a struct; anywarp refuses the kernel.",
        evidence: "The error message says so, and no driver receives the kernel; `cpu` and Vulkan run it.",
        ends_process: false,
        cases: &[("conformance", "kernel::immediates_and_uniforms")],
    },
    Fault {
        name: "num_workgroups_of_indirect",
        reproduction: include_str!("../known/num_workgroups_of_indirect.wgsl"),
        backend: "dx12",
        device: "gtx 470",
        lacking: "", // the name that Wine gives every device
        component: WINE,
        what: "`num_workgroups` is wrong in an indirect launch.",
        evidence: "It is passed as constants of the command signature; the grid itself is right, as it is on Vulkan.",
        ends_process: false,
        cases: &[("conformance", "kernel::indirect"), ("conformance", "kernel::counted_beyond_the_limit")],
    },
    Fault {
        name: "struct_not_aligned_by_member",
        reproduction: include_str!("../known/struct_not_aligned_by_member.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        component: LAYOUT,
        what: "An `@align` on a member does not align the struct that holds it, nor types that contain that struct.",
        evidence: "Every device uses the same layout, which is computed once.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "shift_of_abstract_by_64",
        reproduction: include_str!("../known/shift_of_abstract_by_64.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        component: CONSTANTS,
        what: "A negative abstract integer shifted right by 64 or more is 0, not -1.",
        evidence: "Every device does the same: the constant is folded before any driver receives it.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "atanh_of_constants",
        reproduction: include_str!("../known/atanh_of_constants.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        component: CONSTANTS,
        what: "`atanh` of an f32 constant near -1 is wrong by 50 units in the last place.",
        evidence: "Every device does the same: the constant is folded before any driver receives it.",
        ends_process: false,
        cases: &[],
    },
];

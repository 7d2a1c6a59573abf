//! What drivers and compilers are known to do wrong, for every suite: one list.
//!
//! Each fault has a small kernel in `tests/known` that shows it, and the cases of the suites that fail because of
//! it. All of them must still fail where the fault is, so that nothing stays here for longer than it is true; on
//! every other device they must pass. `docs/known-failures.md` is made from this list.

/// One fault of somebody else's.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// The kernel that shows it, `tests/known/NAME.wgsl`.
    pub(crate) reproduction: &'static str,
    /// The backend that it is seen on; empty for all.
    pub(crate) backend: &'static str,
    /// A part of the device's name or driver, in lower case; empty for all.
    pub(crate) device: &'static str,
    /// What a processor must not have to show it; empty if that does not matter.
    pub(crate) lacking: &'static str,
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
        (self.backend.is_empty() || self.backend == backend)
            && hardware.to_lowercase().contains(self.device)
            && !(self.lacking == AVX512 && has_avx512())
    }
}

/// What software drivers compile for the processor that the tests run on.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
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

const AVX512: &str = "AVX-512";
const NVIDIA: &str = "NVIDIA 580, its Vulkan";
const LLVMPIPE: &str = "Mesa, llvmpipe";
const WINE: &str = "Wine 8, its Direct3D 12";
const HLSL: &str = "naga, its HLSL writer";
const SPIRV: &str = "naga, its SPIR-V writer";
const LAYOUT: &str = "naga, its layouts";
const CONSTANTS: &str = "naga, its evaluation of constants";

/// Every one that there is.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "trunc_of_large_f64",
        reproduction: include_str!("../known/trunc_of_large_f64.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: AVX512,
        whose: LLVMPIPE,
        what: "`trunc` leaves the fraction of f64 values from 2^51 on.",
        told: "The SPIR-V has the one instruction `Trunc`; `cpu` and CUDA are right, and so is llvmpipe with AVX-512.",
        ends_process: false,
        cases: &[("operators", "operators::f64::remainder*"), ("operators", "builtins::f64::trunc*")],
    },
    Fault {
        name: "round_of_f64_ties",
        reproduction: include_str!("../known/round_of_f64_ties.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: AVX512,
        whose: LLVMPIPE,
        what: "`round` takes ties of f64 values down, not to even.",
        told: "The SPIR-V has the one instruction `RoundEven`; `cpu` and CUDA are right, and so is llvmpipe with AVX-512.",
        ends_process: false,
        cases: &[("operators", "builtins::f64::round*")],
    },
    Fault {
        name: "subgroups_not_counted",
        reproduction: include_str!("../known/subgroups_not_counted.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        whose: LLVMPIPE,
        what: "`num_subgroups` leaves out a subgroup that is not full.",
        told: "`subgroup_id` of the same kernel reaches that number; `cpu` and CUDA are right.",
        ends_process: false,
        cases: &[("operators", "subgroups::num_subgroups")],
    },
    Fault {
        name: "loops_of_many_turns",
        reproduction: include_str!("../known/loops_of_many_turns.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        whose: LLVMPIPE,
        what: "The loops of an invocation end when they have made 65 535 turns together, nested ones included.",
        told: "The number is Mesa's `LP_MAX_TGSI_LOOP_ITERATIONS`, counted down over a whole invocation: splitting a \
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
        whose: LLVMPIPE,
        what: "The second half of `pack2x16float` comes out as zero where what is packed was a vector of integers before.",
        told: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
        ends_process: false,
        cases: &[("differential", "seed 150, size 4"), ("differential", "seed 881, size 4")],
    },
    Fault {
        name: "product_of_transposed",
        reproduction: include_str!("../known/product_of_transposed.wgsl"),
        backend: "vulkan",
        device: "llvmpipe",
        lacking: "",
        whose: LLVMPIPE,
        what: "The product of two transposed matrices of different shapes loses the device, with `VK_ERROR_UNKNOWN`.",
        told: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
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
        whose: LLVMPIPE,
        what: "The same product of other shapes ends the process with SIGSEGV while the kernel is compiled.",
        told: "SwiftShader is right with the same SPIR-V, and so is `cpu`.",
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
        whose: LLVMPIPE,
        what: "An index beyond a vector in a buffer reads what lies behind the binding, where it is read several times.",
        told: "The driver offers `robustBufferAccess2`, so naga leaves bounds to it; SwiftShader is right with the same SPIR-V.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "store_of_bool_in_workgroup",
        reproduction: include_str!("../known/store_of_bool_in_workgroup.wgsl"),
        backend: "vulkan",
        device: "nvidia",
        lacking: "",
        whose: NVIDIA,
        what: "A store to an element of an array of `bool` in workgroup memory also sets the three bytes behind it to zero.",
        told: "The index is right, and so is every kernel without a store of a `bool`; llvmpipe is right with the same SPIR-V, and CUDA on the same card is, too.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "pointer_to_part_as_argument",
        reproduction: include_str!("../known/pointer_to_part_as_argument.wgsl"),
        backend: "vulkan",
        device: "",
        lacking: "",
        whose: SPIRV,
        what: "It panics on a pointer to a part of a variable that is handed to a function; the kernel is refused.",
        told: "No driver sees the kernel; `cpu` runs it.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "immediate_without_struct",
        reproduction: include_str!("../known/immediate_without_struct.wgsl"),
        backend: "dx12",
        device: "",
        lacking: "",
        whose: HLSL,
        what: "It has no way to write an immediate that is no struct; the kernel is refused.",
        told: "The message says so, and no driver sees the kernel; `cpu` and Vulkan run it.",
        ends_process: false,
        cases: &[("conformance", "kernel::immediates_and_uniforms")],
    },
    Fault {
        name: "num_workgroups_of_indirect",
        reproduction: include_str!("../known/num_workgroups_of_indirect.wgsl"),
        backend: "dx12",
        device: "gtx 470",
        lacking: "", // what Wine calls every device
        whose: WINE,
        what: "`num_workgroups` of a launch whose grid lies in a buffer is some other number.",
        told: "It is handed over as constants of the command signature; the grid itself is right, as it is on Vulkan.",
        ends_process: false,
        cases: &[("conformance", "kernel::indirect"), ("conformance", "kernel::counted_beyond_the_limit")],
    },
    Fault {
        name: "struct_not_aligned_by_member",
        reproduction: include_str!("../known/struct_not_aligned_by_member.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        whose: LAYOUT,
        what: "An `@align` on a member does not align the struct that holds it, nor what holds that struct.",
        told: "Every device does the same, from the layout that is computed once.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "shift_of_abstract_by_64",
        reproduction: include_str!("../known/shift_of_abstract_by_64.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        whose: CONSTANTS,
        what: "A negative abstract integer shifted right by 64 or more is 0, not -1.",
        told: "Every device does the same: the constant is folded before any sees it.",
        ends_process: false,
        cases: &[],
    },
    Fault {
        name: "atanh_of_constants",
        reproduction: include_str!("../known/atanh_of_constants.wgsl"),
        backend: "",
        device: "",
        lacking: "",
        whose: CONSTANTS,
        what: "`atanh` of an f32 constant near -1 is wrong by 50 units in the last place.",
        told: "Every device does the same: the constant is folded before any sees it.",
        ends_process: false,
        cases: &[],
    },
];

//! Where a device is known to deviate from WGSL: each listed case must still fail, so that none
//! stays here for longer than it is true.

/// A case that fails on some device through no fault of anywarp's.
pub(crate) struct Deviation {
    /// A part of the backend's, device's or driver's name, in lower case.
    pub(crate) device: &'static str,
    /// The case, without the device: `builtins::f32::round`. A `*` at its end stands for anything.
    pub(crate) case: &'static str,
    /// What is wrong.
    pub(crate) reason: &'static str,
}

const TRUNC: &str = "llvmpipe leaves the fraction of f64 values from 2^51 on";
const ROUND: &str = "llvmpipe rounds ties of f64 values down, not to even";
const WIDEN: &str = "naga's SPIR-V extends a 32-bit integer by the result's sign, not by its own";

const SUBGROUPS: &str = "llvmpipe does not count a subgroup that is not full";

const DEVIATIONS: &[Deviation] = &[
    Deviation { device: "llvmpipe", case: "operators::f64::remainder*", reason: TRUNC },
    Deviation { device: "llvmpipe", case: "builtins::f64::trunc*", reason: TRUNC },
    Deviation { device: "llvmpipe", case: "builtins::f64::round*", reason: ROUND },
    Deviation { device: "vulkan", case: "conversions::i32::to_u64*", reason: WIDEN },
    Deviation { device: "vulkan", case: "conversions::u32::to_i64*", reason: WIDEN },
    Deviation { device: "llvmpipe", case: "subgroups::num_subgroups", reason: SUBGROUPS },
];

/// The entry for `case` on a device that calls itself `device`.
pub(crate) fn deviation(device: &str, case: &str) -> Option<&'static Deviation> {
    let device = device.to_lowercase();
    let names = |listed: &str| listed.strip_suffix('*').map_or(listed == case, |start| case.starts_with(start));
    DEVIATIONS.iter().find(|known| names(known.case) && device.contains(known.device))
}

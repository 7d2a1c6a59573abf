//! Devices on which products by cooperative matrices are fast.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{Caps, CooperativeProduct, DeviceKind, Scalar, ScalarKind};

/// The workgroup memory of a kernel with tiles of two factors, and the sums of four subgroups.
const MEMORY: u32 = 24_576;

/// The invocations of a subgroup, where a device multiplies matrices of `f16` with sums in `f32`. The kernels divide
/// their work by subgroups of this size.
pub(crate) fn lanes(caps: &Caps) -> Option<u32> {
    let float = |width| Scalar { kind: ScalarKind::Float, width };
    let product = CooperativeProduct { size: 16, factors: float(2), sums: float(4) };
    let (least, most) = caps.subgroup_size?;
    let is_possible = caps.cooperative.contains(&product)
        && caps.shader.contains(Capabilities::COOPERATIVE_MATRIX | Capabilities::SHADER_FLOAT16)
        && caps.limits.workgroup_storage >= MEMORY
        && caps.kind != DeviceKind::Software;
    (is_possible && least == 32 && most == 32).then_some(32)
}

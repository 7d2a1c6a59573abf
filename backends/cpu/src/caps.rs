//! The properties of the processor.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps, DeviceKind, Inbox, Limits, Persistent};

use crate::abi::LANES;

/// The largest number of resident workgroups. Threads run them in turn, so the number only bounds the length of a turn.
const MAX_RESIDENTS: u32 = 1 << 16;

/// Returns the properties of a CPU device without opening a device; `None` if Cranelift does not support the processor.
#[must_use]
pub fn caps() -> Option<Caps> {
    cranelift_native::builder().ok()?;
    let shader = Caps::known_features().iter().fold(Capabilities::empty(), |all, (flag, _)| all | *flag);
    let mut caps = Caps::new(BackendKind::Cpu, name());
    caps.kind = DeviceKind::Software;
    caps.driver = driver();
    caps.memory = memory();
    caps.unified = true;
    caps.shader = shader;
    caps.subgroup_size = Some((LANES as u32, LANES as u32));
    caps.timestamps = true;
    caps.aliased_bindings = true;
    caps.fused = crate::codegen::has_fma();
    caps.library = crate::library::routines();
    caps.persistent = Some(Persistent { inbox: Inbox::Host, max_residents: MAX_RESIDENTS });
    caps.multiprocessors = u32::try_from(anywarp_host::threads::count()).ok();
    caps.limits = limits();
    Some(caps)
}

fn limits() -> Limits {
    let mut limits = Limits::webgpu();
    limits.buffer_size = (1 << 40).min(isize::MAX as u64 / 2);
    // A binding has fewer than 2^32 bytes, because element indices are 32 bits wide.
    limits.storage_binding_size = (1 << 32) - 4;
    limits.uniform_binding_size = 1 << 30;
    limits.storage_buffers = 64;
    limits.uniform_buffers = 64;
    limits.bind_groups = 16;
    limits.bindings_per_group = 1000;
    limits.storage_offset_alignment = 4;
    limits.uniform_offset_alignment = 16;
    limits.workgroup_storage = 256 << 10;
    limits.workgroup_invocations = 1024;
    limits.workgroup_size = [1024, 1024, 1024];
    // The limit is one below the largest `u32`, so that a count above the limit can be expressed.
    limits.workgroups_per_dimension = u32::MAX - 1;
    limits.immediate_size = 1024;
    limits
}

/// Returns the name of the code generator and of the CPU features that it may use.
fn driver() -> String {
    let version = cranelift_codegen::VERSION;
    let short = version.rsplit_once('.').map_or(version, |(short, _)| short);
    let features = instructions();
    if features.is_empty() {
        format!("Cranelift {short}")
    } else {
        format!("Cranelift {short}, {}", features.join(" "))
    }
}

#[cfg(target_arch = "x86_64")]
fn instructions() -> Vec<&'static str> {
    let known = [
        ("sse4.1", std::arch::is_x86_feature_detected!("sse4.1")),
        ("avx", std::arch::is_x86_feature_detected!("avx")),
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512", crate::codegen::Isa::Avx512.check().is_ok()),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn instructions() -> Vec<&'static str> {
    Vec::new()
}

/// Returns the processor's name, or its architecture if the name is unknown.
fn name() -> String {
    brand().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    const FIRST: u32 = 0x8000_0002;
    if __cpuid(0x8000_0000).eax < FIRST + 2 {
        return None;
    }
    let registers = (FIRST..FIRST + 3).map(__cpuid).flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]);
    let bytes: Vec<u8> = registers.flat_map(u32::to_le_bytes).take_while(|byte| *byte != 0).collect();
    let text = String::from_utf8_lossy(&bytes);
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let named = |key| text.lines().find(|line| line.starts_with(key))?.split_once(':');
    named("model name").or_else(|| named("Model")).map(|(_, name)| name.trim().to_owned())
}

/// Returns the bytes of memory available to this process, if the system reports them. This size limits allocations,
/// because Linux promises memory that it does not have and kills processes that use it.
#[cfg(target_os = "linux")]
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some(group.map_or(kilobytes * 1024, |most: u64| most.min(kilobytes * 1024)))
}

#[cfg(not(target_os = "linux"))]
fn memory() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_and_every_feature_is_there() {
        let caps = caps().unwrap();
        assert!(!caps.name.is_empty() && caps.driver.starts_with("Cranelift 0."), "{} {}", caps.name, caps.driver);
        assert_eq!(caps.feature_names().len(), Caps::known_features().len());
        assert!(caps.memory.is_none_or(|bytes| bytes > 1 << 28));
    }
}

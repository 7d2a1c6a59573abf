//! The properties that a null device claims.

use std::time::Duration;

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps, CopyCost, DeviceKind, Limits, OneWay, Routine};

const FREE: OneWay = OneWay { command: Duration::ZERO, rate: 1e9 };

/// The properties that a null device claims.
#[derive(Clone, Debug)]
pub struct NullOptions {
    /// Whether host and device share one memory.
    pub unified: bool,
    /// The limits of the device's [`Caps`]: WebGPU's defaults unless changed.
    pub limits: Limits,
    /// The WGSL features that kernels may use.
    pub shader: Capabilities,
    /// Whether two bindings of one dispatch may use the same allocation while one of them is written.
    pub aliased_bindings: bool,
    /// The limit on the total size of all memories that were not freed, in bytes; `None` for no limit other than the
    /// host's.
    pub memory: Option<u64>,
    /// The library routines that the device claims to have: calls of them are checked and recorded, as launches are,
    /// but not run.
    pub library: Vec<Routine>,
    /// The number of streams that the device claims. The work of every stream still ends before `submit` returns.
    pub streams: u32,
    /// The claimed cost of copies: zero unless changed, so that gaps between ranges are never copied.
    pub copy_cost: CopyCost,
}

impl NullOptions {
    /// Returns the options of a device with memory of its own.
    #[must_use]
    pub fn staged() -> Self {
        Self {
            unified: false,
            limits: limits(),
            shader: Capabilities::SUBGROUP | Capabilities::IMMEDIATES,
            aliased_bindings: false,
            memory: None,
            library: Vec::new(),
            streams: 1,
            copy_cost: CopyCost { up: FREE, down: FREE },
        }
    }

    /// Returns the options of a device that shares the host's memory.
    #[must_use]
    pub fn unified() -> Self {
        Self { unified: true, ..Self::staged() }
    }

    pub(crate) fn caps(&self) -> Caps {
        let mut caps = Caps::new(BackendKind::Null, "null");
        caps.kind = DeviceKind::Software;
        caps.memory = self.memory;
        caps.unified = self.unified;
        caps.shader = self.shader;
        caps.subgroup_size = self.shader.contains(Capabilities::SUBGROUP).then_some((32, 32));
        caps.aliased_bindings = self.aliased_bindings;
        caps.library = self.library.clone();
        caps.streams = self.streams;
        caps.copy_cost = (!self.unified).then_some(self.copy_cost);
        caps.limits = self.limits.clone();
        caps
    }
}

impl Default for NullOptions {
    /// Returns the options of a device with memory of its own.
    fn default() -> Self {
        Self::staged()
    }
}

/// The limits that WebGPU guarantees everywhere, with `var<immediate>` in addition.
fn limits() -> Limits {
    let mut limits = Limits::webgpu();
    limits.immediate_size = 64;
    limits
}

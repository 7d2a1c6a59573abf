//! The properties that a null device claims.

use std::time::Duration;

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps, CopyCost, DeviceKind, Limits, OneWay, Routine};

const FREE: OneWay = OneWay { command: Duration::ZERO, rate: 1e9 };

/// The properties that a null device claims.
#[derive(Clone, Debug)]
pub struct NullOptions {
    /// Host and device share one memory.
    pub unified: bool,
    /// The numbers of its [`Caps`]: WebGPU's defaults unless changed.
    pub limits: Limits,
    /// The WGSL features that kernels may use.
    pub shader: Capabilities,
    /// Two bindings of one dispatch may lie in one allocation while one of them is written.
    pub aliased_bindings: bool,
    /// Bytes that can be live at a time; `None` for as many as the host has.
    pub memory: Option<u64>,
    /// The vendor's routines that it claims to have: they are checked and written down, as kernels
    /// are.
    pub library: Vec<Routine>,
    /// Streams that work can be recorded for. It all runs at once anyway.
    pub streams: u32,
    /// The claimed cost of copies. Nothing, unless changed: then gaps between copies are never copied along.
    pub copy_cost: CopyCost,
}

impl NullOptions {
    /// A device with memory of its own.
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

    /// A device that shares the host's memory.
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
    /// A device with memory of its own.
    fn default() -> Self {
        Self::staged()
    }
}

/// The limits that WebGPU promises everywhere, with `var<immediate>` beside it.
fn limits() -> Limits {
    let mut limits = Limits::webgpu();
    limits.immediate_size = 64;
    limits
}

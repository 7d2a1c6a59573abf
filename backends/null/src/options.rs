//! What a null device claims to be.

use std::time::Duration;

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{BackendKind, Caps, CopyCost, DeviceKind, Limits, OneWay, Routine};

const FREE: OneWay = OneWay { command: Duration::ZERO, rate: 1e9 };

/// What a null device claims to be.
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
    /// What copies are said to cost. Nothing, unless changed: then gaps between copies are never copied along.
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
            copy_cost: CopyCost { up: FREE, down: FREE },
        }
    }

    /// A device that shares the host's memory.
    #[must_use]
    pub fn unified() -> Self {
        Self { unified: true, ..Self::staged() }
    }

    pub(crate) fn caps(&self) -> Caps {
        Caps {
            name: "null".to_owned(),
            backend: BackendKind::Null,
            kind: DeviceKind::Software,
            driver: String::new(),
            memory: self.memory,
            unified: self.unified,
            shader: self.shader,
            subgroup_size: self.shader.contains(Capabilities::SUBGROUP).then_some((32, 32)),
            timestamps: false,
            aliased_bindings: self.aliased_bindings,
            checked: false,
            library: self.library.clone(),
            streams: 1,
            copy_cost: (!self.unified).then_some(self.copy_cost),
            blocking: true,
            limits: self.limits.clone(),
        }
    }
}

impl Default for NullOptions {
    /// A device with memory of its own.
    fn default() -> Self {
        Self::staged()
    }
}

/// What WebGPU promises everywhere, with `var<immediate>` beside it.
fn limits() -> Limits {
    Limits { immediate_size: 64, ..Caps::webgpu_baseline().limits }
}

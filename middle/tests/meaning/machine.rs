//! Runs modules on the CPU backend, without the framework.

use std::sync::Arc;

use anywarp_backend::{
    Backend, Bound, Checks, FindingKind, Grid, Leave, MemoryKind, Mode, Program, Proofs, Recording, Region, Validated,
};
use anywarp_cpu::{CpuDevice, Options};
use anywarp_wgsl::reflect::reflect;

/// A CPU device, which reports accesses out of range if it was opened as checked.
pub(crate) struct Machine {
    device: Arc<CpuDevice>,
}

impl Machine {
    pub(crate) fn new(checked: bool) -> Self {
        let device = anywarp_cpu::open(Options {
            mode: if checked { Mode::Checked } else { Mode::Plain },
            ..Options::default()
        });
        Self { device: device.expect("the CPU backend supports this processor") }
    }

    /// Runs the only entry point on copies of `buffers`, given by binding, and returns their contents.
    ///
    /// Without `proofs` every access is checked. An access out of range is an error on a device that was opened as
    /// checked.
    pub(crate) fn run(
        &self,
        module: &Validated,
        proofs: Option<Proofs>,
        buffers: &[Vec<u8>],
        groups: [u32; 3],
    ) -> Result<Vec<Vec<u8>>, String> {
        let entry = &module.entry_points[0];
        let reflection = reflect(module, 0);
        let checks = if proofs.is_some() { Checks::Proven } else { Checks::Driver };
        let program = Program {
            name: "a kernel".into(),
            module: module.clone(),
            entry_point: entry.name.clone(),
            workgroup_size: entry.workgroup_size,
            bindings: reflection.bindings,
            immediate: reflection.immediate,
            workgroup_storage: reflection.workgroup_storage,
            source: None,
            leave: Leave { checks, fast_math: false },
            proofs: proofs.map(Arc::new),
        };
        let said = |error: anywarp_backend::BackendError| error.to_string();
        let kernel = self.device.compile(&program).map_err(said)?.kernel;
        let mut recording = Recording::new();
        let mut memories = Vec::new();
        for bytes in buffers {
            let memory = self.device.allocate(bytes.len() as u64, MemoryKind::Shared, "").map_err(said)?;
            self.device.map(memory).map_err(said)?.wait().map_err(said)?;
            self.device.host(memory).map_err(said)?.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
            self.device.unmap(memory).map_err(said)?;
            memories.push(memory);
        }
        let bounds = program.bindings.iter().map(|binding| {
            let at = binding.resource.binding as usize;
            let region = Region { memory: memories[at], offset: 0, bytes: buffers[at].len() as u64 };
            Bound::Memory { region, access: binding.access }
        });
        recording.dispatch(kernel, &program.name, Grid::Groups(groups), bounds, &[], &[]);
        let ticket = self.device.submit(&recording).map_err(said)?;
        ticket.wait().map_err(said)?;
        let outside = ticket.findings().iter().find(|found| found.kind == FindingKind::OutOfRange).cloned();
        self.device.discard(kernel);
        let mut held = Vec::new();
        for (memory, bytes) in memories.into_iter().zip(buffers) {
            self.device.map(memory).map_err(said)?.wait().map_err(said)?;
            held.push(self.device.host(memory).map_err(said)?.bytes()[..bytes.len()].to_vec());
            self.device.unmap(memory).map_err(said)?;
            self.device.free(memory);
        }
        match outside {
            Some(found) => Err(format!("an access out of range: {found:?}")),
            None => Ok(held),
        }
    }
}

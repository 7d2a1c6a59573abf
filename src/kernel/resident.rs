//! Resident launches: dispatches that run until the host stops them.

use anywarp_backend::{Bound, Grid, Recording, Region, Ticket};

use super::launch::Launch;
use crate::error::LaunchError;

impl Launch<'_> {
    /// Starts `groups` resident workgroups; see [`Recording::resident`](anywarp_backend::Recording::resident). Every
    /// storage variable is bound to exchange memory, by its name; uniforms are set as for other launches. The ticket is
    /// done when the kernel has stopped; the memory must live until then.
    ///
    /// # Errors
    /// See [`LaunchError`]; [`LaunchError::Device`] if the device has no resident kernels.
    pub(crate) fn resident(
        mut self,
        groups: u32,
        memory: &[(&str, Region)],
        control: Region,
    ) -> Result<Ticket, LaunchError> {
        self.take_mistake()?;
        let device = &self.kernel.device;
        let compiled = &self.kernel.inner.plain;
        let kernel = || self.kernel.name().to_owned();
        let mut bounds = Vec::new();
        let mut missing = self.kernel.inner.values.missing(&mut self.covered, |_| false);
        for (slot, info) in compiled.program.bindings.iter().enumerate() {
            let of_memory = memory.iter().find(|(name, _)| *name == info.name);
            match (self.kernel.inner.values.uniform(slot), of_memory) {
                (Some(range), _) => bounds.push(Bound::Inline(range)),
                (None, Some((_, region))) => bounds.push(Bound::Memory { region: *region, access: info.access }),
                (None, None) => missing.push(format!("{}: {}", info.name, info.layout.name)),
            }
        }
        if !missing.is_empty() {
            return Err(LaunchError::Missing { kernel: kernel(), missing });
        }
        let own = self.kernel.inner.values.immediate.start as usize;
        let (values, immediates) = self.values.split_at(own);
        let mut recording = Recording::new();
        recording.dispatch(
            compiled.id,
            &compiled.program.name,
            Grid::Groups([groups, 1, 1]),
            bounds,
            values,
            immediates,
        );
        recording.resident = Some(control);
        device.backend.submit(&recording).map_err(|error| {
            device.note(&error);
            LaunchError::Device { kernel: kernel(), device: device.caps().name.clone(), error }
        })
    }
}

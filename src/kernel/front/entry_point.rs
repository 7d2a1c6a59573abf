//! The choice of a kernel's entry point.

use std::sync::Arc;

use naga::ShaderStage;

use crate::error::KernelError;
use crate::kernel::source::Wgsl;

/// The entry point of a kernel.
pub(super) struct Entry {
    /// The name of the entry point.
    pub(super) point: String,
    /// The file and the entry point, as errors and profiles name the kernel.
    pub(super) kernel: Arc<str>,
}

/// Finds the entry point that `wgsl` selects or, without a selection, the only one.
pub(super) fn choose(wgsl: &Wgsl<'_>, module: &naga::Module) -> Result<Entry, KernelError> {
    let compute: Vec<String> = module
        .entry_points
        .iter()
        .filter(|point| point.stage == ShaderStage::Compute)
        .map(|point| point.name.clone())
        .collect();
    let file = wgsl.file.to_string();
    let point = match (&wgsl.entry, compute.as_slice()) {
        (Some(name), names) if names.iter().any(|candidate| candidate == name) => Ok(name.to_string()),
        (None, [only]) => Ok(only.clone()),
        (None | Some(_), []) => {
            let others: Vec<String> =
                module.entry_points.iter().map(|point| format!("{} ({:?})", point.name, point.stage)).collect();
            let others = if others.is_empty() { String::new() } else { format!("; it has {}", others.join(", ")) };
            Err(KernelError::NoEntryPoint { file, others })
        }
        (Some(name), _) => Err(KernelError::UnknownEntryPoint { file, name: name.to_string(), candidates: compute }),
        (None, _) => Err(KernelError::WhichEntryPoint { file, candidates: compute }),
    };
    let point = point?;
    Ok(Entry { kernel: format!("{}:{point}", wgsl.file).into(), point })
}

//! Compiled kernels.

pub(crate) mod compile;
mod kept;
pub(crate) mod text;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_backend::{BackendError, Mode, Program};
use anywarp_host::Signature;

use crate::abi::{Entry, Stop};
use crate::checker::Checks;

/// The machine code of a kernel, and the memory that it requires.
pub(crate) struct Machine {
    /// The function that runs the kernel.
    pub(crate) entry: Entry,
    /// The bytes of private memory that each thread must provide.
    pub(crate) frame_bytes: usize,
    /// The bytes of workgroup memory that each thread must provide.
    pub(crate) workgroup_bytes: usize,
    /// By site: the text for errors that names its position, such as ` at kernel.wgsl:7`.
    pub(crate) sites: Vec<String>,
    /// Whether the kernel reports, and to which receiver.
    pub(crate) mode: Mode,
    /// The reports of a checked or observed kernel, which runs only with a receiver.
    pub(crate) checks: Option<Arc<Checks>>,
    /// The owner of the machine code, which frees the code when it is dropped.
    pub(crate) _owner: Box<dyn Any + Send + Sync>,
}

/// A kernel that can be dispatched.
pub(crate) struct Kernel {
    pub(crate) name: Arc<str>,
    pub(crate) machine: Machine,
    pub(crate) signature: Signature,
    /// The last measured time of one workgroup in nanoseconds, as the bits of an `f32`; 0 before the first run.
    cost: AtomicU32,
}

impl Kernel {
    pub(crate) fn new(program: &Program, machine: Machine) -> Self {
        Self { name: Arc::clone(&program.name), machine, signature: Signature::new(program), cost: AtomicU32::new(0) }
    }

    /// The expected time of one workgroup in nanoseconds; `None` before the first run.
    pub(crate) fn cost(&self) -> Option<f64> {
        let bits = self.cost.load(Ordering::Relaxed);
        (bits != 0).then(|| f64::from(f32::from_bits(bits)))
    }

    /// Records the measured time of one workgroup in nanoseconds. A longer time replaces the estimate; a shorter one
    /// reduces the estimate by a quarter of the difference.
    pub(crate) fn took(&self, cost: f64) {
        let cost = self.cost().map_or(cost, |before| cost.max(before * 0.75 + cost * 0.25)).max(0.1);
        self.cost.store((cost as f32).to_bits(), Ordering::Relaxed);
    }

    /// Returns the error of a kernel that returned `stop`, which is not [`Stop::Done`].
    pub(crate) fn stopped(&self, stop: u32, site: u32, steps: u64) -> BackendError {
        let at = self.machine.sites.get(site as usize).map_or("", String::as_str);
        let reason = if stop == Stop::DivergentBarrier as u32 {
            format!(
                "not all invocations of a workgroup arrived at the barrier{at}: move the barrier out of the branch or \
                 loop that some invocations skip or leave early (`anywarp check` reports what that depends on)"
            )
        } else if stop == Stop::StepLimit as u32 {
            format!(
                "invocations that run together made more than {steps} iterations of loops and calls{at}: make \
                 the loops end, or raise the limit with the environment variable ANYWARP_CPU_STEPS"
            )
        } else {
            format!("the compiled kernel returned the unknown status {stop}, which is a fault of the CPU backend")
        };
        BackendError::Stopped { kernel: self.name.to_string(), reason }
    }

    /// Returns a kernel without a program, for tests.
    #[cfg(test)]
    pub(crate) fn fake(name: &str, entry: Entry, bindings: Vec<anywarp_host::Binding>) -> Self {
        let sites = vec![" at fake.wgsl:3".to_owned()];
        let machine = Machine {
            entry,
            frame_bytes: 64,
            workgroup_bytes: 64,
            sites,
            mode: Mode::Plain,
            checks: None,
            _owner: Box::new(()),
        };
        Self { name: name.into(), machine, signature: Signature { bindings, immediates: 0 }, cost: AtomicU32::new(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::convention;

    convention! {
        [] fn nothing(_: *mut crate::abi::Frame, _: u32, _: u32, _: u32, _: u32) -> u32 {
            0
        }
    }

    #[test]
    fn the_cost_rises_at_once_and_falls_slowly() {
        let kernel = Kernel::fake("k", nothing, Vec::new());
        assert_eq!(kernel.cost(), None);
        kernel.took(100.0);
        kernel.took(1000.0);
        assert_eq!(kernel.cost(), Some(1000.0));
        kernel.took(0.0);
        assert_eq!(kernel.cost(), Some(750.0));
    }

    #[test]
    fn a_stop_names_kernel_line_and_remedy() {
        let kernel = Kernel::fake("fake.wgsl:main", nothing, Vec::new());
        let text = kernel.stopped(1, 0, 9).to_string();
        assert!(text.contains("'fake.wgsl:main'") && text.contains("barrier at fake.wgsl:3"), "{text}");
        let text = kernel.stopped(2, u32::MAX, 9).to_string();
        assert!(text.contains("more than 9 iterations") && text.contains("ANYWARP_CPU_STEPS"), "{text}");
    }
}

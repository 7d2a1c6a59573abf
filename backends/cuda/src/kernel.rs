//! Compiled kernels, in the forms that dispatches need.

pub(crate) mod compile;
pub(crate) mod status;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anywarp_backend::{BackendError, BindingClass, BindingInfo, KernelResources, Program};
use anywarp_host::Signature;
use rustc_hash::FxHashMap;

use crate::caps::MAX_VALUES;
use crate::driver::Module;
use crate::kernel::status::Stop;
use crate::memory::deferred::Deferred;
use crate::submit::queue::Queue;
use crate::translate::{Form, Parameter};

/// The largest alignment in bytes that a binding needs: a vector of four 32-bit components is loaded with one
/// instruction.
const MAX_ALIGNMENT: u32 = 16;

/// The loaded machine code of one [`Form`] of a kernel.
pub(crate) struct Loaded {
    /// The loaded machine code. When `Loaded` is dropped, the deferred frees keep the module until no work uses it.
    pub(crate) module: Arc<Module>,
    queue: Arc<Queue>,
    pub(crate) parameters: Vec<Parameter>,
    /// Dynamic shared memory in bytes.
    pub(crate) dynamic_shared: u32,
    /// Whether the kernel has loops with a limit: the kernel then takes a status record.
    pub(crate) limited: bool,
    pub(crate) resources: KernelResources,
}

impl Loaded {
    pub(crate) fn new(
        module: Module,
        queue: &Arc<Queue>,
        parameters: Vec<Parameter>,
        dynamic_shared: u32,
        spilled_bytes: Option<u32>,
    ) -> Arc<Self> {
        let mut resources = module.resources.clone();
        resources.spilled_bytes = spilled_bytes;
        Arc::new(Self {
            module: Arc::new(module),
            queue: Arc::clone(queue),
            limited: parameters.contains(&Parameter::Status),
            parameters,
            dynamic_shared,
            resources,
        })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let entry = Deferred::Module(Arc::clone(&self.module));
        self.queue.deferred.add(self.queue.context.submissions.submitted(), entry);
    }
}

/// A kernel that can be dispatched.
pub(crate) struct Kernel {
    pub(crate) program: Program,
    pub(crate) signature: Signature,
    /// The form for dispatches that pass all uniforms as values.
    pub(crate) usual: Form,
    pub(crate) usually: Arc<Loaded>,
    others: Mutex<FxHashMap<Form, Arc<Loaded>>>,
    /// Whether the owner has discarded the kernel: new work must not use it.
    discarded: AtomicBool,
}

impl Kernel {
    pub(crate) fn new(program: &Program, usual: Form, usually: Arc<Loaded>) -> Self {
        Self {
            program: program.clone(),
            signature: Signature::new(program),
            usual,
            usually,
            others: Mutex::default(),
            discarded: AtomicBool::new(false),
        }
    }

    /// Returns a form of the kernel, if that form was already compiled.
    pub(crate) fn form(&self, form: Form) -> Option<Arc<Loaded>> {
        if form == self.usual {
            return Some(Arc::clone(&self.usually));
        }
        self.others.lock().unwrap_or_else(PoisonError::into_inner).get(&form).cloned()
    }

    /// Stores a form of the kernel for later dispatches.
    pub(crate) fn keep(&self, form: Form, loaded: Arc<Loaded>) {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).insert(form, loaded);
    }

    pub(crate) fn discard(&self) {
        self.discarded.store(true, Ordering::Release);
    }

    pub(crate) fn is_discarded(&self) -> bool {
        self.discarded.load(Ordering::Acquire)
    }

    /// Returns the error for a dispatch that exceeded the loop limit.
    pub(crate) fn stopped(&self, label: &str, stop: Stop, loop_limit: u32) -> BackendError {
        let place = self.program.source.as_deref().and_then(|source| source.position_of_line(stop.line));
        let at = match (place, stop.line) {
            (Some(place), _) => format!(" at {}:{}", place.file, place.line),
            (None, 0) => String::new(),
            (None, line) => format!(" at the WGSL:{line}"),
        };
        let reason = format!(
            "an invocation made more than {loop_limit} iterations of loops{at}: make the loop end, or raise the limit \
             with the environment variable ANYWARP_CUDA_STEPS"
        );
        BackendError::Stopped { kernel: label.to_owned(), reason }
    }
}

/// Returns the form for dispatches that pass all uniforms as values. Uniforms that would make the parameters too long
/// are stored in memory and passed as addresses.
pub(crate) fn usual_form(bindings: &[BindingInfo]) -> Form {
    let mut left = MAX_VALUES;
    let mut addressed = 0;
    for (index, binding) in bindings.iter().enumerate().filter(|(_, binding)| binding.class == BindingClass::Uniform) {
        let size = binding.layout.size.next_multiple_of(MAX_ALIGNMENT);
        match left.checked_sub(size) {
            Some(rest) => left = rest,
            // A binding that `Form::addressed` has no bit for stays a value; the compiler reports an error if the
            // parameters become too long.
            None => addressed |= bit(index).unwrap_or(0),
        }
    }
    Form { addressed, looped: false }
}

/// Returns the bit of a binding in [`Form::addressed`]; `None` if the mask has no bit for the binding.
pub(crate) fn bit(binding: usize) -> Option<u64> {
    u32::try_from(binding).ok().and_then(|binding| 1_u64.checked_shl(binding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_backend::{Access, Layout, ResourceId, Scalar, ScalarKind, Shape};

    #[test]
    fn large_uniforms_are_addressed() {
        let uniform = |size| BindingInfo {
            name: String::new(),
            resource: ResourceId { group: 0, binding: 0 },
            class: BindingClass::Uniform,
            access: Access::Read,
            layout: Layout {
                name: String::new(),
                size,
                align: 16,
                shape: Shape::Scalar(Scalar { kind: ScalarKind::Float, width: 4 }),
            },
        };
        assert_eq!(usual_form(&[uniform(1024), uniform(2048)]).addressed, 0);
        assert_eq!(usual_form(&[uniform(1024), uniform(4096), uniform(2000)]).addressed, 0b10);
        assert_eq!((bit(63), bit(64)), (Some(1 << 63), None));
    }
}

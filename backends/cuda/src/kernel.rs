//! Compiled kernels, in the forms that dispatches have asked for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anywarp_backend::{Access, BackendError, BindingClass, BindingInfo, KernelResources, Program, ResourceId};
use cudarc::driver::sys::CUfunction;
use rustc_hash::FxHashMap;

use crate::caps::MOST_VALUES;
use crate::driver::module::Module;
use crate::graveyard::Remains;
use crate::queue::Queue;
use crate::status::Stop;
use crate::translate::{Form, Parameter};

/// Alignment that no binding needs more than: a vector of four is loaded at once.
const MOST_ALIGNMENT: u32 = 16;

/// What a binding must be given.
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) resource: ResourceId,
    pub(crate) class: BindingClass,
    pub(crate) access: Access,
    /// Bytes with one element of the runtime-sized array, if there is one.
    pub(crate) size: u32,
    /// Of its first byte.
    pub(crate) alignment: u32,
    /// Offset and stride of the runtime-sized array.
    pub(crate) tail: Option<(u32, u32)>,
}

impl Binding {
    fn new(info: &BindingInfo) -> Self {
        Self {
            name: info.name.clone(),
            resource: info.resource,
            class: info.class,
            access: info.access,
            size: info.layout.size,
            alignment: info.layout.align.clamp(4, MOST_ALIGNMENT),
            tail: info.layout.unsized_tail(),
        }
    }

    /// Elements of the runtime-sized array in a region of `bytes`, at least 1; 0 without an array;
    /// `None` if they are more than 32 bits count.
    pub(crate) fn length(&self, bytes: u64) -> Option<u32> {
        self.tail.map_or(Some(0), |(offset, stride)| {
            let length = bytes.saturating_sub(u64::from(offset)) / u64::from(stride.max(1));
            u32::try_from(length).ok().map(|length| length.max(1))
        })
    }
}

/// One form of a kernel, loaded.
pub(crate) struct Loaded {
    /// Taken when dropped, for the graveyard.
    module: Option<Module>,
    queue: Arc<Queue>,
    pub(crate) function: CUfunction,
    pub(crate) parameters: Vec<Parameter>,
    /// Bytes.
    pub(crate) dynamic_shared: u32,
    /// Some loops are limited: the kernel takes a status record.
    pub(crate) limited: bool,
    pub(crate) resources: KernelResources,
}

// SAFETY: the handle is only a name, and nothing changes.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

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
            function: module.function,
            module: Some(module),
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
        if let Some(module) = self.module.take() {
            self.queue.graveyard.add(self.queue.context.submitted(), Remains::Module(module));
        }
    }
}

/// A kernel that can be dispatched.
pub(crate) struct Kernel {
    pub(crate) program: Program,
    pub(crate) bindings: Vec<Binding>,
    /// Bytes of `var<immediate>`.
    pub(crate) immediates: usize,
    /// The form of a dispatch whose uniforms are all values.
    pub(crate) usual: Form,
    pub(crate) usually: Arc<Loaded>,
    others: Mutex<FxHashMap<Form, Arc<Loaded>>>,
    /// Forgotten by its owner: new work must not use it.
    discarded: AtomicBool,
}

impl Kernel {
    pub(crate) fn new(program: &Program, usual: Form, usually: Arc<Loaded>) -> Self {
        Self {
            program: program.clone(),
            bindings: program.bindings.iter().map(Binding::new).collect(),
            immediates: program.immediate.as_ref().map_or(0, |(_, layout)| layout.size.next_multiple_of(4) as usize),
            usual,
            usually,
            others: Mutex::default(),
            discarded: AtomicBool::new(false),
        }
    }

    /// A form, if it was made already.
    pub(crate) fn form(&self, form: Form) -> Option<Arc<Loaded>> {
        if form == self.usual {
            return Some(Arc::clone(&self.usually));
        }
        self.others.lock().unwrap_or_else(PoisonError::into_inner).get(&form).cloned()
    }

    /// Keeps a form for the next dispatch that needs it.
    pub(crate) fn keep(&self, form: Form, loaded: Arc<Loaded>) {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).insert(form, loaded);
    }

    pub(crate) fn discard(&self) {
        self.discarded.store(true, Ordering::Release);
    }

    pub(crate) fn is_discarded(&self) -> bool {
        self.discarded.load(Ordering::Acquire)
    }

    /// The error of a dispatch whose loops did not end.
    pub(crate) fn stopped(&self, label: &str, stop: Stop, steps: u32) -> BackendError {
        let place = self.program.source.as_deref().and_then(|source| source.place_of_line(stop.line));
        let at = match (place, stop.line) {
            (Some(place), _) => format!(" at {}:{}", place.file, place.line),
            (None, 0) => String::new(),
            (None, line) => format!(" at the WGSL:{line}"),
        };
        let reason = format!(
            "an invocation made more than {steps} iterations of loops{at}: see that the loop ends, or raise the limit \
             with the environment variable ANYWARP_CUDA_STEPS"
        );
        BackendError::Stopped { kernel: label.to_owned(), reason }
    }
}

/// The form of a program whose uniforms are all given as values: those that would make the
/// parameters too long are stored, and given as addresses.
pub(crate) fn usual_form(bindings: &[BindingInfo]) -> Form {
    let mut left = MOST_VALUES;
    let mut addressed = 0;
    for (index, binding) in bindings.iter().enumerate().filter(|(_, binding)| binding.class == BindingClass::Uniform) {
        let size = binding.layout.size.next_multiple_of(MOST_ALIGNMENT);
        match left.checked_sub(size) {
            Some(rest) => left = rest,
            // Beyond the bits it stays a value; the compiler says so if that is too much.
            None => addressed |= bit(index).unwrap_or(0),
        }
    }
    Form { addressed, looped: false }
}

/// The bit of a binding in [`Form::addressed`].
pub(crate) fn bit(binding: usize) -> Option<u64> {
    u32::try_from(binding).ok().and_then(|binding| 1_u64.checked_shl(binding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_backend::{Layout, Scalar, ScalarKind, Shape};

    fn binding(tail: Option<(u32, u32)>) -> Binding {
        let resource = ResourceId { group: 0, binding: 0 };
        let (class, access) = (BindingClass::Storage, Access::Write);
        Binding { name: String::new(), resource, class, access, size: 4, alignment: 4, tail }
    }

    #[test]
    fn lengths_of_runtime_sized_arrays() {
        assert_eq!(binding(None).length(64), Some(0));
        assert_eq!(binding(Some((0, 4))).length(64), Some(16));
        assert_eq!(binding(Some((16, 12))).length(64), Some(4));
        assert_eq!(binding(Some((16, 12))).length(20), Some(1));
        assert_eq!(binding(Some((0, 2))).length(1 << 40), None);
    }

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

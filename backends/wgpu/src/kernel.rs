//! Compiled kernels.

pub(crate) mod pipelines;
pub(crate) mod ready;
#[cfg(any(target_arch = "wasm32", feature = "translate", test))]
pub(crate) mod text;
#[cfg(not(target_arch = "wasm32"))]
mod wide_math;

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_backend::{BackendError, BindingClass, BindingInfo, Program};
use anywarp_host::Signature;

use crate::device::errors::{Caught, scoped};
use pipelines::{Kept, Pipelines};
use ready::{Language, Made, Ready, ready};

/// One bind group of a kernel.
pub(crate) struct Group {
    /// The number in `@group`.
    pub(crate) index: u32,
    /// The id of the layout, unique in the process, for the keys of cached bind groups.
    pub(crate) layout_id: u64,
    pub(crate) layout: wgpu::BindGroupLayout,
    /// The range of the program's bindings that are in this group.
    pub(crate) slots: std::ops::Range<usize>,
}

/// One binding of a kernel.
pub(crate) struct Slot {
    pub(crate) binding: u32,
    pub(crate) uniform: bool,
    /// Whether this is a uniform whose offset is passed at each dispatch, so that its bind group can be cached.
    pub(crate) dynamic: bool,
}

/// A pipeline and the layout of its bindings.
pub(crate) struct Kernel {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) groups: Vec<Group>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) signature: Signature,
}

static NEXT_LAYOUT: AtomicU64 = AtomicU64::new(0);

impl Kernel {
    pub(crate) fn new(device: &wgpu::Device, pipelines: &Pipelines, program: &Program) -> Result<Self, BackendError> {
        // naga's writers panic on a few valid programs. The panic is caught, so that only the program is refused.
        let ready = ready(program, Language::of(device.adapter_info().backend)).map_err(rejected)?;
        let source = source(&ready)?;
        let attempt = || {
            let build = || Self::build(device, pipelines, program, &ready, source);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(build))
        };
        match scoped(device, attempt) {
            (Ok((kernel, kept)), None) => {
                if let Some(kept) = kept {
                    kept.keep();
                }
                Ok(kernel)
            }
            (_, Some(Caught::OutOfMemory)) => Err(rejected("the driver ran out of memory while compiling".to_owned())),
            (_, Some(Caught::Other(message))) => Err(rejected(message)),
            (Err(panic), None) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
                Err(rejected(format!("the translation to the driver's language failed: {said}")))
            }
        }
    }

    fn build<'p>(
        device: &wgpu::Device,
        pipelines: &'p Pipelines,
        program: &Program,
        ready: &Ready,
        source: wgpu::ShaderSource<'_>,
    ) -> (Self, Option<Kept<'p>>) {
        let kept = pipelines.open(device, &program.entry_point, ready);
        let slots = slots(&program.bindings, device.limits().max_dynamic_uniform_buffers_per_pipeline_layout);
        let groups = groups(device, &program.bindings, &slots);
        let last_group = groups.last().map_or(0, |group| group.index as usize + 1);
        let mut layouts: Vec<Option<&wgpu::BindGroupLayout>> = vec![None; last_group];
        for group in &groups {
            layouts[group.index as usize] = Some(&group.layout);
        }
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(&program.name),
            bind_group_layouts: &layouts,
            immediate_size: program.immediate.as_ref().map_or(0, |(_, layout)| layout.size.next_multiple_of(4)),
        });
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(&program.name), source };
        let module = match ready.checks {
            Made::All => device.create_shader_module(descriptor),
            // SAFETY: for `Divisors`, `anywarp_middle::explicit` has inserted into the module a clamp or a guard for
            // every index and an iteration limit into every loop, except where `prove` has shown that none is needed;
            // for `Nothing`, the author of the `Unchecked` has promised what wgpu requires here.
            made => unsafe { device.create_shader_module_trusted(descriptor, made.by_wgpu()) },
        };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&program.name),
            layout: Some(&layout),
            module: &module,
            // A browser finds the program's only entry point without its name: naga renames some entry points when it
            // writes the text for the browser, as `conv3x3` to `conv3x3_`.
            entry_point: (!cfg!(target_arch = "wasm32")).then_some(program.entry_point.as_str()),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: kept.as_ref().map(|kept| &kept.object),
        });
        (Self { pipeline, groups, slots, signature: Signature::new(program) }, kept)
    }
}

/// The source that is passed to wgpu: the module, or in a browser the module's WGSL text.
#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::unnecessary_wraps, reason = "writing a text can fail")]
fn source(ready: &Ready) -> Result<wgpu::ShaderSource<'static>, BackendError> {
    Ok(wgpu::ShaderSource::Naga(Cow::Owned(ready.module.clone().into_module())))
}

#[cfg(target_arch = "wasm32")]
fn source(ready: &Ready) -> Result<wgpu::ShaderSource<'static>, BackendError> {
    Ok(wgpu::ShaderSource::Wgsl(Cow::Owned(text::wgsl(&ready.module)?)))
}

fn rejected(message: String) -> BackendError {
    BackendError::Rejected { operation: "compiling", message }
}

fn slots(bindings: &[BindingInfo], max_dynamic: u32) -> Vec<Slot> {
    let mut uniforms = 0;
    bindings
        .iter()
        .map(|info| {
            let uniform = info.class == BindingClass::Uniform;
            uniforms += u32::from(uniform);
            Slot { binding: info.resource.binding, uniform, dynamic: uniform && uniforms <= max_dynamic }
        })
        .collect()
}

fn groups(device: &wgpu::Device, bindings: &[BindingInfo], slots: &[Slot]) -> Vec<Group> {
    let mut start = 0;
    let mut groups = Vec::new();
    for members in bindings.chunk_by(|a, b| a.resource.group == b.resource.group) {
        let range = start..start + members.len();
        start = range.end;
        let entries: Vec<_> = members.iter().zip(&slots[range.clone()]).map(|(info, slot)| entry(info, slot)).collect();
        groups.push(Group {
            index: members[0].resource.group,
            layout_id: NEXT_LAYOUT.fetch_add(1, Ordering::Relaxed),
            layout: device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries }),
            slots: range,
        });
    }
    groups
}

fn entry(info: &BindingInfo, slot: &Slot) -> wgpu::BindGroupLayoutEntry {
    let ty = match info.class {
        BindingClass::Uniform => wgpu::BufferBindingType::Uniform,
        BindingClass::ReadOnlyStorage => wgpu::BufferBindingType::Storage { read_only: true },
        BindingClass::Storage => wgpu::BufferBindingType::Storage { read_only: false },
    };
    wgpu::BindGroupLayoutEntry {
        binding: slot.binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: slot.dynamic,
            min_binding_size: std::num::NonZeroU64::new(u64::from(info.layout.size)),
        },
        count: None,
    }
}

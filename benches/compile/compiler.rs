//! The Vulkan driver's compiler, called through plain wgpu without anywarp.

use std::time::{Duration, Instant};

use anywarp_backend::{BackendKind, BindingClass, Caps, Program};
use wgpu::util::DeviceExt;

use crate::shared::Outcome;

/// A kernel as wgpu receives it.
pub(crate) struct Given {
    pub(crate) module: naga::Module,
    pub(crate) checks: wgpu::ShaderRuntimeChecks,
    /// The group, the binding, the class and the smallest size in bytes of each binding.
    bindings: Vec<(u32, u32, BindingClass, u64)>,
}

impl Given {
    pub(crate) fn new(program: &Program, module: naga::Module, checks: wgpu::ShaderRuntimeChecks) -> Self {
        let binding = |info: &anywarp_backend::BindingInfo| {
            (info.resource.group, info.resource.binding, info.class, u64::from(info.layout.size))
        };
        Self { module, checks, bindings: program.bindings.iter().map(binding).collect() }
    }
}

/// An opened Vulkan device.
pub(crate) struct Compiler {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// The device's properties as anywarp reports them.
    pub(crate) caps: Caps,
}

impl Compiler {
    /// Opens the first Vulkan device, if there is one.
    pub(crate) fn new() -> Outcome<Option<Self>> {
        let Some(candidate) =
            anywarp_wgpu::candidates().into_iter().find(|candidate| candidate.caps.backend == BackendKind::Vulkan)
        else {
            return Ok(None);
        };
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == candidate.caps.name);
        let adapter = adapter.ok_or("the adapter has vanished")?;
        let request = wgpu::DeviceDescriptor {
            required_features: adapter.features()
                - wgpu::Features::all_experimental_mask()
                - wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&request))?;
        Ok(Some(Self { device, queue, caps: candidate.caps }))
    }

    /// The time until the device can run the kernel: software devices compile at the first dispatch.
    pub(crate) fn compile(&self, given: &Given) -> Outcome<Duration> {
        let groups = given.bindings.iter().map(|(group, ..)| group + 1).max().unwrap_or(0);
        let layouts: Vec<_> = (0..groups).map(|group| self.layout(given, group)).collect();
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layouts.iter().map(Some).collect::<Vec<_>>(),
            immediate_size: 0,
        });
        let bound: Vec<_> =
            layouts.iter().zip(0..).map(|(layout, group)| self.bind_group(given, group, layout)).collect();
        let nothing = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: &[0; 12],
            usage: wgpu::BufferUsages::INDIRECT,
        });
        let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(given.module.clone()));
        let descriptor = wgpu::ShaderModuleDescriptor { label: None, source };

        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let start = Instant::now();
        // SAFETY: no kernel is run: the grid is empty.
        let module = unsafe { self.device.create_shader_module_trusted(descriptor, given.checks) };
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        for (group, bound) in (0..).zip(&bound) {
            pass.set_bind_group(group, bound, &[]);
        }
        pass.dispatch_workgroups_indirect(&nothing, 0);
        drop(pass);
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let taken = start.elapsed();
        match pollster::block_on(scope.pop()) {
            None => Ok(taken),
            Some(error) => Err(error.into()),
        }
    }

    fn layout(&self, given: &Given, group: u32) -> wgpu::BindGroupLayout {
        let of_group = given.bindings.iter().filter(|(of, ..)| *of == group);
        let entry = |&(_, binding, class, _): &(u32, u32, BindingClass, u64)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match class {
                    BindingClass::Uniform => wgpu::BufferBindingType::Uniform,
                    BindingClass::ReadOnlyStorage => wgpu::BufferBindingType::Storage { read_only: true },
                    BindingClass::Storage => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = of_group.map(entry).collect();
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
    }

    fn bind_group(&self, given: &Given, group: u32, layout: &wgpu::BindGroupLayout) -> wgpu::BindGroup {
        let of_group: Vec<_> = given.bindings.iter().filter(|(of, ..)| *of == group).collect();
        let buffer = |&&(_, _, class, bytes): &&(u32, u32, BindingClass, u64)| {
            let usage =
                if class == BindingClass::Uniform { wgpu::BufferUsages::UNIFORM } else { wgpu::BufferUsages::STORAGE };
            let size = bytes.next_multiple_of(256).max(1024);
            let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            self.device.create_buffer(&descriptor)
        };
        let buffers: Vec<_> = of_group.iter().map(buffer).collect();
        let entries: Vec<_> = of_group
            .iter()
            .zip(&buffers)
            .map(|((_, binding, ..), buffer)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }
}

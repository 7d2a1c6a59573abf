//! Objects of wgpu, as a program without anywarp creates them.

use std::sync::{Arc, Mutex};

use anywarp::interop::wgpu::{self as beside, Handles, wgpu};
use anywarp::{Device, DeviceOptions};
use wgpu::{BufferUsages, Features};

/// Returns a new instance, and keeps it alive: otherwise the loader unloads drivers while threads that used them still
/// run.
fn instance() -> wgpu::Instance {
    static KEPT: Mutex<Vec<wgpu::Instance>> = Mutex::new(Vec::new());
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(descriptor);
    KEPT.lock().unwrap().push(instance.clone());
    instance
}

/// Opens a device of a new instance, with those of `features` that the adapter supports; returns `None`, with a
/// message, on a machine without Vulkan.
pub(crate) fn device(features: Features) -> Option<Handles> {
    let adapters = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::VULKAN));
    let software = |adapter: &wgpu::Adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    let Some(adapter) = adapters.iter().find(|adapter| software(adapter)).or(adapters.first()) else {
        let required = std::env::var("ANYWARP_REQUIRE").unwrap_or_default();
        assert!(!required.contains("vulkan"), "ANYWARP_REQUIRE names vulkan, but there is no Vulkan device");
        println!("skipped: no Vulkan device");
        return None;
    };
    Some(second(adapter, features))
}

/// Opens another device of the same adapter.
pub(crate) fn second(adapter: &wgpu::Adapter, features: Features) -> Handles {
    let descriptor = wgpu::DeviceDescriptor { required_features: features & adapter.features(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    Handles { adapter: adapter.clone(), device, queue }
}

/// A device that both anywarp and raw code use.
pub(crate) struct Pair {
    pub(crate) name: &'static str,
    pub(crate) anywarp: Device,
    pub(crate) raw: Handles,
}

/// Devices that raw code or anywarp opened, each with and without memory that the host can map; none on a machine
/// without Vulkan.
pub(crate) fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (name, features) in [("theirs", Features::empty()), ("theirs, mappable", Features::MAPPABLE_PRIMARY_BUFFERS)] {
        let Some(raw) = device(features) else { return pairs };
        pairs.push(Pair { name, anywarp: anywarp_on(&raw), raw });
    }
    for (name, staged) in [("ours", false), ("ours, staged", true)] {
        let options = DeviceOptions::default().selector(pairs[0].anywarp.selector()).staged(staged);
        let anywarp = Device::open_with(&options).unwrap();
        let raw = anywarp.wgpu().unwrap();
        pairs.push(Pair { name, anywarp, raw });
    }
    pairs
}

pub(crate) fn anywarp_on(raw: &Handles) -> Device {
    beside::device(&raw.adapter, raw.device.clone(), raw.queue.clone()).unwrap()
}

/// The usages that a kernel and the host can need.
pub(crate) const WORK: BufferUsages = BufferUsages::STORAGE
    .union(BufferUsages::UNIFORM)
    .union(BufferUsages::INDIRECT)
    .union(BufferUsages::COPY_SRC)
    .union(BufferUsages::COPY_DST);

pub(crate) fn buffer(device: &wgpu::Device, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor { label: Some("theirs"), size, usage, mapped_at_creation: false })
}

/// Computes `x = 3 x + 1` for every word, as a pipeline of wgpu.
pub(crate) struct Triple {
    device: wgpu::Device,
    pipeline: wgpu::ComputePipeline,
}

impl Triple {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let wgsl = "
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                if id.x < arrayLength(&data) { data[id.x] = 3u * data[id.x] + 1u; }
            }";
        let module = naga::front::wgsl::parse_str(wgsl).unwrap();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        Self { device: device.clone(), pipeline }
    }

    /// Returns a command buffer that runs the pipeline on the first `bytes` of `buffer`.
    pub(crate) fn commands(&self, buffer: &wgpu::Buffer, bytes: u64) -> wgpu::CommandBuffer {
        let binding = wgpu::BufferBinding { buffer, offset: 0, size: std::num::NonZeroU64::new(bytes) };
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }],
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(bytes.div_ceil(256) as u32, 1, 1);
        }
        encoder.finish()
    }
}

/// The errors and losses that a device's callbacks received.
#[derive(Clone, Default)]
pub(crate) struct Received {
    pub(crate) errors: Arc<Mutex<Vec<String>>>,
    pub(crate) losses: Arc<Mutex<Vec<String>>>,
}

impl Received {
    pub(crate) fn by(device: &wgpu::Device) -> Self {
        let told = Self::default();
        let (errors, losses) = (Arc::clone(&told.errors), Arc::clone(&told.losses));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| errors.lock().unwrap().push(error.to_string())));
        device.set_device_lost_callback(move |_, message| losses.lock().unwrap().push(message));
        told
    }

    pub(crate) fn errors(&self) -> Vec<String> {
        std::mem::take(&mut *self.errors.lock().unwrap())
    }
}

//! Launches through raw wgpu.

use std::borrow::Cow;
use std::time::Instant;

use super::shared::{Outcome, Raw, timed};
use super::{BATCH, LAUNCHES, SOURCE, THREADS, same};

/// The raw side: one bind group with a dynamic offset into [`LAUNCHES`] parameters.
pub(super) struct Bare {
    pub(super) raw: Raw,
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    parameters: wgpu::Buffer,
    staged: Vec<u8>,
    stride: u32,
    total: wgpu::Buffer,
    readback: wgpu::Buffer,
}

impl Bare {
    pub(super) fn new(raw: Raw) -> Outcome<Self> {
        use wgpu::BufferUsages as Usage;
        let stride = raw.device.limits().min_uniform_buffer_offset_alignment.max(16);
        let parameters = raw.buffer(u64::from(stride * LAUNCHES), Usage::UNIFORM | Usage::COPY_DST);
        let total = raw.buffer(u64::from(THREADS) * 4, Usage::STORAGE | Usage::COPY_SRC);
        let readback = raw.buffer(u64::from(THREADS) * 4, Usage::MAP_READ | Usage::COPY_DST);
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: wgpu::BufferSize::new(4) },
            count: None,
        };
        let layout = raw.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(0, wgpu::BufferBindingType::Uniform, true),
                entry(1, wgpu::BufferBindingType::Storage { read_only: false }, false),
            ],
        });
        let parameter = wgpu::BufferBinding { buffer: &parameters, offset: 0, size: wgpu::BufferSize::new(16) };
        let bind_group = raw.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(parameter) },
                wgpu::BindGroupEntry { binding: 1, resource: total.as_entire_binding() },
            ],
        });
        let pipeline_layout = raw.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let module = Cow::Owned(naga::front::wgsl::parse_str(SOURCE)?);
        let source = wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Naga(module) };
        let pipeline = raw.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &raw.device.create_shader_module(source),
            entry_point: Some("add"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let staged = vec![0; (stride * LAUNCHES) as usize];
        let mut bare = Self { raw, pipeline, bind_group, parameters, staged, stride, total, readback };
        bare.prefill(1..=LAUNCHES);
        Ok(bare)
    }

    /// Writes the parameters of all launches with one call.
    pub(super) fn prefill(&mut self, steps: impl Iterator<Item = u32>) {
        for (slot, step) in self.staged.chunks_exact_mut(self.stride as usize).zip(steps) {
            slot[..4].copy_from_slice(&step.to_le_bytes());
        }
        self.raw.queue.write_buffer(&self.parameters, 0, &self.staged);
    }

    /// Encodes one pass with `launches` launches, all with the first parameter.
    pub(super) fn encode_constant(&self, launches: u32) -> wgpu::CommandEncoder {
        let mut encoder = self.raw.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[0]);
        for _ in 0..launches {
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        encoder
    }

    /// Encodes one pass with one launch for each parameter.
    pub(super) fn encode_changing(&self, launches: u32) -> wgpu::CommandEncoder {
        let mut encoder = self.raw.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        for launch in 0..launches {
            pass.set_bind_group(0, &self.bind_group, &[launch * self.stride]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        encoder
    }

    pub(super) fn run_constant(&self, launches: u32) -> Outcome<()> {
        self.raw.finish(self.encode_constant(launches))
    }

    pub(super) fn run_changing(&self) -> Outcome<()> {
        self.raw.finish(self.encode_changing(LAUNCHES))
    }

    /// The seconds until the device has received [`BATCH`] launches; the execution of the launches is not measured.
    pub(super) fn hand_over(&self) -> Outcome<f64> {
        let start = Instant::now();
        let submitted = self.raw.queue.submit([self.encode_changing(BATCH).finish()]);
        let seconds = start.elapsed().as_secs_f64();
        self.raw.wait(submitted)?;
        Ok(seconds)
    }

    /// The seconds from the submission of `encoder`'s commands to their end; encoding is not measured.
    pub(super) fn device_time(&self, encoder: wgpu::CommandEncoder) -> Outcome<f64> {
        let commands = encoder.finish();
        timed(|| {
            let submitted = self.raw.queue.submit([commands]);
            self.raw.wait(submitted)
        })
    }

    pub(super) fn sum(&self) -> Outcome<u32> {
        let mut encoder = self.raw.encoder();
        encoder.copy_buffer_to_buffer(&self.total, 0, &self.readback, 0, self.readback.size());
        self.raw.finish(encoder)?;
        self.raw.map(&self.readback, wgpu::MapMode::Read)?;
        let sums: Vec<u32> = bytemuck::pod_collect_to_vec(&self.readback.get_mapped_range(..)?);
        self.readback.unmap();
        Ok(same(&sums)?)
    }
}

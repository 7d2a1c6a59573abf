//! The smallest realistic job: an upload of 4 KiB, a kernel, a download of 4 KiB.

use std::borrow::Cow;

use anywarp::{Device, Kernel, UnifiedBuffer};

use crate::shared::{Goal, Outcome, Pair, Raw, Row, interleaved, timed};

const WORDS: usize = 1024;
const SOURCE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&data) { data[id.x] += 1u; }
}";

struct Ours {
    kernel: Kernel,
    buffer: UnifiedBuffer<u32>,
}

impl Ours {
    fn run(&mut self, words: &mut [u32]) -> Outcome<()> {
        self.buffer.copy_from_slice(words)?;
        self.kernel.launch().bind("data", &mut self.buffer).threads(WORDS)?;
        Ok(self.buffer.copy_to_slice(words)?)
    }
}

struct Bare<'a> {
    raw: &'a Raw,
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    buffer: wgpu::Buffer,
    readback: wgpu::Buffer,
}

impl<'a> Bare<'a> {
    fn new(raw: &'a Raw) -> Outcome<Self> {
        use wgpu::BufferUsages as Usage;
        let bytes = WORDS as u64 * 4;
        let buffer = raw.buffer(bytes, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST);
        let readback = raw.buffer(bytes, Usage::MAP_READ | Usage::COPY_DST);
        let module = Cow::Owned(naga::front::wgsl::parse_str(SOURCE)?);
        let source = wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Naga(module) };
        let pipeline = raw.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &raw.device.create_shader_module(source),
            entry_point: Some("add"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let bind_group = raw.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        Ok(Self { raw, pipeline, bind_group, buffer, readback })
    }

    fn run(&self, words: &mut [u32]) -> Outcome<()> {
        self.raw.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(words));
        let mut encoder = self.raw.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups((WORDS as u32).div_ceil(64), 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &self.readback, 0, self.readback.size());
        self.raw.queue.submit([encoder.finish()]);
        self.raw.map(&self.readback, wgpu::MapMode::Read)?;
        words.copy_from_slice(bytemuck::cast_slice(&self.readback.get_mapped_range(..)?));
        self.readback.unmap();
        Ok(())
    }
}

/// Measures the job and checks the result of every round; returns the row of the table.
pub(crate) fn row(device: &Device, raw: &Raw, quick: bool) -> Outcome<Row> {
    let mut ours = Ours { kernel: device.kernel(SOURCE)?, buffer: device.buffer(WORDS)? };
    let bare = Bare::new(raw)?;
    let (mut first, mut second) = (vec![0; WORDS], vec![0; WORDS]);
    let rounds = if quick { 100 } else { 3000 };
    let Pair { ours: own, raw: other, ratio } =
        interleaved(rounds, || timed(|| ours.run(&mut first)), || timed(|| bare.run(&mut second)))?;
    if first != second || first[0] < rounds as u32 {
        return Err(format!("wrong result after {rounds} rounds: {} and {}", first[0], second[0]).into());
    }
    Ok(Row {
        what: "4 KiB up, kernel, 4 KiB down".to_owned(),
        unit: "us",
        ours: own * 1e6,
        baseline: other * 1e6,
        ceiling: f64::NAN,
        judged: (ratio, "x"),
        goal: Goal::AtMost(1.3),
    })
}

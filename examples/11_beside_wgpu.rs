//! Next to a program's own wgpu code: the program's device, its buffer, and passes of both sides in turns.
//!
//! The program moves particles with its own pipeline; anywarp pulls them back and sums them. Nothing is copied, and
//! only the final `read` waits.

use std::borrow::Cow;

use anywarp::interop::wgpu::{self as beside, wgpu};
use anywarp::ops::ReductionKernel;

const PARTICLES: u32 = 10_000;

/// The program's own kernel.
const MOVE: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64)
fn move_right(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&x) { x[id.x] += 4.0; }
}";

/// The kernel for anywarp.
const PULL: &str = "
@group(0) @binding(0) var<uniform> strength: f32;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64)
fn pull(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&x) { x[id.x] *= 1.0 - strength; }
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
    let pipeline = pipeline(&device)?;
    let (size, usage) = (u64::from(PARTICLES) * 4, wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE);
    let particles =
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });

    let anywarp = beside::device(&adapter, device.clone(), queue.clone())?;
    let mut x = beside::buffer::<f32>(&anywarp, particles)?;
    let pull = anywarp.kernel(PULL)?;
    for _ in 0..3 {
        {
            let x = x.lend_wgpu_mut()?; // earlier launches are already submitted
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: x.as_entire_binding() }],
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(PARTICLES.div_ceil(64), 1, 1);
            drop(pass);
            queue.submit([encoder.finish()]); // before the loan of `x` ends
        }
        pull.launch().set("strength", 0.5f32).bind("x", &mut x).threads(PARTICLES)?;
    }

    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
    let mean = sum.apply::<f32>(&anywarp, &x)?.read()?[0] / PARTICLES as f32;
    println!("{}: the mean position of the particles is {mean}", anywarp.caps().name);
    assert_eq!(mean, ((4.0 * 0.5 + 4.0) * 0.5 + 4.0) * 0.5);
    Ok(())
}

fn pipeline(device: &wgpu::Device) -> Result<wgpu::ComputePipeline, wgpu::naga::front::wgsl::ParseError> {
    let source = wgpu::ShaderSource::Naga(Cow::Owned(wgpu::naga::front::wgsl::parse_str(MOVE)?));
    Ok(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source }),
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    }))
}

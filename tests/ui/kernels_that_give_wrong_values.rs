use anywarp::{Device, KernelError};

anywarp::kernels!(mod scale {
    "override factor: f32;
     struct Params { shift: vec3<f32>, on: u32 }
     @group(0) @binding(0) var<uniform> params: Params;
     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
     @compute @workgroup_size(64) fn scale() { y[0] = factor * params.shift.x; }"
});

fn params() -> scale::Params {
    scale::Params::new([1.0; 4], 1)
}

fn kernel(device: &Device) -> Result<scale::Scale, KernelError> {
    scale::scale_with(device, scale::Overrides { factor: 2, ..Default::default() })
}

fn main() {}

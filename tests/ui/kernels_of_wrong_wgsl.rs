anywarp::kernels!(mod wrong {
    r"
    @group(0) @binding(0) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(64) fn wrong() { y[0] = 1u; }"
});

anywarp::kernels!(mod endless {
    r"
    struct Series { count: u32, values: array<f32> }
    @group(0) @binding(0) var<storage, read_write> series: Series;
    @compute @workgroup_size(64) fn endless() { series.count = 1; }"
});

anywarp::kernels!("../../examples/shaders/saxpy.wgsl", fast);

fn main() {}

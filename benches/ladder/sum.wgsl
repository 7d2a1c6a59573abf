// A sum by one workgroup.
@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

var<workgroup> lanes: array<f32, 256>;

@compute @workgroup_size(256)
fn sum(@builtin(local_invocation_index) lane: u32) {
    var own = 0.0;
    for (var k = lane; k < arrayLength(&x); k += 256u) {
        own += x[k];
    }
    lanes[lane] = own;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            lanes[lane] += lanes[lane + half];
        }
    }
    if lane == 0u {
        y[0] = lanes[0];
    }
}

// The Gaussian error linear unit, by its tanh approximation (Hendrycks and Gimpel, 2016), four values per thread.
const PER_THREAD = 4u;

@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn gelu(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    for (var i = 0u; i < PER_THREAD; i++) {
        let at = (group.x * PER_THREAD + i) * 256u + thread;
        if at >= arrayLength(&x) {
            return;
        }
        let value = x[at];
        y[at] = 0.5 * value * (1.0 + tanh(0.7978845608 * (value + 0.044715 * value * value * value)));
    }
}

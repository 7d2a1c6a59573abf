const PRIMES = array<u32, 12>(2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u, 23u, 29u, 31u, 37u);
const STEPS = array<vec2<i32>, 4>(vec2(0, 1), vec2(1, 0), vec2(0, -1), vec2(-1, 0));
@group(0) @binding(0) var<storage, read_write> data: array<i32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let step = STEPS[i % 4u];
    data[i] = i32(PRIMES[i % 12u]) / (step.x + step.y);
}

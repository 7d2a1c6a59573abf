// One stage of a Fourier transform: butterflies of two.
struct Params { half_count: u32, span: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= params.half_count { return; }
    let within = i % params.span;
    let angle = -3.14159265 * f32(within) / f32(params.span);
    let turn = vec2<f32>(cos(angle), sin(angle));
    let one = input[i];
    let two = input[i + params.half_count];
    let turned = vec2<f32>(two.x * turn.x - two.y * turn.y, two.x * turn.y + two.y * turn.x);
    let to = 2u * (i - within) + within;
    output[to] = one + turned;
    output[to + params.span] = one - turned;
}

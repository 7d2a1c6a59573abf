// One stage of a radix-2 FFT (Stockham): the two outputs of a butterfly are `span` numbers apart.
struct Params {
    // The number of complex numbers.
    length: u32,
    span: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> before: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> after: array<vec2<f32>>;

@compute @workgroup_size(128)
fn fft_stage(@builtin(global_invocation_id) id: vec3<u32>) {
    let half = params.length / 2u;
    if id.x >= half {
        return;
    }
    let within = id.x & (params.span - 1u);
    let angle = -3.14159265358979 * f32(within) / f32(params.span);
    let turn = vec2(cos(angle), sin(angle));
    let one = before[id.x];
    let two = before[id.x + half];
    let turned = vec2(turn.x * two.x - turn.y * two.y, turn.x * two.y + turn.y * two.x);
    let at = 2u * id.x - within;
    after[at] = one + turned;
    after[at + params.span] = one - turned;
}

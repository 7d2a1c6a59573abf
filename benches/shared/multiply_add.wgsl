// Eight chains of multiply-adds in registers, 64 steps each: 2 x 4 x 8 x 64 operations for each invocation.
@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(256)
fn multiply_add(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&y) {
        return;
    }
    let seed = y[id.x];
    let m = vec4(0.5);
    var a = seed;
    var b = seed + 1.0;
    var c = seed + 2.0;
    var d = seed + 3.0;
    var e = seed + 4.0;
    var f = seed + 5.0;
    var g = seed + 6.0;
    var h = seed + 7.0;
    for (var step = 0u; step < 64u; step++) {
        a = fma(a, m, m);
        b = fma(b, m, m);
        c = fma(c, m, m);
        d = fma(d, m, m);
        e = fma(e, m, m);
        f = fma(f, m, m);
        g = fma(g, m, m);
        h = fma(h, m, m);
    }
    // Each chain converges to 1, from any start value.
    y[id.x] = ((a + b) + (c + d)) + ((e + f) + (g + h));
}

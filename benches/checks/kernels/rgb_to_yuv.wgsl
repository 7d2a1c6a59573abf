// Pixels of eight bits a channel from RGB to YUV (BT.601, full range).
@group(0) @binding(0) var<storage> rgb: array<u32>;
@group(0) @binding(1) var<storage, read_write> yuv: array<u32>;

@compute @workgroup_size(256)
fn rgb_to_yuv(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&rgb) {
        return;
    }
    let pixel = rgb[id.x];
    var channels: array<i32, 3>;
    for (var i = 0u; i < 3u; i++) {
        channels[i] = i32((pixel >> (8u * i)) & 0xffu);
    }
    // Rows of weights, in 256ths.
    let weights = array(array(77, 150, 29), array(-43, -85, 128), array(128, -107, -21));
    let offsets = array(0, 128, 128);
    var packed = pixel & 0xff000000u;
    for (var row = 0u; row < 3u; row++) {
        var sum = 128;
        for (var i = 0u; i < 3u; i++) {
            sum += weights[row][i] * channels[i];
        }
        let value = clamp((sum >> 8u) + offsets[row], 0, 255);
        packed |= u32(value) << (8u * row);
    }
    yuv[id.x] = packed;
}

// Pixels of eight bits a channel from RGB to YUV (BT.601, full range).
@group(0) @binding(0) var<storage> rgb: array<u32>;
@group(0) @binding(1) var<storage, read_write> yuv: array<u32>;

@compute @workgroup_size(64)
fn rgb_to_yuv(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&yuv) {
        return;
    }
    let pixel = rgb[id.x];
    let r = i32(pixel & 0xffu);
    let g = i32((pixel >> 8u) & 0xffu);
    let b = i32((pixel >> 16u) & 0xffu);
    let y = (77 * r + 150 * g + 29 * b + 128) >> 8u;
    let u = ((-43 * r - 85 * g + 128 * b + 128) >> 8u) + 128;
    let v = ((128 * r - 107 * g - 21 * b + 128) >> 8u) + 128;
    let packed = vec3<u32>(clamp(vec3(y, u, v), vec3(0), vec3(255)));
    yuv[id.x] = (pixel & 0xff000000u) | packed.x | (packed.y << 8u) | (packed.z << 16u);
}

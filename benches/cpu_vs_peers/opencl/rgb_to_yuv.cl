// Pixels of eight bits a channel from RGB to YUV (BT.601, full range).
__kernel void run(__global const uint *restrict rgb, __global uint *restrict yuv) {
    size_t i = get_global_id(0);
    uint pixel = rgb[i];
    int r = pixel & 0xff;
    int g = (pixel >> 8) & 0xff;
    int b = (pixel >> 16) & 0xff;
    int y = (77 * r + 150 * g + 29 * b + 128) >> 8;
    int u = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128;
    int v = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128;
    uint packed = clamp(y, 0, 255) | (clamp(u, 0, 255) << 8) | (clamp(v, 0, 255) << 16);
    yuv[i] = (pixel & 0xff000000u) | packed;
}

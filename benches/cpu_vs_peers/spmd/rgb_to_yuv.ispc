// Pixels of eight bits a channel from RGB to YUV (BT.601, full range).
export void run(uniform unsigned int rgb[], uniform float unused[], uniform unsigned int yuv[], uniform int first, uniform int last) {
    foreach (i = first ... last) {
        unsigned int pixel = rgb[i];
        int r = pixel & 0xff, g = (pixel >> 8) & 0xff, b = (pixel >> 16) & 0xff;
        int y = (77 * r + 150 * g + 29 * b + 128) >> 8;
        int u = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128;
        int v = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128;
        y = clamp(y, 0, 255);
        u = clamp(u, 0, 255);
        v = clamp(v, 0, 255);
        yuv[i] = (pixel & 0xff000000u) | y | (u << 8) | (v << 16);
    }
}

// The number of steps after which each point of some rows leaves the circle of radius 2.
static const uniform int WIDTH = 1024;
static const uniform float PIXEL = 2.8f / 1024;
static const uniform int MOST = 256;

export void run(uniform float unused[], uniform float neither[], uniform int steps[], uniform int first, uniform int last) {
    for (uniform int y = first; y < last; ++y) {
        foreach (x = 0 ... WIDTH) {
            float cx = -2.1f + PIXEL * x, cy = -1.4f + PIXEL * y;
            float zx = 0, zy = 0;
            int count = 0;
            while (count < MOST && zx * zx + zy * zy <= 4) {
                float real = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = real;
                count++;
            }
            steps[y * WIDTH + x] = count;
        }
    }
}

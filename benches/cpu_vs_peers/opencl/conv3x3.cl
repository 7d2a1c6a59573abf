// A 3x3 convolution of an image of one channel; its edge pixels are repeated outwards.
#define WIDTH 2048
#define HEIGHT 2048

float pixel(__global const float *source, int x, int y) {
    return source[clamp(y, 0, HEIGHT - 1) * WIDTH + clamp(x, 0, WIDTH - 1)];
}

__kernel void run(
    __global const float *restrict source,
    __constant float *restrict weights,
    __global float *restrict convolved
) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = 0.0f;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            sum += weights[3 * row + column] * pixel(source, x + column - 1, y + row - 1);
        }
    }
    convolved[y * WIDTH + x] = sum;
}

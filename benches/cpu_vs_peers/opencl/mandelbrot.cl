// The number of steps after which each point leaves the circle of radius 2.
#define WIDTH 1024
#define PIXEL (2.8f / 1024)
#define MOST 256

__kernel void run(__global uint *restrict steps) {
    int column = get_global_id(0);
    int row = get_global_id(1);
    float2 c = (float2)(-2.1f, -1.4f) + PIXEL * (float2)(column, row);
    float2 z = (float2)(0.0f);
    uint count = 0;
    while (count < MOST && dot(z, z) <= 4.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        count++;
    }
    steps[row * WIDTH + column] = count;
}

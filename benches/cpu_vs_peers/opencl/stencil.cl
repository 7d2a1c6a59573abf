// One step of diffusion on a grid whose edge stays as it is. Values rise faster than they fall.
#define WIDTH 2048
#define HEIGHT 2048

__kernel void run(__global const float *restrict values, __global float *restrict next) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int at = y * WIDTH + x;
    float own = values[at];
    if (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1) {
        next[at] = own;
    } else {
        float beside = values[at - 1] + values[at + 1];
        float change = 0.25f * (beside + values[at - WIDTH] + values[at + WIDTH]) - own;
        if (change > 0.0f) {
            next[at] = own + 0.75f * change;
        } else {
            next[at] = own + 0.5f * change;
        }
    }
}

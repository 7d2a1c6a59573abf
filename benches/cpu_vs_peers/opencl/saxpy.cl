// y = a * x + y
#define A 0.5f

__kernel void run(__global const float *restrict x, __global float *restrict y) {
    size_t i = get_global_id(0);
    y[i] += A * x[i];
}

// The kernels of copy.wgsl, saxpy.wgsl and squash.wgsl in hand-written CUDA C++; blocks of 256 threads.

extern "C" __global__ void saxpy(const float* x, float* y, float a, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void copy4(const float4* x, float4* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void saxpy4(const float4* x, float4* y, float a, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 u = x[i], v = y[i];
    y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}

extern "C" __global__ void squash4(const float4* x, float4* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 u = x[i];
    y[i] = make_float4(tanhf(u.x) * 2 + 1, tanhf(u.y) * 2 + 1, tanhf(u.z) * 2 + 1, tanhf(u.w) * 2 + 1);
}

// product = a * b, row-major: a workgroup computes a tile of the product from strips of tiles that it loads together.
#define TILE 16

__kernel void run(
    __global const float *restrict a,
    __global const float *restrict b,
    __global float *restrict product
) {
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];
    int row = get_global_id(1);
    int column = get_global_id(0);
    int y = get_local_id(1);
    int x = get_local_id(0);
    float sum = 0.0f;
    for (int start = 0; start < SIZE; start += TILE) {
        a_tile[y][x] = a[row * SIZE + start + x];
        b_tile[y][x] = b[(start + y) * SIZE + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum += a_tile[y][k] * b_tile[k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    product[row * SIZE + column] = sum;
}

// A 32x32 tile per workgroup: read row by row, written row by row.
#define WIDTH 2048
#define HEIGHT 2048
#define TILE 32
#define ROWS 8

__kernel void run(__global const float *restrict source, __global float *restrict transposed) {
    // One column more than is used, so that a column of the tile is distributed over all banks.
    __local float tile[TILE][TILE + 1];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int left = get_group_id(0) * TILE;
    int top = get_group_id(1) * TILE;
    for (int row = y; row < TILE; row += ROWS) {
        tile[row][x] = source[(top + row) * WIDTH + left + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = y; row < TILE; row += ROWS) {
        transposed[(left + row) * HEIGHT + top + x] = tile[x][row];
    }
}

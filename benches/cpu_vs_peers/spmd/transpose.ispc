// Transposes a matrix by tiles of 32x32: read row by row, written row by row. A unit of work is a row of tiles.
static const uniform int WIDTH = 2048;
static const uniform int HEIGHT = 2048;
static const uniform int TILE = 32;

export void run(uniform float source[], uniform float unused[], uniform float transposed[], uniform int first, uniform int last) {
    for (uniform int y = first * TILE; y < last * TILE; y += TILE) {
        for (uniform int x = 0; x < WIDTH; x += TILE) {
            uniform float tile[TILE * (TILE + 1)];
            for (uniform int row = 0; row < TILE; ++row) {
                foreach (column = 0 ... TILE) {
                    tile[row * (TILE + 1) + column] = source[(y + row) * WIDTH + x + column];
                }
            }
            for (uniform int row = 0; row < TILE; ++row) {
                foreach (column = 0 ... TILE) {
#pragma ignore warning(perf)
                    transposed[(x + row) * HEIGHT + y + column] = tile[column * (TILE + 1) + row];
                }
            }
        }
    }
}

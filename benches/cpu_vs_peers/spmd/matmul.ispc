// product = a * b, row-major: tiles of the product from strips of tiles. A unit of work is a row of tiles.
static const uniform int TILE = 16;

export void run(uniform float a[], uniform float b[], uniform float product[], uniform int first, uniform int last) {
    for (uniform int y = first * TILE; y < last * TILE; y += TILE) {
        for (uniform int x = 0; x < SIZE; x += TILE) {
            uniform float sums[TILE * TILE];
            foreach (i = 0 ... TILE * TILE) {
                sums[i] = 0;
            }
            for (uniform int start = 0; start < SIZE; start += TILE) {
                for (uniform int row = 0; row < TILE; ++row) {
                    foreach (column = 0 ... TILE) {
                        float sum = sums[row * TILE + column];
                        for (uniform int k = 0; k < TILE; ++k) {
                            sum += a[(y + row) * SIZE + start + k] * b[(start + k) * SIZE + x + column];
                        }
                        sums[row * TILE + column] = sum;
                    }
                }
            }
            for (uniform int row = 0; row < TILE; ++row) {
                foreach (column = 0 ... TILE) {
                    product[(y + row) * SIZE + x + column] = sums[row * TILE + column];
                }
            }
        }
    }
}

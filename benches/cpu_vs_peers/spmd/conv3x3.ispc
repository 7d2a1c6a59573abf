// A 3x3 convolution of rows of an image; its edge pixels are repeated outwards. The edges are apart, so that all other
// pixels are read in vectors.
static const uniform int WIDTH = 2048;
static const uniform int HEIGHT = 2048;

static inline float filtered(uniform float source[], uniform float weights[], uniform int y, int left, int middle, int right) {
    float sum = 0;
    for (uniform int row = 0; row < 3; ++row) {
        uniform int start = clamp(y + row - 1, 0, HEIGHT - 1) * WIDTH;
        sum += weights[3 * row] * source[start + left] + weights[3 * row + 1] * source[start + middle]
            + weights[3 * row + 2] * source[start + right];
    }
    return sum;
}

export void run(uniform float source[], uniform float weights[], uniform float convolved[], uniform int first, uniform int last) {
    for (uniform int y = first; y < last; ++y) {
        foreach (x = 1 ... WIDTH - 1) {
            convolved[y * WIDTH + x] = filtered(source, weights, y, x - 1, x, x + 1);
        }
        convolved[y * WIDTH] = extract(filtered(source, weights, y, 0, 0, 1), 0);
        convolved[y * WIDTH + WIDTH - 1] = extract(filtered(source, weights, y, WIDTH - 2, WIDTH - 1, WIDTH - 1), 0);
    }
}

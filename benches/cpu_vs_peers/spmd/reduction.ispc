// Sums blocks of 2048 values, then the sums of the blocks.
static const uniform int BLOCK = 2048;

export void run(uniform float values[], uniform float unused[], uniform float sum[], uniform int first, uniform int last) {
    uniform float all = 0;
    for (uniform int block = first; block < last; ++block) {
        float partial = 0;
        foreach (i = block * BLOCK ... (block + 1) * BLOCK) {
            partial += values[i];
        }
        all += reduce_add(partial);
    }
    sum[0] = all;
}

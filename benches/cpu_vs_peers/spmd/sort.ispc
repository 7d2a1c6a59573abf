// Bitonic sort (Batcher, 1968) of a copy of the keys: blocks of 512 first, then stages across all blocks.
static const uniform int BLOCK = 512;

// The exchanges over one distance, between `count` pairs of keys from `start` on.
static inline void exchange(uniform unsigned int keys[], uniform int start, uniform int count, uniform int stage, uniform int distance) {
    foreach (pair = 0 ... count) {
        int first = start + 2 * pair - (pair & (distance - 1));
        unsigned int low = keys[first], high = keys[first + distance];
        if ((low > high) == ((first & stage) == 0)) {
            keys[first] = high;
            keys[first + distance] = low;
        }
    }
}

export void run(uniform unsigned int unsorted[], uniform float unused[], uniform unsigned int keys[], uniform int first, uniform int last) {
    foreach (i = first ... last) {
        keys[i] = unsorted[i];
    }
    for (uniform int start = 0; start < last; start += BLOCK) {
        for (uniform int stage = 2; stage <= BLOCK; stage *= 2) {
            for (uniform int distance = stage / 2; distance > 0; distance /= 2) {
                exchange(keys, start, BLOCK / 2, stage, distance);
            }
        }
    }
    for (uniform int stage = 2 * BLOCK; stage <= last; stage *= 2) {
        for (uniform int distance = stage / 2; distance >= BLOCK; distance /= 2) {
            exchange(keys, 0, last / 2, stage, distance);
        }
        for (uniform int start = 0; start < last; start += BLOCK) {
            for (uniform int distance = BLOCK / 2; distance > 0; distance /= 2) {
                exchange(keys, start, BLOCK / 2, stage, distance);
            }
        }
    }
}

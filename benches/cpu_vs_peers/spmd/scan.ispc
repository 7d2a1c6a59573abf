// Inclusive prefix sums.
export void run(uniform unsigned int values[], uniform float unused[], uniform unsigned int prefixes[], uniform int first, uniform int last) {
    uniform unsigned int carried = 0;
    for (uniform int i = first; i < last; i += programCount) {
        unsigned int value = values[i + programIndex];
        prefixes[i + programIndex] = carried + value + exclusive_scan_add(value);
        carried += (uniform unsigned int)reduce_add(value);
    }
}

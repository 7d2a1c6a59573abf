// Counts words by their upper eight bits: each program instance has bins of its own.
export void run(uniform unsigned int values[], uniform float unused[], uniform unsigned int bins[], uniform int first, uniform int last) {
    uniform unsigned int counts[256 * programCount];
    foreach (i = 0 ... 256 * programCount) {
        counts[i] = 0;
    }
    foreach (i = first ... last) {
        unsigned int at = (values[i] >> 24) * programCount + programIndex;
#pragma ignore warning(perf)
        counts[at]++;
    }
    for (uniform int bin = 0; bin < 256; ++bin) {
        bins[bin] = (uniform unsigned int)reduce_add(counts[bin * programCount + programIndex]);
    }
}

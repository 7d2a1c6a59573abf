// y = a * x + y
export void run(uniform float x[], uniform float unused[], uniform float y[], uniform int first, uniform int last) {
    foreach (i = first ... last) {
        y[i] += 0.5f * x[i];
    }
}

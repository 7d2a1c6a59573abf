// A picture through a map of positions, with bilinear interpolation: four gathers for each pixel.
static const uniform int SIDE = 2048;

struct Position {
    float x, y;
};

static inline float mixed(float a, float b, float part) {
    return a * (1 - part) + b * part;
}

export void run(uniform float picture[], uniform Position positions[], uniform float result[], uniform int first, uniform int last) {
    foreach (i = first ... last) {
        Position position = positions[i];
        float left = floor(position.x), top = floor(position.y);
        int at = (int)top * SIDE + (int)left;
#pragma ignore warning(perf)
        float above = mixed(picture[at], picture[at + 1], position.x - left);
#pragma ignore warning(perf)
        float below = mixed(picture[at + SIDE], picture[at + SIDE + 1], position.x - left);
        result[i] = mixed(above, below, position.y - top);
    }
}

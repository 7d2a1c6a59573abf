// One step of diffusion on rows of a grid whose edge stays as it is. Values rise faster than they fall.
static const uniform int WIDTH = 2048;
static const uniform int HEIGHT = 2048;

export void run(uniform float values[], uniform float unused[], uniform float next[], uniform int first, uniform int last) {
    for (uniform int y = first; y < last; ++y) {
        foreach (x = 0 ... WIDTH) {
            int at = y * WIDTH + x;
            float own = values[at];
            if (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1) {
                next[at] = own;
            } else {
                float beside = values[at - 1] + values[at + 1];
                float change = 0.25f * (beside + values[at - WIDTH] + values[at + WIDTH]) - own;
                if (change > 0) {
                    next[at] = own + 0.75f * change;
                } else {
                    next[at] = own + 0.5f * change;
                }
            }
        }
    }
}

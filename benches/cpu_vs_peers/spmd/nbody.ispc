// One step of bodies that all attract each other.
static const uniform int COUNT = 4096;
static const uniform float TIME_STEP = 0.1f;
static const uniform float SOFTENING = 0.01f;

struct Body {
    float<4> position; // the mass is in w
    float<4> velocity;
};

export void run(uniform Body bodies[], uniform float unused[], uniform Body moved[], uniform int first, uniform int last) {
    foreach (i = first ... last) {
        float x = bodies[i].position.x, y = bodies[i].position.y, z = bodies[i].position.z;
        float u = 0, v = 0, w = 0;
        for (uniform int j = 0; j < COUNT; ++j) {
            uniform float<4> other = bodies[j].position;
            float dx = other.x - x, dy = other.y - y, dz = other.z - z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
            float factor = other.w * inverse * inverse * inverse;
            u += factor * dx;
            v += factor * dy;
            w += factor * dz;
        }
        u = bodies[i].velocity.x + TIME_STEP * u;
        v = bodies[i].velocity.y + TIME_STEP * v;
        w = bodies[i].velocity.z + TIME_STEP * w;
        moved[i].position.x = x + TIME_STEP * u;
        moved[i].position.y = y + TIME_STEP * v;
        moved[i].position.z = z + TIME_STEP * w;
        moved[i].position.w = bodies[i].position.w;
        moved[i].velocity.x = u;
        moved[i].velocity.y = v;
        moved[i].velocity.z = w;
        moved[i].velocity.w = 0;
    }
}

// One step of a fluid on a periodic lattice with random obstacles (lattice Boltzmann, D2Q9, one
// relaxation time with a Smagorinsky model of turbulence).
const DIRECTIONS = 9u;
const SMAGORINSKY = 0.1;
const SEED = 0u;

struct Params {
    width: u32,
    height: u32,
    relaxation_time: f32,
    // The number of solid cells per 256.
    obstacles: u32,
    force: vec2<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
// A plane of cells for each direction.
@group(0) @binding(1) var<storage> before: array<f32>;
@group(0) @binding(2) var<storage, read_write> after: array<f32>;
// Velocity and density.
@group(0) @binding(3) var<storage, read_write> flow: array<vec4<f32>>;

fn offset(direction: u32) -> vec2<i32> {
    switch direction {
        case 1u: { return vec2(1, 0); }
        case 2u: { return vec2(0, 1); }
        case 3u: { return vec2(-1, 0); }
        case 4u: { return vec2(0, -1); }
        case 5u: { return vec2(1, 1); }
        case 6u: { return vec2(-1, 1); }
        case 7u: { return vec2(-1, -1); }
        case 8u: { return vec2(1, -1); }
        default: { return vec2(0, 0); }
    }
}

fn opposite(direction: u32) -> u32 {
    if direction == 0u {
        return 0u;
    }
    let first = select(1u, 5u, direction >= 5u);
    return first + ((direction - first + 2u) & 3u);
}

fn weight(direction: u32) -> f32 {
    if direction == 0u {
        return 4.0 / 9.0;
    }
    return select(1.0 / 9.0, 1.0 / 36.0, direction >= 5u);
}

fn cell_at(position: vec2<i32>) -> u32 {
    let size = vec2(i32(params.width), i32(params.height));
    let wrapped = (position + size) % size;
    return u32(wrapped.y) * params.width + u32(wrapped.x);
}

fn is_solid(cell: u32) -> bool {
    var hash = (cell ^ SEED) * 747796405u + 2891336453u;
    hash = ((hash >> ((hash >> 28u) + 4u)) ^ hash) * 277803737u;
    return (hash >> 24u) < params.obstacles;
}

fn equilibrium(direction: u32, density: f32, velocity: vec2<f32>) -> f32 {
    let along = dot(vec2<f32>(offset(direction)), velocity);
    return weight(direction) * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * dot(velocity, velocity));
}

@compute @workgroup_size(16, 16)
fn step(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let cells = params.width * params.height;
    let position = vec2<i32>(id.xy);
    let cell = cell_at(position);
    if is_solid(cell) {
        for (var direction = 0u; direction < DIRECTIONS; direction++) {
            after[direction * cells + cell] = before[direction * cells + cell];
        }
        flow[cell] = vec4<f32>();
        return;
    }
    // The values that stream in; obstacles reflect those that the cell sent.
    var incoming: array<f32, DIRECTIONS>;
    var density = 0.0;
    var momentum = vec2<f32>();
    for (var direction = 0u; direction < DIRECTIONS; direction++) {
        let origin = cell_at(position - offset(direction));
        var value = before[direction * cells + origin];
        if is_solid(origin) {
            value = before[opposite(direction) * cells + cell];
        }
        incoming[direction] = value;
        density += value;
        momentum += value * vec2<f32>(offset(direction));
    }
    let velocity = momentum / density + 0.5 * params.force;
    // The stress increases the relaxation time.
    var stress = vec3<f32>();
    for (var direction = 0u; direction < DIRECTIONS; direction++) {
        let e = vec2<f32>(offset(direction));
        stress += (incoming[direction] - equilibrium(direction, density, velocity)) * vec3(e.x * e.x, e.x * e.y, e.y * e.y);
    }
    let strength = sqrt(stress.x * stress.x + 2.0 * stress.y * stress.y + stress.z * stress.z);
    let base = params.relaxation_time;
    let relaxation_time = 0.5 * (base + sqrt(base * base + 18.0 * SMAGORINSKY * SMAGORINSKY * strength / density));
    for (var direction = 0u; direction < DIRECTIONS; direction++) {
        let push = 3.0 * weight(direction) * density * dot(vec2<f32>(offset(direction)), params.force);
        let excess = incoming[direction] - equilibrium(direction, density, velocity);
        after[direction * cells + cell] = incoming[direction] - excess / relaxation_time + push;
    }
    flow[cell] = vec4(velocity, density, 0.0);
}

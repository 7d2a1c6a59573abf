// Waves on a square of water: each cell is pulled towards the mean of its four neighbours. A launch computes four steps.
struct Water {
    size: u32, // cells along a side
    pull: f32, // the square of the cells that a wave travels in a step; at most 0.5
}

@group(0) @binding(0) var<uniform> water: Water;
@group(0) @binding(1) var<storage> old: array<vec2<f32>>; // height, speed
@group(0) @binding(2) var<storage, read_write> next: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read_write> pixels: array<u32>;

// A workgroup computes 24 x 24 cells from 32 x 32: the halo around them is as wide as a launch has steps.
const STEPS = 4;
const SIDE = 32;
const INNER = SIDE - 2 * STEPS;
const ROWS = 8; // an invocation computes every eighth cell of a column
var<workgroup> heights: array<array<f32, SIDE>, SIDE>;

// The water beyond a border mirrors the water before it, so waves return from the border as from a wall.
fn mirrored(at: i32) -> u32 {
    let size = i32(water.size);
    let inside = select(at, -1 - at, at < 0);
    return u32(clamp(select(inside, 2 * size - 1 - inside, inside >= size), 0, size - 1));
}

@compute @workgroup_size(SIDE, ROWS)
fn advance(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32>) {
    let first = vec2<i32>(tile.xy * INNER) - STEPS;
    let column = mirrored(first.x + i32(own.x));
    let left = max(own.x, 1) - 1;
    let right = min(own.x + 1, SIDE - 1);
    var speed: array<f32, SIDE / ROWS>;
    for (var part = 0u; part < SIDE / ROWS; part++) {
        let row = own.y + part * ROWS;
        let cell = old[mirrored(first.y + i32(row)) * water.size + column];
        heights[row][own.x] = cell.x;
        speed[part] = cell.y;
    }
    workgroupBarrier(); // the tile is complete before any step
    // The outermost cells lack a neighbour: each step spoils one more ring of the halo, and four steps all of it.
    for (var step = 0; step < STEPS; step++) {
        for (var part = 0u; part < SIDE / ROWS; part++) {
            let row = own.y + part * ROWS;
            let beside = heights[row][left] + heights[row][right];
            let along = heights[max(row, 1) - 1][own.x] + heights[min(row + 1, SIDE - 1)][own.x];
            speed[part] += water.pull * (beside + along - 4.0 * heights[row][own.x]);
        }
        workgroupBarrier(); // all have read the heights before any changes
        for (var part = 0u; part < SIDE / ROWS; part++) {
            heights[own.y + part * ROWS][own.x] += speed[part];
        }
        workgroupBarrier(); // all have changed before the next step
    }
    for (var part = 0u; part < SIDE / ROWS; part++) {
        let row = own.y + part * ROWS;
        let cell = vec2<u32>(first + vec2<i32>(vec2(own.x, row)));
        let inner = own.x >= STEPS && own.x < SIDE - STEPS && row >= STEPS && row < SIDE - STEPS;
        if inner && cell.x < water.size && cell.y < water.size {
            next[cell.y * water.size + cell.x] = vec2(heights[row][own.x], speed[part]);
        }
    }
}

fn height(at: vec2<u32>) -> f32 {
    let cell = min(at, vec2(water.size - 1));
    return old[cell.y * water.size + cell.x].x;
}

// Water in daylight: the height as a colour from deep blue to white, lit from the upper left.
@compute @workgroup_size(16, 16)
fn paint(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= vec2(water.size)) {
        return;
    }
    let here = height(id.xy);
    let slope = 2.0 * here - height(id.xy + vec2(1, 0)) - height(id.xy + vec2(0, 1));
    let level = 0.5 + 3.0 * here;
    let low = mix(vec3(0.02, 0.09, 0.22), vec3(0.08, 0.48, 0.62), smoothstep(0.2, 0.55, level));
    let colour = mix(low, vec3(0.92, 0.98, 1.0), smoothstep(0.5, 1.0, level)) - 6.0 * slope;
    pixels[id.y * water.size + id.x] = pack4x8unorm(vec4(colour, 1.0));
}

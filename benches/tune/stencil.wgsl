// c = an average of the neighbours of each element of a, by the weights of b, in several forms.
override WIDTH: u32 = 16;    // anywarp:tune 8, 16, 32, 64
override HEIGHT: u32 = 4;    // anywarp:tune 2, 4
override EACH: u32 = 1;      // anywarp:tune 1, 2, 4, 8
override STAGED: u32 = 0;    // anywarp:tune 0, 1
// anywarp:where WIDTH * HEIGHT <= 256

@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<immediate> size: u32;

const radius = 2i;
const most_wide = 68u;
const most_high = 36u;

// The elements of a that a workgroup reads, with their neighbours.
var<workgroup> staged: array<f32, most_wide * most_high>;

fn inside(x: i32, y: i32) -> bool {
    return x >= 0i && y >= 0i && x < i32(size) && y < i32(size);
}

fn from_memory(x: i32, y: i32) -> f32 {
    if !inside(x, y) {
        return 0.0;
    }
    return a[u32(y) * size + u32(x)];
}

fn weight(x: i32, y: i32) -> f32 {
    let at = u32(y + radius) * 5u + u32(x + radius);
    return b[at];
}

// The sum of the neighbours of an element, read from memory.
fn sum_from_memory(x: i32, y: i32) -> f32 {
    var sum = 0.0;
    for (var dy = -radius; dy <= radius; dy++) {
        for (var dx = -radius; dx <= radius; dx++) {
            sum += from_memory(x + dx, y + dy) * weight(dx, dy);
        }
    }
    return sum;
}

// The sum of the neighbours of an element, read from workgroup memory.
fn sum_from_staged(x: u32, y: u32) -> f32 {
    var sum = 0.0;
    for (var dy = -radius; dy <= radius; dy++) {
        for (var dx = -radius; dx <= radius; dx++) {
            let at = (i32(y) + dy + radius) * i32(most_wide) + i32(x) + dx + radius;
            sum += staged[u32(at)] * weight(dx, dy);
        }
    }
    return sum;
}

// Copies the elements of a workgroup with their neighbours.
fn stage(group: vec2<u32>, local: u32) {
    let width = WIDTH + 4u;
    let height = HEIGHT * EACH + 4u;
    let first_x = i32(group.x * WIDTH) - radius;
    let first_y = i32(group.y * HEIGHT * EACH) - radius;
    for (var at = local; at < width * height; at += WIDTH * HEIGHT) {
        let x = at % width;
        let y = at / width;
        staged[y * most_wide + x] = from_memory(first_x + i32(x), first_y + i32(y));
    }
}

fn write(x: u32, y: u32, sum: f32) {
    if x < size && y < size {
        c[y * size + x] = sum / 25.0;
    }
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn stencil(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if STAGED == 1u {
        stage(group.xy, local);
        workgroupBarrier();
    }
    for (var k = 0u; k < EACH; k++) {
        let within = id.y + k * HEIGHT;
        let x = group.x * WIDTH + id.x;
        let y = group.y * HEIGHT * EACH + within;
        var sum = 0.0;
        if STAGED == 1u {
            sum = sum_from_staged(id.x, within);
        } else {
            sum = sum_from_memory(i32(x), i32(y));
        }
        write(x, y, sum);
    }
}

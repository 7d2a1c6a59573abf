// The horizontal half of a box blur, from a row in workgroup memory; outside of the image all values are zero.
const THREADS = 128u;
const RADIUS = 8u;
const ROW = THREADS + 2u * RADIUS;

struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> blurred: array<f32>;

var<workgroup> row: array<f32, ROW>;

@compute @workgroup_size(THREADS)
fn box_blur(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * THREADS;
    for (var i = thread; i < ROW; i += THREADS) {
        let x = i32(first + i) - i32(RADIUS);
        row[i] = 0.0;
        if x >= 0 && x < i32(params.width) && group.y < params.height {
            row[i] = source[group.y * params.width + u32(x)];
        }
    }
    workgroupBarrier();
    var sum = 0.0;
    for (var i = 0u; i <= 2u * RADIUS; i++) {
        sum += row[thread + i];
    }
    if first + thread < params.width && group.y < params.height {
        blurred[group.y * params.width + first + thread] = sum / f32(2u * RADIUS + 1u);
    }
}

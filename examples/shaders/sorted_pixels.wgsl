// Sorts the pixels of each row by brightness, within runs of bright pixels.
@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<uniform> darkest: f32;
@group(0) @binding(2) var<storage> photo: array<u32>; // red, green, blue, opacity
@group(0) @binding(3) var<storage, read_write> pixels: array<u32>;

const MAX_COLUMNS: u32 = 1024;
const GROUP: u32 = 256;

// The sort key of each pixel: the start of its run (11 bits), its brightness (10 bits), its column (11 bits).
var<workgroup> keys: array<u32, MAX_COLUMNS>;

fn brightness(column: u32, row: u32) -> f32 {
    return dot(unpack4x8unorm(photo[row * size.x + column]).rgb, vec3(0.299, 0.587, 0.114));
}

// A pixel that is not sorted is its own run.
fn key(column: u32, row: u32) -> u32 {
    let bright = brightness(column, row);
    var first = column;
    if bright >= darkest {
        while first > 0 && brightness(first - 1, row) >= darkest {
            first--;
        }
    }
    return (first << 21) | (u32(1023.0 * bright) << 11) | column;
}

// One workgroup per row: a bitonic sort in workgroup memory.
@compute @workgroup_size(GROUP)
fn sort_row(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) own: u32) {
    let row = group.x;
    for (var column = own; column < MAX_COLUMNS; column += GROUP) {
        keys[column] = 0xffffffffu; // sorts behind the last column
        if column < size.x {
            keys[column] = key(column, row);
        }
    }
    for (var length = 2u; length <= MAX_COLUMNS; length *= 2) {
        for (var apart = length / 2; apart > 0; apart /= 2) {
            workgroupBarrier();
            for (var pair = own; pair < MAX_COLUMNS / 2; pair += GROUP) {
                let low = pair / apart * 2 * apart + pair % apart;
                let high = low + apart;
                let upwards = (low & length) == 0;
                if (keys[low] > keys[high]) == upwards {
                    let lower = keys[low];
                    keys[low] = keys[high];
                    keys[high] = lower;
                }
            }
        }
    }
    workgroupBarrier();
    for (var column = own; column < size.x; column += GROUP) {
        pixels[row * size.x + column] = photo[row * size.x + (keys[column] & 2047u)];
    }
}

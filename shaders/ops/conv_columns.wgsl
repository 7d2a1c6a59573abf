// Convolutions of f32 as products of matrices: the elements that each position of y reads, by the weights.
import package::shared::convolution::{bias_of, channels_last, distance_of, is_element, load_weight, load_x};
import package::shared::convolution_sizes::conv;
import package::shared::epilogue::activated;

// The rows of y of a launch, in the order of examples, planes and rows.
struct Piece {
    first: u32,
    rows: u32,
}

@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> piece: Piece;
@group(0) @binding(6) var<storage, read_write> matrix: array<f32>;
@group(0) @binding(7) var<storage> sums: array<f32>;

// Weights become an array [groups, channels of y, taps, channels of x].
@compute @workgroup_size(16, 4)
fn gather_weights(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= conv.inputs || id.y >= conv.outputs {
        return;
    }
    var at = conv.first_of_weights + id.z * conv.in_weights.w + id.y * conv.in_weights.x + id.x * conv.in_weights.y;
    let taps = conv.kernel.x * conv.kernel.y * conv.kernel.z;
    var to = (id.z * conv.outputs + id.y) * taps * conv.inputs + id.x;
    for (var tap = 0u; tap < taps; tap++) {
        matrix[to] = load_weight(at);
        at += conv.in_weights.z;
        to += conv.inputs;
    }
}

struct Place {
    example: u32,
    depth: u32,
    row: u32,
}

// The place of a row of the piece.
fn place_of(number: u32) -> Place {
    let line = piece.first + number;
    let plane = line / conv.output.y;
    let example = plane / conv.output.x;
    return Place(example, plane - example * conv.output.x, line - plane * conv.output.y);
}

// Elements of x become an array [groups, positions, taps, channels] where channels are the last axis, or else
// [groups, taps, channels, positions]. Invocations are neighbours along the last axis.
@compute @workgroup_size(16, 4)
fn gather_x(@builtin(global_invocation_id) id: vec3<u32>) {
    let positions = piece.rows * conv.output.z;
    let depth = conv.kernel.x * conv.kernel.y * conv.kernel.z * conv.inputs;
    var channel = id.z;
    var line = id.y;
    var column = id.x;
    var to = 0u;
    var step = 0u;
    if channels_last {
        if id.x >= conv.inputs || id.y >= positions {
            return;
        }
        channel = id.z * conv.inputs + id.x;
        line = id.y / conv.output.z;
        column = id.y - line * conv.output.z;
        to = (id.z * positions + id.y) * depth + id.x;
        step = conv.inputs;
    } else {
        if id.x >= conv.output.z || id.y >= piece.rows {
            return;
        }
        let group = channel / conv.inputs;
        to = (group * depth + channel - group * conv.inputs) * positions + line * conv.output.z + column;
        step = conv.inputs * positions;
    }
    let place = place_of(line);
    let begin = vec3(place.depth, place.row, column) * conv.step.xyz + conv.offset.xyz;
    let origin = conv.first_of_x + place.example * conv.example_in_x + channel * conv.in_x.w;
    for (var depth = 0u; depth < conv.kernel.x; depth++) {
        for (var row = 0u; row < conv.kernel.y; row++) {
            for (var column = 0u; column < conv.kernel.z; column++) {
                let from_x = begin + vec3(depth, row, column) * conv.tap.xyz;
                var element = 0.0;
                if is_element(from_x) {
                    element = load_x(origin + distance_of(from_x));
                }
                matrix[to] = element;
                to += step;
            }
        }
    }
}

// Sums, in the order of the columns, become results.
@compute @workgroup_size(16, 4)
fn finish(@builtin(global_invocation_id) id: vec3<u32>) {
    let positions = piece.rows * conv.output.z;
    var channel = id.z;
    var line = id.y;
    var column = id.x;
    var at = 0u;
    if channels_last {
        if id.x >= conv.outputs || id.y >= positions {
            return;
        }
        channel = id.z * conv.outputs + id.x;
        line = id.y / conv.output.z;
        column = id.y - line * conv.output.z;
        at = (id.z * positions + id.y) * conv.outputs + id.x;
    } else {
        if id.x >= conv.output.z || id.y >= piece.rows {
            return;
        }
        at = channel * positions + line * conv.output.z + column;
    }
    let place = place_of(line);
    let to = conv.first_of_y + place.example * conv.example_in_y + place.depth * conv.in_y.x + place.row * conv.in_y.y
        + column * conv.in_y.z + channel * conv.in_y.w;
    y[to] = activated(sums[at] + bias_of(channel));
}

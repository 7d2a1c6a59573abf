// Convolutions in which an invocation computes one result, or the two of a word, from all of its products.
import package::shared::convolution::{bias_of, channels_last, distance_of, is_element, load_weight, load_x};
import package::shared::convolution_sizes::{conv, position_of};
import package::shared::epilogue::activated;
@if(packed)
import package::shared::convolution::Cell;
@if(packed)
import package::shared::halves::rounded;

@if(packed)
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@else
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

fn count_of_positions() -> u32 {
    return conv.output.x * conv.output.y * conv.output.z;
}

// The sum of a channel at a position. Channels are the innermost loop, as they share the test of a position.
fn sum_of(example: u32, channel: u32, position: vec3<u32>) -> f32 {
    let group = channel / conv.outputs;
    let begin = position * conv.step.xyz + conv.offset.xyz;
    let origin = conv.first_of_x + example * conv.example_in_x + group * conv.inputs * conv.in_x.w;
    var tap = conv.first_of_weights + group * conv.in_weights.w + (channel - group * conv.outputs) * conv.in_weights.x;
    var sum = bias_of(channel);
    for (var depth = 0u; depth < conv.kernel.x; depth++) {
        for (var row = 0u; row < conv.kernel.y; row++) {
            for (var column = 0u; column < conv.kernel.z; column++) {
                let place = begin + vec3(depth, row, column) * conv.tap.xyz;
                if is_element(place) {
                    var at = origin + distance_of(place);
                    var weight = tap;
                    for (var input = 0u; input < conv.inputs; input++) {
                        sum += load_x(at) * load_weight(weight);
                        at += conv.in_x.w;
                        weight += conv.in_weights.y;
                    }
                }
                tap += conv.in_weights.z;
            }
        }
    }
    return activated(sum);
}

// Element `number` of y.
fn result(number: u32) -> f32 {
    let positions = count_of_positions();
    let channels = conv.groups * conv.outputs;
    if channels_last {
        let point = number / channels;
        let example = point / positions;
        return sum_of(example, number - point * channels, position_of(point - example * positions));
    }
    let plane = number / positions;
    let example = plane / channels;
    return sum_of(example, plane - example * channels, position_of(number - plane * positions));
}

fn count_of_results() -> u32 {
    return conv.examples * conv.groups * conv.outputs * count_of_positions();
}

@if(!packed)
@compute @workgroup_size(256)
fn elements(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < count_of_results() {
        y[conv.first_of_y + id.x] = result(id.x);
    }
}

@if(packed)
@compute @workgroup_size(256)
fn elements(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = count_of_results();
    let skip = conv.first_of_y % 2u;
    if id.x * 2u >= skip + count {
        return;
    }
    var sums = vec4(0.0);
    var mask = 0u;
    // Elements before the first one wrap around.
    let number = id.x * 2u - skip;
    if number < count {
        sums.x = result(number);
        mask = 0xffffu;
    }
    if number + 1u < count {
        sums.y = result(number + 1u);
        mask |= 0xffff0000u;
    }
    let bits = rounded(sums);
    let at = conv.first_of_y / 2u + id.x;
    var word = bits.x | (bits.y << 16u);
    // Elements around the array keep their bits.
    if mask != 0xffffffffu {
        word = (word & mask) | (y[at] & ~mask);
    }
    y[at] = word;
}

// Convolutions of f32 for processors, without workgroup memory.
import package::shared::convolution::{bias_of, distance_of, is_element, load_weight, load_x};
import package::shared::convolution_sizes::conv;
import package::shared::epilogue::activated;

@group(0) @binding(2) var<storage, read_write> y: array<f32>;

// Invocations compute neighbours of a row, so that processors load and store vectors, and four channels of one group, so
// that an element of x is loaded once for all.
@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= conv.output.z {
        return;
    }
    let fours = (conv.outputs + 3u) / 4u;
    let block = id.z % fours;
    let example = id.z / fours / conv.groups;
    let group = id.z / fours - example * conv.groups;
    let plane = id.y / conv.output.y;
    let position = vec3(plane, id.y - plane * conv.output.y, id.x);
    let begin = position * conv.step.xyz + conv.offset.xyz;
    let origin = conv.first_of_x + example * conv.example_in_x + group * conv.inputs * conv.in_x.w;
    // Channels behind the last one repeat it, and are not stored.
    let last = conv.outputs - 1u;
    let channels = min(vec4(block * 4u) + vec4(0u, 1u, 2u, 3u), vec4(last));
    let first_channel = group * conv.outputs;
    let starts = vec4(conv.first_of_weights + group * conv.in_weights.w) + channels * conv.in_weights.x;
    var tap = 0u;
    var sums = vec4(
        bias_of(first_channel + channels.x),
        bias_of(first_channel + channels.y),
        bias_of(first_channel + channels.z),
        bias_of(first_channel + channels.w),
    );
    for (var depth = 0u; depth < conv.kernel.x; depth++) {
        for (var row = 0u; row < conv.kernel.y; row++) {
            for (var column = 0u; column < conv.kernel.z; column++) {
                let place = begin + vec3(depth, row, column) * conv.tap.xyz;
                if is_element(place) {
                    var at = origin + distance_of(place);
                    var weight = tap;
                    for (var input = 0u; input < conv.inputs; input++) {
                        let here = load_x(at);
                        sums.x += here * load_weight(starts.x + weight);
                        sums.y += here * load_weight(starts.y + weight);
                        sums.z += here * load_weight(starts.z + weight);
                        sums.w += here * load_weight(starts.w + weight);
                        at += conv.in_x.w;
                        weight += conv.in_weights.y;
                    }
                }
                tap += conv.in_weights.z;
            }
        }
    }
    let to = conv.first_of_y + example * conv.example_in_y + plane * conv.in_y.x + position.y * conv.in_y.y
        + id.x * conv.in_y.z + (first_channel + block * 4u) * conv.in_y.w;
    let count = conv.outputs - block * 4u;
    y[to] = activated(sums.x);
    if count > 1u {
        y[to + conv.in_y.w] = activated(sums.y);
    }
    if count > 2u {
        y[to + 2u * conv.in_y.w] = activated(sums.z);
    }
    if count > 3u {
        y[to + 3u * conv.in_y.w] = activated(sums.w);
    }
}

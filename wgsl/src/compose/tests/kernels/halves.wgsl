enable f16;
requires pointer_composite_access;

// Names that are also members, locals and WGSL's own.
alias Value = f16;
override size: u32 = 64;
const sum = 3u;
struct Pair { sum: vec2<Value>, @align(16) length: u32 }

@group(0) @binding(0) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(1) var<uniform> limit: Limit;
struct Limit { least: vec4<u32>, most: vec4<u32> }
var<workgroup> partial: array<u32, size>;
var<private> step: u32 = sum;

fn add(into: ptr<function, u32>, value: u32) {
    *into += value * step;
}

fn length_of(pair: Pair) -> f32 {
    let sum = vec2<f32>(pair.sum);
    return length(sum) + f32(max(pair.length, 1u));
}

fn within(value: u32) -> bool {
    return value >= limit.least.x && value < limit.most[3];
}

@compute @workgroup_size(size)
fn halves(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    var total = 0u;
    for (var length = 0u; length < sum; length++) {
        add(&total, length);
    }
    partial[index] = total;
    workgroupBarrier();
    if within(id.x) {
        let step = partial[(index + 1u) % size];
        pairs[id.x].length = step + u32(length_of(pairs[id.x]));
        pairs[id.x].sum = vec2<Value>(Value(1), 2.0h);
    }
}

// Tests whether keys are sorted: no key precedes the key before it.
import package::shared::key_order::precedes;
import package::shared::ordered_keys::rank_of_key;

struct Sizes {
    length: u32,
    first: u32,
    first_of_result: u32,
    // The number of pairs that a workgroup compares.
    span: u32,
}

@group(0) @binding(1) var<uniform> sizes: Sizes;
// 1 before the launch; the kernel writes 0 if the keys are not sorted.
@group(0) @binding(3) var<storage, read_write> result: array<atomic<u32>>;

@compute @workgroup_size(256)
fn is_sorted(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let last = sizes.length - 1u;
    let begin = min(group.x * sizes.span, last);
    let end = begin + min(sizes.span, last - begin);
    var falls = false;
    for (var at = begin + local; at < end; at += 256u) {
        falls = falls || precedes(rank_of_key(sizes.first + at + 1u), rank_of_key(sizes.first + at));
    }
    if falls {
        atomicStore(&result[sizes.first_of_result], 0u);
    }
}

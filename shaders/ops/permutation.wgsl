// A random order of the numbers below n, computed independently for each place.
//
// A cipher with 24 rounds maps 2^k >= n numbers one to one; numbers outside go through it again until they are within
// (Mitchell, Stokes, Frank, Holmes: Bandwidth-optimal random shuffling for GPUs, 2022).
import package::shared::philox::product;

struct Order {
    // The numbers that are ordered, and those of the output.
    n: u32,
    count: u32,
    first: u32,
    // The bits of both halves of a number: the left ones, and the right ones, which may be one more.
    left: u32,
    right: u32,
}

@group(0) @binding(0) var<uniform> order: Order;
// The keys of the rounds, four in each element.
@group(0) @binding(1) var<uniform> keys: array<vec4<u32>, 6>;
@group(0) @binding(2) var<storage, read_write> x: array<u32>;

fn round(halves: vec2<u32>, key: u32) -> vec2<u32> {
    let mixed = product(0xd2511f53u, halves.x);
    let left = (mixed.x ^ key ^ halves.y) & ((1u << order.left) - 1u);
    let right = ((mixed.y << (order.right - order.left)) | (halves.y >> order.left)) & ((1u << order.right) - 1u);
    return vec2(left, right);
}

fn cipher(number: u32) -> u32 {
    var halves = vec2(number >> order.right, number & ((1u << order.right) - 1u));
    for (var at = 0u; at < 6u; at++) {
        let four = keys[at];
        halves = round(round(round(round(halves, four.x), four.y), four.z), four.w);
    }
    return (halves.x << order.right) | halves.y;
}

@compute @workgroup_size(256)
fn permutation(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < order.count {
        var number = cipher(id.x);
        // Each number is on a cycle through one below n, so the steps are fewer than all numbers.
        for (var step = 0u; number >= order.n && step < 0xffffffffu; step++) {
            number = cipher(number);
        }
        x[order.first + id.x] = number;
    }
}

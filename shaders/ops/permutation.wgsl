// Writes a random order of the numbers below n; each position is computed independently.
//
// A cipher with 24 rounds maps 2^k >= n numbers one to one; numbers from n on go through the cipher again until they
// are below n (Mitchell, Stokes, Frank, Holmes: Bandwidth-optimal random shuffling for GPUs, 2022).
import package::shared::philox::product;

struct Order {
    // The numbers 0 to n - 1 are ordered; `count` of them from position `begin` on are written, from element `first` of
    // the binding on.
    n: u32,
    begin: u32,
    count: u32,
    first: u32,
    // The number of bits of the left half of a number, and of its right half, which may have one bit more.
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
        var number = cipher(order.begin + id.x);
        // Each number is on a cycle of the cipher that has a number below n, so there are fewer steps than numbers.
        for (var step = 0u; number >= order.n && step < 0xffffffffu; step++) {
            number = cipher(number);
        }
        x[order.first + id.x] = number;
    }
}

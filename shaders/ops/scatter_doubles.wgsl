// Combines sums or products of f64, in the order of their positions, with the elements of y at these positions.
struct Sizes {
    count: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> places: array<u32>;
@group(0) @binding(2) var<storage> sums: array<f64>;
@group(0) @binding(3) var<storage, read_write> y: array<f64>;

override multiplies: bool = false;

const nowhere = 0xffffffffu;

// The last sum of each position is the sum of all its elements.
@compute @workgroup_size(256)
fn add_doubles(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.count {
        return;
    }
    let own = places[id.x];
    let last = id.x + 1u == sizes.count || places[min(id.x + 1u, sizes.count - 1u)] != own;
    if own != nowhere && last {
        let at = sizes.first_of_y + own;
        if multiplies {
            y[at] = y[at] * sums[id.x];
        } else {
            y[at] = y[at] + sums[id.x];
        }
    }
}

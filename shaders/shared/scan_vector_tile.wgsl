// A tile in registers: vectors of four elements. Each subgroup has neighbouring vectors, and scans them by shuffles.
import package::shared::scan_monoid::{A, combined, identity, items};
import package::shared::scan_part::Part;
import package::shared::scan_vector_source::vector;

// The size of the largest subgroup.
override lanes: u32 = 128u;

const width = 256u;
const vectors = items / 4u;

// The position of the invocation in its workgroup and its subgroup.
struct Lane {
    local: u32,
    subgroup: u32,
    size: u32,
    lane: u32,
}

var<private> own: Lane;
// The elements of the invocation, each combined with the elements before it in its vector.
var<private> values: array<vec4<A>, vectors>;
// The sum of the elements of the subgroup before each vector.
var<private> before: array<A, vectors>;
// The sum of each subgroup.
var<workgroup> subgroup_sums: array<A, 64>;

// Loads a tile and scans it within each subgroup.
fn load_tile(tile: u32) {
    let first = (tile * width + own.subgroup * own.size) * vectors + own.lane;
    for (var k = 0u; k < vectors; k++) {
        let x = vector(first + k * own.size);
        let y = combined(x.x, x.y);
        let z = combined(y, x.z);
        values[k] = vec4(x.x, y, z, combined(z, x.w));
    }
    var sum = identity();
    for (var k = 0u; k < vectors; k++) {
        let upto = over_lanes(values[k].w);
        let previous = subgroupShuffleUp(upto, 1u);
        before[k] = sum;
        if own.lane != 0u {
            before[k] = combined(sum, previous);
        }
        sum = combined(sum, subgroupShuffle(upto, own.size - 1u));
    }
    share(sum);
}

// Returns the sum over the invocations of the subgroup up to this invocation.
fn over_lanes(x: A) -> A {
    var sum = x;
    for (var distance = 1u; distance < lanes; distance *= 2u) {
        let other = subgroupShuffleUp(sum, distance);
        if own.lane >= distance {
            sum = combined(other, sum);
        }
    }
    return sum;
}

fn share(sum: A) {
    if own.lane == 0u {
        subgroup_sums[own.subgroup] = sum;
    }
    workgroupBarrier();
}

// Returns the sum of the elements of the tile before the elements of the subgroup.
fn sum_before() -> A {
    var sum = identity();
    for (var k = 0u; k < own.subgroup; k++) {
        sum = combined(sum, subgroup_sums[k]);
    }
    return sum;
}

fn sum_of_tile() -> Part {
    var sum = subgroup_sums[0];
    for (var k = 1u; k < width / own.size; k++) {
        sum = combined(sum, subgroup_sums[k]);
    }
    return Part(sum, false);
}

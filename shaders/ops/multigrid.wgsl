// The parts of a V-cycle for the Poisson equation on a grid of up to three axes, with zeros around it.
@if(wide)
alias Number = f64;
@else
alias Number = f32;

// An axis of a grid. Unused axes have one point and no distance.
struct Axis {
    points: u32,
    // 1 for an axis along which points have neighbours.
    used: u32,
    // The distance of the last point from the zero after it, relative to that of two points.
    gap: f32,
    // Uniforms have structs of 16 bytes.
    spare: u32,
}

struct Level {
    // The axes: the last one is consecutive in memory.
    z: Axis,
    y: Axis,
    x: Axis,
    // The axes of the next coarser level.
    coarse_z: Axis,
    coarse_y: Axis,
    coarse_x: Axis,
    // The factor of the matrix of this level.
    factor: Number,
    // 0 or 1: the points whose coordinates have an even or an odd sum.
    colour: u32,
    // 1 if all elements of `u` count as 0.
    from_zero: u32,
    // The indices of the first elements in the bindings.
    first_of_b: u32,
    first_of_u: u32,
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<storage> b: array<Number>;
@group(0) @binding(2) var<storage, read_write> u: array<Number>;
@group(0) @binding(3) var<storage> old: array<Number>;
@group(0) @binding(4) var<storage, read_write> residual: array<Number>;
@group(0) @binding(5) var<storage> fine: array<Number>;
@group(0) @binding(6) var<storage, read_write> coarse: array<Number>;
@group(0) @binding(7) var<storage> correction: array<Number>;

// The width of a point along an axis, relative to the distance of two points.
fn width(axis: Axis, at: u32) -> Number {
    if axis.used == 1u && at + 1u == axis.points {
        return (Number(1) + Number(axis.gap)) / Number(2);
    }
    return Number(1);
}

// The share of an axis in the diagonal.
fn diagonal(axis: Axis, at: u32) -> Number {
    if axis.used == 0u {
        return Number();
    }
    if at + 1u == axis.points {
        return Number(1) + Number(1) / Number(axis.gap);
    }
    return Number(2);
}

// The weights of the three axes in the matrix: products of the widths of the others.
struct Weights {
    z: Number,
    y: Number,
    x: Number,
    diagonal: Number,
}

fn weights_at(z: u32, y: u32, x: u32) -> Weights {
    let of_z = width(level.z, z);
    let of_y = width(level.y, y);
    let of_x = width(level.x, x);
    var all = Weights(level.factor * of_y * of_x, level.factor * of_z * of_x, level.factor * of_z * of_y, Number());
    all.diagonal =
        all.z * diagonal(level.z, z) + all.y * diagonal(level.y, y) + all.x * diagonal(level.x, x);
    return all;
}

// Computes points of one colour from their neighbours, which have the other colour.
@compute @workgroup_size(64)
fn smooth_points(@builtin(global_invocation_id) id: vec3<u32>) {
    let z = id.z;
    let y = id.y;
    let x = 2u * id.x + ((y + z + level.colour) & 1u);
    if x >= level.x.points || y >= level.y.points || z >= level.z.points {
        return;
    }
    let row = level.x.points;
    let plane = row * level.y.points;
    let at = z * plane + y * row + x;
    let weights = weights_at(z, y, x);
    var sum = b[level.first_of_b + at];
    if level.from_zero == 0u {
        let here = level.first_of_u + at;
        if x > 0u {
            sum += weights.x * u[here - 1u];
        }
        if x + 1u < level.x.points {
            sum += weights.x * u[here + 1u];
        }
        if y > 0u {
            sum += weights.y * u[here - row];
        }
        if y + 1u < level.y.points {
            sum += weights.y * u[here + row];
        }
        if z > 0u {
            sum += weights.z * u[here - plane];
        }
        if z + 1u < level.z.points {
            sum += weights.z * u[here + plane];
        }
    }
    u[level.first_of_u + at] = sum / weights.diagonal;
}

// Computes residual = b - a * old.
@compute @workgroup_size(64)
fn subtract_product(@builtin(global_invocation_id) id: vec3<u32>) {
    let z = id.z;
    let y = id.y;
    let x = id.x;
    if x >= level.x.points || y >= level.y.points || z >= level.z.points {
        return;
    }
    let row = level.x.points;
    let plane = row * level.y.points;
    let at = z * plane + y * row + x;
    let here = level.first_of_u + at;
    let weights = weights_at(z, y, x);
    var rest = b[level.first_of_b + at] - weights.diagonal * old[here];
    if x > 0u {
        rest += weights.x * old[here - 1u];
    }
    if x + 1u < level.x.points {
        rest += weights.x * old[here + 1u];
    }
    if y > 0u {
        rest += weights.y * old[here - row];
    }
    if y + 1u < level.y.points {
        rest += weights.y * old[here + row];
    }
    if z > 0u {
        rest += weights.z * old[here - plane];
    }
    if z + 1u < level.z.points {
        rest += weights.z * old[here + plane];
    }
    residual[at] = rest;
}

// The share of a point of the coarse axis in a point of the fine axis: linear interpolation.
fn share(axis: Axis, coarse: Axis, knot: u32, at: u32) -> Number {
    if axis.used == 0u {
        return Number(1);
    }
    let distance = i32(at + 1u) - 2 * i32(knot + 1u);
    if distance == 0 {
        return Number(1);
    }
    if distance > 0 && knot + 1u == coarse.points {
        // The zero after the last point.
        return max(Number(), Number(1) - Number(distance) / (Number(2) * Number(coarse.gap)));
    }
    if abs(distance) == 1 {
        return Number(1) / Number(2);
    }
    return Number();
}

// The first point of the fine axis that a point of the coarse one affects, and the one after the last.
fn affected(axis: Axis, knot: u32) -> vec2<u32> {
    if axis.used == 0u {
        return vec2(0u, 1u);
    }
    return vec2(2u * knot, min(2u * knot + 4u, axis.points));
}

// Adds up the residuals around each point of the coarse grid: the transpose of the interpolation.
@compute @workgroup_size(64)
fn restrict_residual(@builtin(global_invocation_id) id: vec3<u32>) {
    let z = id.z;
    let y = id.y;
    let x = id.x;
    if x >= level.coarse_x.points || y >= level.coarse_y.points || z >= level.coarse_z.points {
        return;
    }
    let of_z = affected(level.z, z);
    let of_y = affected(level.y, y);
    let of_x = affected(level.x, x);
    var sum = Number();
    for (var i = of_z.x; i < of_z.y; i += 1u) {
        let share_z = share(level.z, level.coarse_z, z, i);
        for (var j = of_y.x; j < of_y.y; j += 1u) {
            let share_y = share_z * share(level.y, level.coarse_y, y, j);
            for (var k = of_x.x; k < of_x.y; k += 1u) {
                let factor = share_y * share(level.x, level.coarse_x, x, k);
                sum += factor * fine[(i * level.y.points + j) * level.x.points + k];
            }
        }
    }
    coarse[(z * level.coarse_y.points + y) * level.coarse_x.points + x] = sum;
}

// The points of the coarse axis around a point of the fine one: the first, and the one after the last.
fn around(axis: Axis, coarse: Axis, at: u32) -> vec2<u32> {
    if axis.used == 0u {
        return vec2(0u, 1u);
    }
    let half = (at + 1u) / 2u;
    let first = select(0u, min(half - 1u, coarse.points - 1u), half > 0u);
    return vec2(first, min(half + 1u, coarse.points));
}

// Adds the interpolation of the coarse grid.
@compute @workgroup_size(64)
fn add_correction(@builtin(global_invocation_id) id: vec3<u32>) {
    let z = id.z;
    let y = id.y;
    let x = id.x;
    if x >= level.x.points || y >= level.y.points || z >= level.z.points {
        return;
    }
    let of_z = around(level.z, level.coarse_z, z);
    let of_y = around(level.y, level.coarse_y, y);
    let of_x = around(level.x, level.coarse_x, x);
    var sum = Number();
    for (var i = of_z.x; i < of_z.y; i += 1u) {
        let share_z = share(level.z, level.coarse_z, i, z);
        for (var j = of_y.x; j < of_y.y; j += 1u) {
            let share_y = share_z * share(level.y, level.coarse_y, j, y);
            for (var k = of_x.x; k < of_x.y; k += 1u) {
                let factor = share_y * share(level.x, level.coarse_x, k, x);
                sum += factor * correction[(i * level.coarse_y.points + j) * level.coarse_x.points + k];
            }
        }
    }
    u[level.first_of_u + (z * level.y.points + y) * level.x.points + x] += sum;
}

// The derivatives of softmax, or of its logarithm: x has the results, dy the derivatives with respect to the results,
// and y the derivatives with respect to the elements.
import package::shared::row_team::{group, team_sum, teams, width};
import package::shared::rows::{
    Cell, Unit, Walk, cell_units, load, place, rows, store, total_of, unit_in, walk_of,
};

struct Backward {
    // The index of the first unit of dy in its binding.
    first_of_dy: u32,
}

override logarithm: bool = false;

// The sum of each part of each row, in the first component.
@group(0) @binding(3) var<storage, read_write> parts: array<vec2<f32>>;
@group(0) @binding(4) var<storage> dy: array<Cell>;
@group(0) @binding(5) var<uniform> backward: Backward;

fn load_dy(at: u32) -> Unit {
    let place = backward.first_of_dy + at;
    return unit_in(dy[place / cell_units], place);
}

// Returns the summand of an element in the sum of its row.
fn term(at: u32) -> Unit {
    if logarithm {
        return load_dy(at);
    }
    return load_dy(at) * load(at);
}

fn write(at: u32, sum: f32) {
    if logarithm {
        store(at, load_dy(at) - exp(load(at)) * sum);
    } else {
        store(at, load(at) * (load_dy(at) - sum));
    }
}

// Returns the sum of the terms that are `step` units apart, from unit `lane` of the walk on.
fn walked(walk: Walk, lane: u32, step: u32) -> f32 {
    var sum = Unit(0.0);
    let steps = (walk.end - walk.begin) / (2u * step);
    for (var at = 0u; at < steps; at++) {
        let k = walk.begin + at * 2u * step + lane;
        sum += term(place(walk.origin, k)) + term(place(walk.origin, k + step));
    }
    for (var k = walk.begin + steps * 2u * step + lane; k < walk.end; k += step) {
        sum += term(place(walk.origin, k));
    }
    return total_of(sum);
}

fn write_walk(walk: Walk, lane: u32, step: u32, sum: f32) {
    let steps = (walk.end - walk.begin) / step;
    for (var at = 0u; at < steps; at++) {
        write(place(walk.origin, walk.begin + at * step + lane), sum);
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        write(place(walk.origin, k), sum);
    }
}

// Returns the sum of the parts of a row that are `step` parts apart, from part `lane` on.
fn of_parts(row: u32, lane: u32, step: u32) -> f32 {
    var sum = 0.0;
    for (var part = lane; part < rows.parts; part += step) {
        sum += parts[part * rows.count + row].x;
    }
    return sum;
}

// A team of invocations computes each row.
@compute @workgroup_size(group)
fn team_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x * teams() + local / width;
    let lane = local % width;
    var walk = Walk(0u, 0u, 0u);
    if row < rows.count {
        walk = walk_of(row, 0u);
    }
    let sum = team_sum(walked(walk, lane, width), local, 0u);
    write_walk(walk, lane, width, sum);
}

// A workgroup computes each part of each row.
@compute @workgroup_size(group)
fn parts_of_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    let part = id.x % rows.parts;
    if row >= rows.count {
        return;
    }
    let sum = team_sum(walked(walk_of(row, part), local, group), local, 0u);
    if local == 0u {
        parts[part * rows.count + row] = vec2(sum, 0.0);
    }
}

@compute @workgroup_size(group)
fn rows_from_parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    if row >= rows.count {
        return;
    }
    let sum = team_sum(of_parts(row, local, group), local, 0u);
    write_walk(walk_of(row, id.x % rows.parts), local, group, sum);
}

// A workgroup computes each row.
@compute @workgroup_size(group)
fn whole_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= rows.count {
        return;
    }
    let walk = walk_of(id.x, 0u);
    write_walk(walk, local, group, team_sum(walked(walk, local, group), local, 0u));
}

// An invocation computes each part of each row.
@compute @workgroup_size(group)
fn parts_of_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        parts[id.x] = vec2(walked(walk_of(id.x % rows.count, id.x / rows.count), 0u, 1u), 0.0);
    }
}

@compute @workgroup_size(group)
fn lines_from_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        let row = id.x % rows.count;
        write_walk(walk_of(row, id.x / rows.count), 0u, 1u, of_parts(row, 0u, 1u));
    }
}

// An invocation computes each row.
@compute @workgroup_size(group)
fn whole_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        let walk = walk_of(id.x, 0u);
        write_walk(walk, 0u, 1u, walked(walk, 0u, 1u));
    }
}

// The derivatives of norms: x are the elements, dy the derivatives by the results, y those by the elements.
//
// With n = (x - mean) * inverse and g = dy * scale, y = inverse * (g - mean(g) - n * mean(g * n)).
import package::shared::row_team::{group, team_sum, teams, width};
import package::shared::rows::{
    Cell, Unit, Walk, cell_units, load, place, rows, store, total_of, unit_in, walk_of,
};

struct Backward {
    // The elements of a row.
    elements: f32,
    // Weights by channel: the rows after which they repeat, the channels of a row, and the elements of a channel.
    period: u32,
    channels: u32,
    inner: u32,
    // The first unit of dy and scale, and the first element of the statistics, in their bindings.
    first_of_dy: u32,
    first_of_scale: u32,
    first_of_means: u32,
    first_of_inverses: u32,
}

// Whether the mean is subtracted.
override centred: bool = true;
override has_scale: bool = false;
// Whether the scale is by channel, not by element.
override by_channel: bool = false;

// The two sums of each part of each row.
@group(0) @binding(3) var<storage, read_write> parts: array<vec2<f32>>;
@group(0) @binding(4) var<storage> dy: array<Cell>;
@group(0) @binding(5) var<storage> scale: array<Cell>;
@group(0) @binding(6) var<storage> means: array<f32>;
@group(0) @binding(7) var<storage> inverses: array<f32>;
@group(0) @binding(8) var<uniform> backward: Backward;

struct Row {
    number: u32,
    mean: f32,
    inverse: f32,
}

fn row_of(number: u32) -> Row {
    var mean = 0.0;
    if centred {
        mean = means[backward.first_of_means + number];
    }
    return Row(number, mean, inverses[backward.first_of_inverses + number]);
}

fn normalised(row: Row, at: u32) -> Unit {
    return (load(at) - row.mean) * row.inverse;
}

// The derivative by the normalised element k of a row.
fn by_normalised(row: Row, k: u32, at: u32) -> Unit {
    let place = backward.first_of_dy + at;
    let by_result = unit_in(dy[place / cell_units], place);
    if !has_scale {
        return by_result;
    }
    var weight = k;
    if by_channel {
        weight = row.number % backward.period * backward.channels + k / backward.inner;
    }
    weight += backward.first_of_scale;
    return by_result * unit_in(scale[weight / cell_units], weight);
}

// The sums of derivatives, and of their products with normalised elements.
struct Sums {
    plain: f32,
    products: f32,
}

// Those of the elements that are `step` units apart, from the first but `lane`.
fn walked(row: Row, walk: Walk, lane: u32, step: u32) -> Sums {
    var plain = Unit(0.0);
    var products = Unit(0.0);
    let steps = (walk.end - walk.begin) / step;
    for (var turn = 0u; turn < steps; turn++) {
        let k = walk.begin + turn * step + lane;
        let at = place(walk.origin, k);
        let derivative = by_normalised(row, k, at);
        plain += derivative;
        products += derivative * normalised(row, at);
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        let at = place(walk.origin, k);
        let derivative = by_normalised(row, k, at);
        plain += derivative;
        products += derivative * normalised(row, at);
    }
    return Sums(total_of(plain), total_of(products));
}

fn write(row: Row, k: u32, at: u32, sums: Sums) {
    var rest = by_normalised(row, k, at) - normalised(row, at) * (sums.products / backward.elements);
    if centred {
        rest = rest - sums.plain / backward.elements;
    }
    store(at, rest * row.inverse);
}

fn write_walk(row: Row, walk: Walk, lane: u32, step: u32, sums: Sums) {
    let steps = (walk.end - walk.begin) / step;
    for (var turn = 0u; turn < steps; turn++) {
        let k = walk.begin + turn * step + lane;
        write(row, k, place(walk.origin, k), sums);
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        write(row, k, place(walk.origin, k), sums);
    }
}

fn of_team(sums: Sums, local: u32) -> Sums {
    return Sums(team_sum(sums.plain, local, 0u), team_sum(sums.products, local, 1u));
}

// The sums of the parts of a row that are `step` apart, from the first but `lane`.
fn of_parts(row: u32, lane: u32, step: u32) -> Sums {
    var sum = vec2(0.0);
    for (var part = lane; part < rows.parts; part += step) {
        sum += parts[part * rows.count + row];
    }
    return Sums(sum.x, sum.y);
}

// A team for each row.
@compute @workgroup_size(group)
fn team_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = id.x * teams() + local / width;
    let lane = local % width;
    var walk = Walk(0u, 0u, 0u);
    if number < rows.count {
        walk = walk_of(number, 0u);
    }
    let row = row_of(min(number, rows.count - 1u));
    let sums = of_team(walked(row, walk, lane, width), local);
    write_walk(row, walk, lane, width, sums);
}

// A workgroup for each part of each row.
@compute @workgroup_size(group)
fn parts_of_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    let part = id.x % rows.parts;
    if row >= rows.count {
        return;
    }
    let sums = of_team(walked(row_of(row), walk_of(row, part), local, group), local);
    if local == 0u {
        parts[part * rows.count + row] = vec2(sums.plain, sums.products);
    }
}

@compute @workgroup_size(group)
fn rows_from_parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    if row >= rows.count {
        return;
    }
    let sums = of_team(of_parts(row, local, group), local);
    write_walk(row_of(row), walk_of(row, id.x % rows.parts), local, group, sums);
}

// A workgroup for each row.
@compute @workgroup_size(group)
fn whole_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= rows.count {
        return;
    }
    let row = row_of(id.x);
    let walk = walk_of(id.x, 0u);
    write_walk(row, walk, local, group, of_team(walked(row, walk, local, group), local));
}

// An invocation for each part of each row.
@compute @workgroup_size(group)
fn parts_of_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        let row = id.x % rows.count;
        let sums = walked(row_of(row), walk_of(row, id.x / rows.count), 0u, 1u);
        parts[id.x] = vec2(sums.plain, sums.products);
    }
}

@compute @workgroup_size(group)
fn lines_from_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        let row = id.x % rows.count;
        write_walk(row_of(row), walk_of(row, id.x / rows.count), 0u, 1u, of_parts(row, 0u, 1u));
    }
}

// An invocation for each row.
@compute @workgroup_size(group)
fn whole_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        let row = row_of(id.x);
        let walk = walk_of(id.x, 0u);
        write_walk(row, walk, 0u, 1u, walked(row, walk, 0u, 1u));
    }
}

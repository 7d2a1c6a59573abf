// Norms of rows: differences from the mean, or elements, divided by the root of their mean square; then scale and bias.
//
// A row whose sum of squares is not finite is NaN.
import package::shared::row_held::{Held, loaded, total_held};
import package::shared::row_team::{group, team_sum, teams, width};
import package::shared::rows::{
    Cell, Unit, Walk, cell_units, load, not_a_number, place, rows, store, total_of, unit_in, unit_size, walk_of,
};

struct Norm {
    // Added to the mean square.
    epsilon: f32,
    // The elements of a row.
    elements: f32,
    // Weights by channel: the rows after which they repeat, the channels of a row, and the elements of a channel.
    period: u32,
    channels: u32,
    inner: u32,
    // The first unit of scale and bias, and the first element of the statistics, in their bindings.
    first_of_scale: u32,
    first_of_bias: u32,
    first_of_means: u32,
    first_of_inverses: u32,
}

// Whether the mean is subtracted.
override centred: bool = true;
override has_scale: bool = false;
override has_bias: bool = false;
// Whether scale and bias are by channel, not by element.
override by_channel: bool = false;
override has_statistics: bool = false;
// The units of a row in each invocation's registers: 4 or 8.
override held: u32 = 4u;

// The mean of each part of each row, and the sum of squares.
@group(0) @binding(3) var<storage, read_write> parts: array<vec2<f32>>;
@group(0) @binding(4) var<storage> scale: array<Cell>;
@group(0) @binding(5) var<storage> bias: array<Cell>;
@group(0) @binding(6) var<storage, read_write> means: array<f32>;
@group(0) @binding(7) var<storage, read_write> inverses: array<f32>;
@group(0) @binding(8) var<uniform> norm: Norm;

// The mean of some elements, the sum of the squares of their differences from it, and their number.
struct Part {
    mean: f32,
    squares: f32,
    count: f32,
}

const nothing = Part(0.0, 0.0, 0.0);

fn square(unit: Unit) -> Unit {
    return unit * unit;
}

// Two parts as one (Chan, Golub, LeVeque: 'Updating formulae and a pairwise algorithm for computing sample variances',
// 1979).
fn joined(a: Part, b: Part) -> Part {
    let count = a.count + b.count;
    if !centred {
        return Part(0.0, a.squares + b.squares, count);
    }
    let share = b.count / max(count, 1.0);
    let distance = b.mean - a.mean;
    return Part(a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share, count);
}

fn with_unit(part: Part, unit: Unit) -> Part {
    let count = f32(unit_size);
    if !centred {
        return Part(0.0, part.squares + total_of(square(unit)), part.count + count);
    }
    let mean = total_of(unit) / count;
    return joined(part, Part(mean, total_of(square(unit - mean)), count));
}

fn with_units(part: Part, a: Unit, b: Unit, c: Unit, d: Unit) -> Part {
    let count = 4.0 * f32(unit_size);
    if !centred {
        let squares = (square(a) + square(b)) + (square(c) + square(d));
        return Part(0.0, part.squares + total_of(squares), part.count + count);
    }
    let mean = total_of((a + b) + (c + d)) / count;
    let squares = (square(a - mean) + square(b - mean)) + (square(c - mean) + square(d - mean));
    return joined(part, Part(mean, total_of(squares), count));
}

// The part of all elements of a team, which are those of a row or of a part with `count` elements.
fn of_team(part: Part, count: f32, local: u32) -> Part {
    if !centred {
        return Part(0.0, team_sum(part.squares, local, 1u), count);
    }
    let mean = team_sum(part.mean * part.count, local, 0u) / count;
    let distance = part.mean - mean;
    return Part(mean, team_sum(part.squares + distance * distance * part.count, local, 1u), count);
}

// The numbers that all results of a row need: `inverse` is that of the root of the mean square.
struct Total {
    mean: f32,
    inverse: f32,
    is_number: bool,
}

fn total(mean: f32, squares: f32) -> Total {
    let is_number = (bitcast<u32>(squares) & 0x7f800000u) != 0x7f800000u;
    return Total(mean, inverseSqrt(squares / norm.elements + norm.epsilon), is_number);
}

// One invocation of a row writes its statistics.
fn write_total(row: u32, total: Total) {
    if has_statistics {
        means[norm.first_of_means + row] = select(not_a_number(), total.mean, total.is_number);
        inverses[norm.first_of_inverses + row] = select(not_a_number(), total.inverse, total.is_number);
    }
}

// The number of the weights of unit k of a row.
fn weight_of(row: u32, k: u32) -> u32 {
    if by_channel {
        return row % norm.period * norm.channels + k / norm.inner;
    }
    return k;
}

fn result(row: u32, k: u32, unit: Unit, total: Total) -> Unit {
    if !total.is_number {
        return Unit(not_a_number());
    }
    var value = unit;
    if centred {
        value = value - total.mean;
    }
    value = value * total.inverse;
    let weight = weight_of(row, k);
    if has_scale {
        let at = norm.first_of_scale + weight;
        value = value * unit_in(scale[at / cell_units], at);
    }
    if has_bias {
        let at = norm.first_of_bias + weight;
        value = value + unit_in(bias[at / cell_units], at);
    }
    return value;
}

fn square_at(k: u32, unit: Unit, mean: f32) -> Unit {
    if centred && k < rows.length {
        return square(unit - mean);
    }
    return square(unit);
}

fn squares_held(k: u32, units: Held, mean: f32) -> f32 {
    return total_of(
        (square_at(k, units.a, mean) + square_at(k + width, units.b, mean))
            + (square_at(k + 2u * width, units.c, mean) + square_at(k + 3u * width, units.d, mean)));
}

fn write_held(row: u32, k: u32, unit: Unit, total: Total) {
    if row < rows.count && k < rows.length {
        store(row * rows.length + k, result(row, k, unit, total));
    }
}

fn write_all(row: u32, k: u32, units: Held, total: Total) {
    write_held(row, k, units.a, total);
    write_held(row, k + width, units.b, total);
    write_held(row, k + 2u * width, units.c, total);
    write_held(row, k + 3u * width, units.d, total);
}

// A row is in the registers of a team.
@compute @workgroup_size(group)
fn team_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x * teams() + local / width;
    let lane = local % width;
    let low = loaded(row, lane, 0.0);
    var high = low;
    if held > 4u {
        high = loaded(row, lane + 4u * width, 0.0);
    }
    var mean = 0.0;
    if centred {
        var sum = total_held(low);
        if held > 4u {
            sum += total_held(high);
        }
        mean = team_sum(sum, local, 0u) / norm.elements;
    }
    var squares = squares_held(lane, low, mean);
    if held > 4u {
        squares += squares_held(lane + 4u * width, high, mean);
    }
    let all = total(mean, team_sum(squares, local, 1u));
    if lane == 0u && row < rows.count {
        write_total(row, all);
    }
    write_all(row, lane, low, all);
    if held > 4u {
        write_all(row, lane + 4u * width, high, all);
    }
}

// The part of the elements that are `step` units apart, from the first but `lane`.
fn walked(walk: Walk, lane: u32, step: u32) -> Part {
    var part = nothing;
    let steps = (walk.end - walk.begin) / (4u * step);
    for (var at = 0u; at < steps; at++) {
        let k = walk.begin + at * 4u * step + lane;
        let a = load(place(walk.origin, k));
        let b = load(place(walk.origin, k + step));
        let c = load(place(walk.origin, k + 2u * step));
        let d = load(place(walk.origin, k + 3u * step));
        part = with_units(part, a, b, c, d);
    }
    for (var k = walk.begin + steps * 4u * step + lane; k < walk.end; k += step) {
        part = with_unit(part, load(place(walk.origin, k)));
    }
    return part;
}

fn write_walk(row: u32, walk: Walk, lane: u32, step: u32, all: Total) {
    let steps = (walk.end - walk.begin) / step;
    for (var at = 0u; at < steps; at++) {
        let k = walk.begin + at * step + lane;
        let to = place(walk.origin, k);
        store(to, result(row, k, load(to), all));
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        let to = place(walk.origin, k);
        store(to, result(row, k, load(to), all));
    }
    if lane == 0u && walk.begin == 0u {
        write_total(row, all);
    }
}

// The elements of a walk.
fn count_of(walk: Walk) -> f32 {
    return f32((walk.end - walk.begin) * unit_size);
}

// The parts of a row that are `step` apart, from the first but `lane`.
fn of_parts(row: u32, lane: u32, step: u32) -> Part {
    var sum = nothing;
    for (var part = lane; part < rows.parts; part += step) {
        let one = parts[part * rows.count + row];
        sum = joined(sum, Part(one.x, one.y, count_of(walk_of(row, part))));
    }
    return sum;
}

// A workgroup for each part of each row.
@compute @workgroup_size(group)
fn parts_of_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    let part = id.x % rows.parts;
    if row >= rows.count {
        return;
    }
    let walk = walk_of(row, part);
    let found = of_team(walked(walk, local, group), count_of(walk), local);
    if local == 0u {
        parts[part * rows.count + row] = vec2(found.mean, found.squares);
    }
}

@compute @workgroup_size(group)
fn rows_from_parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    if row >= rows.count {
        return;
    }
    let all = of_team(of_parts(row, local, group), norm.elements, local);
    write_walk(row, walk_of(row, id.x % rows.parts), local, group, total(all.mean, all.squares));
}

// A workgroup for each row.
@compute @workgroup_size(group)
fn whole_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= rows.count {
        return;
    }
    let walk = walk_of(id.x, 0u);
    let all = of_team(walked(walk, local, group), norm.elements, local);
    write_walk(id.x, walk, local, group, total(all.mean, all.squares));
}

// An invocation for each part of each row.
@compute @workgroup_size(group)
fn parts_of_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        let found = walked(walk_of(id.x % rows.count, id.x / rows.count), 0u, 1u);
        parts[id.x] = vec2(found.mean, found.squares);
    }
}

@compute @workgroup_size(group)
fn lines_from_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        let row = id.x % rows.count;
        let all = of_parts(row, 0u, 1u);
        write_walk(row, walk_of(row, id.x / rows.count), 0u, 1u, total(all.mean, all.squares));
    }
}

// An invocation for each row.
@compute @workgroup_size(group)
fn whole_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        let walk = walk_of(id.x, 0u);
        let all = walked(walk, 0u, 1u);
        write_walk(id.x, walk, 0u, 1u, total(all.mean, all.squares));
    }
}

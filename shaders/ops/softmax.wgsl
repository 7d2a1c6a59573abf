// Softmax of rows, or its logarithm: exponentials relative to the row's greatest element, divided by their sum.
//
// All results of a row with NaN, with positive infinity, or with only negative infinity are NaN.
import package::shared::row_held::{Held, loaded, total_held};
import package::shared::row_powers::{
    Part, is_number, nothing, of_parts, of_team, power, store_part_of_line, store_part_of_row, walked,
};
import package::shared::row_team::{group, team_max, team_sum, teams, width};
import package::shared::rows::{
    Unit, Walk, greatest_of, load, not_a_number, place, rows, store, total_of, walk_of, without_nan,
};
@if(!packed)
import package::shared::rows::stored;

override logarithm: bool = false;
// The number of units of a row in each invocation's registers: 4 or 8.
override held: u32 = 4u;

// Whether a row is in a fast cache, so that another read of the row is cheaper than a second exponential.
override in_cache: bool = false;

// The numbers that all results of a row need: `term` is the inverse of the sum, or its logarithm.
struct Total {
    greatest: f32,
    term: f32,
    is_number: bool,
}

fn total(part: Part) -> Total {
    if logarithm {
        return Total(part.greatest, log(part.sum), is_number(part));
    }
    return Total(part.greatest, 1.0 / part.sum, is_number(part));
}

fn write(at: u32, unit: Unit, total: Total) {
    var result = Unit(not_a_number());
    if total.is_number {
        if logarithm {
            result = (unit - total.greatest) - total.term;
        } else {
            result = power(unit, total.greatest) * total.term;
        }
    }
    store(at, result);
}

// Returns four units of a row, with negative infinity beyond the row.
fn numbers_held(row: u32, k: u32) -> Held {
    let units = loaded(row, k, bitcast<f32>(rows.infinity | 0x80000000u));
    return Held(without_nan(units.a), without_nan(units.b), without_nan(units.c), without_nan(units.d));
}

fn greatest_held(units: Held) -> f32 {
    return greatest_of(max(max(units.a, units.b), max(units.c, units.d)));
}

fn powers(units: Held, greatest: f32) -> Held {
    return Held(
        power(units.a, greatest), power(units.b, greatest), power(units.c, greatest), power(units.d, greatest));
}

// Writes a result. `unit` is an element if `logarithm`, otherwise the exponential of an element.
fn write_held(row: u32, k: u32, unit: Unit, total: Total) {
    if row >= rows.count || k >= rows.length {
        return;
    }
    var result = Unit(not_a_number());
    if total.is_number {
        if logarithm {
            result = (unit - total.greatest) - total.term;
        } else {
            result = unit * total.term;
        }
    }
    store(row * rows.length + k, result);
}

fn write_all(row: u32, k: u32, units: Held, total: Total) {
    write_held(row, k, units.a, total);
    write_held(row, k + width, units.b, total);
    write_held(row, k + 2u * width, units.c, total);
    write_held(row, k + 3u * width, units.d, total);
}

// A team of invocations computes each row, which is in the registers of the team.
@compute @workgroup_size(group)
fn team_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x * teams() + local / width;
    let lane = local % width;
    var low = numbers_held(row, lane);
    var high = low;
    var greatest = greatest_held(low);
    if held > 4u {
        high = numbers_held(row, lane + 4u * width);
        greatest = max(greatest, greatest_held(high));
    }
    // The exponentials of a row of only negative infinity are relative to a finite number.
    greatest = team_max(max(greatest, nothing().greatest), local, 0u);
    let low_powers = powers(low, greatest);
    var sum = total_held(low_powers);
    if !logarithm {
        low = low_powers;
    }
    if held > 4u {
        let high_powers = powers(high, greatest);
        sum += total_held(high_powers);
        if !logarithm {
            high = high_powers;
        }
    }
    let all = total(Part(greatest, team_sum(sum, local, 1u)));
    write_all(row, lane, low, all);
    if held > 4u {
        write_all(row, lane + 4u * width, high, all);
    }
}

fn write_walk(walk: Walk, lane: u32, step: u32, all: Total) {
    let steps = (walk.end - walk.begin) / step;
    for (var at = 0u; at < steps; at++) {
        let to = place(walk.origin, walk.begin + at * step + lane);
        write(to, load(to), all);
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        let to = place(walk.origin, k);
        write(to, load(to), all);
    }
}

// Returns the greatest of the elements that are `step` units apart, from unit `lane` of the walk on.
fn greatest_walked(walk: Walk, lane: u32, step: u32) -> f32 {
    var greatest = nothing().greatest;
    let steps = (walk.end - walk.begin) / (2u * step);
    for (var at = 0u; at < steps; at++) {
        let k = walk.origin + walk.begin + at * 2u * step + lane;
        greatest = max(greatest, greatest_of(max(without_nan(load(k)), without_nan(load(k + step)))));
    }
    for (var k = walk.begin + steps * 2u * step + lane; k < walk.end; k += step) {
        greatest = max(greatest, greatest_of(without_nan(load(walk.origin + k))));
    }
    return greatest;
}

// Returns the exponential of an element. Also stores it, unless stores round (`packed`) or the results are logarithms.
fn power_at(at: u32, greatest: f32) -> Unit {
    let result = power(load(at), greatest);
    @if(!packed)
    if !logarithm {
        store(at, result);
    }
    return result;
}

fn powers_walked(walk: Walk, lane: u32, step: u32, greatest: f32) -> f32 {
    var sum = Unit(0.0);
    let steps = (walk.end - walk.begin) / step;
    for (var at = 0u; at < steps; at++) {
        sum += power_at(walk.origin + walk.begin + at * step + lane, greatest);
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        sum += power_at(walk.origin + k, greatest);
    }
    return total_of(sum);
}

@if(packed)
fn finish_walk(walk: Walk, lane: u32, step: u32, all: Total) {
    write_walk(walk, lane, step, all);
}

@if(!packed)
fn finish_walk(walk: Walk, lane: u32, step: u32, all: Total) {
    if logarithm || !all.is_number {
        write_walk(walk, lane, step, all);
        return;
    }
    let steps = (walk.end - walk.begin) / step;
    for (var at = 0u; at < steps; at++) {
        let to = walk.origin + walk.begin + at * step + lane;
        store(to, stored(to) * all.term);
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        store(walk.origin + k, stored(walk.origin + k) * all.term);
    }
}

// A workgroup computes each part of each row.
@compute @workgroup_size(group)
fn parts_of_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    store_part_of_row(id.x, local);
}

@compute @workgroup_size(group)
fn rows_from_parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    if row >= rows.count {
        return;
    }
    let all = total(of_team(of_parts(row, local, group), local));
    write_walk(walk_of(row, id.x % rows.parts), local, group, all);
}

// A workgroup computes each row.
@compute @workgroup_size(group)
fn whole_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= rows.count {
        return;
    }
    let walk = walk_of(id.x, 0u);
    if in_cache {
        let greatest = team_max(greatest_walked(walk, local, group), local, 0u);
        let sum = team_sum(powers_walked(walk, local, group, greatest), local, 1u);
        finish_walk(walk, local, group, total(Part(greatest, sum)));
        return;
    }
    write_walk(walk, local, group, total(of_team(walked(walk, local, group), local)));
}

// An invocation computes each part of each row.
@compute @workgroup_size(group)
fn parts_of_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    store_part_of_line(id.x);
}

@compute @workgroup_size(group)
fn lines_from_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count * rows.parts {
        let row = id.x % rows.count;
        write_walk(walk_of(row, id.x / rows.count), 0u, 1u, total(of_parts(row, 0u, 1u)));
    }
}

// An invocation computes each row.
@compute @workgroup_size(group)
fn whole_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        let walk = walk_of(id.x, 0u);
        write_walk(walk, 0u, 1u, total(walked(walk, 0u, 1u)));
    }
}

// The derivatives of the cross-entropy of rows: softmax, minus 1 at the class of the row, times the weight of the class
// and the derivative with respect to the loss.
import package::shared::row_powers::{
    Part, is_number, of_parts, of_team, power, store_part_of_line, store_part_of_row, walked,
};
import package::shared::row_targets::{how, target_of};
import package::shared::row_team::{group, teams, width};
import package::shared::rows::{Unit, Walk, load, not_a_number, place, rows, store, walk_of};

// Whether elements are logarithms of probabilities.
override normalised: bool = false;
// Whether all rows together have a single loss, and whether this loss is the mean of their losses.
override single: bool = false;
override mean: bool = false;

// The derivatives with respect to the losses, and the sum of the factors of all rows.
@group(0) @binding(7) var<storage> by_loss: array<f32>;
@group(0) @binding(8) var<storage> sum_of_factors: array<f32>;

struct Row {
    part: Part,
    class_: u32,
    factor: f32,
    counts: bool,
    is_number: bool,
}

fn row_of(number: u32, part: Part) -> Row {
    let target_ = target_of(number);
    var at = number;
    if single {
        at = 0u;
    }
    var factor = target_.factor * by_loss[how.first_of_numbers + at];
    if mean {
        factor = factor / sum_of_factors[0];
    }
    let known = target_.exists && (normalised || is_number(part));
    return Row(part, target_.class_, factor, target_.counts, known);
}

// Returns 1 for the element of the class, and 0 for all other elements.
@if(vectors)
fn at_class(k: u32, class_: u32) -> Unit {
    return select(vec4(0.0), vec4(1.0), vec4(k * 4u) + vec4(0u, 1u, 2u, 3u) == vec4(class_));
}

@if(!vectors)
fn at_class(k: u32, class_: u32) -> Unit {
    return select(0.0, 1.0, k == class_);
}

fn write(row: Row, k: u32, at: u32) {
    var result = Unit(0.0);
    if row.counts {
        if !row.is_number {
            result = Unit(not_a_number());
        } else if normalised {
            result = at_class(k, row.class_) * -row.factor;
        } else {
            let share = power(load(at), row.part.greatest) * (1.0 / row.part.sum);
            result = (share - at_class(k, row.class_)) * row.factor;
        }
    }
    store(at, result);
}

fn write_walk(row: Row, walk: Walk, lane: u32, step: u32) {
    let steps = (walk.end - walk.begin) / step;
    for (var turn = 0u; turn < steps; turn++) {
        let k = walk.begin + turn * step + lane;
        write(row, k, place(walk.origin, k));
    }
    let k = walk.begin + steps * step + lane;
    if k < walk.end {
        write(row, k, place(walk.origin, k));
    }
}

// A team of invocations computes each row.
@compute @workgroup_size(group)
fn team_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = id.x * teams() + local / width;
    let lane = local % width;
    var walk = Walk(0u, 0u, 0u);
    if number < rows.count {
        walk = walk_of(number, 0u);
    }
    let part = of_team(walked(walk, lane, width), local);
    write_walk(row_of(min(number, rows.count - 1u), part), walk, lane, width);
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
    let part = of_team(of_parts(row, local, group), local);
    write_walk(row_of(row, part), walk_of(row, id.x % rows.parts), local, group);
}

// A workgroup computes each row.
@compute @workgroup_size(group)
fn whole_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= rows.count {
        return;
    }
    let walk = walk_of(id.x, 0u);
    let part = of_team(walked(walk, local, group), local);
    write_walk(row_of(id.x, part), walk, local, group);
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
        write_walk(row_of(row, of_parts(row, 0u, 1u)), walk_of(row, id.x / rows.count), 0u, 1u);
    }
}

// An invocation computes each row.
@compute @workgroup_size(group)
fn whole_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        let walk = walk_of(id.x, 0u);
        write_walk(row_of(id.x, walked(walk, 0u, 1u)), walk, 0u, 1u);
    }
}

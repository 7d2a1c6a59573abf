// The cross-entropy of rows: the negative logarithm of softmax at the class of the row, times the weight of the class.
import package::shared::row_powers::{
    Part, is_number, of_parts, of_team, store_part_of_line, store_part_of_row, walked,
};
import package::shared::row_targets::{how, target_of};
import package::shared::row_team::{group, teams, width};
import package::shared::rows::{Walk, load, not_a_number, place, rows, walk_of};

// Whether elements are logarithms of probabilities.
override normalised: bool = false;

// The losses of the rows, or the factors of these losses.
@group(0) @binding(7) var<storage, read_write> numbers: array<f32>;

// Returns element k of the row at `origin`.
@if(vectors)
fn element(origin: u32, k: u32) -> f32 {
    let unit = load(place(origin, k / 4u));
    let pair = select(unit.xy, unit.zw, k % 4u >= 2u);
    return select(pair.x, pair.y, k % 2u == 1u);
}

@if(!vectors)
fn element(origin: u32, k: u32) -> f32 {
    return load(place(origin, k));
}

fn write_loss(row: u32, part: Part) {
    let target_ = target_of(row);
    var loss = 0.0;
    if target_.counts {
        if target_.exists && (normalised || is_number(part)) {
            var logarithm = element(walk_of(row, 0u).origin, target_.class_);
            if !normalised {
                logarithm = (logarithm - part.greatest) - log(part.sum);
            }
            loss = -target_.factor * logarithm;
        } else {
            loss = not_a_number();
        }
    }
    numbers[how.first_of_numbers + row] = loss;
}

// A team of invocations computes each row.
@compute @workgroup_size(group)
fn team_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x * teams() + local / width;
    let lane = local % width;
    var walk = Walk(0u, 0u, 0u);
    if row < rows.count && !normalised {
        walk = walk_of(row, 0u);
    }
    let part = of_team(walked(walk, lane, width), local);
    if lane == 0u && row < rows.count {
        write_loss(row, part);
    }
}

// A workgroup computes each part of each row.
@compute @workgroup_size(group)
fn parts_of_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    store_part_of_row(id.x, local);
}

// The workgroup of the first part of a row writes the loss of the row.
@compute @workgroup_size(group)
fn rows_from_parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = id.x / rows.parts;
    if row >= rows.count || id.x % rows.parts != 0u {
        return;
    }
    let part = of_team(of_parts(row, local, group), local);
    if local == 0u {
        write_loss(row, part);
    }
}

// A workgroup computes each row.
@compute @workgroup_size(group)
fn whole_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    if id.x >= rows.count {
        return;
    }
    let part = of_team(walked(walk_of(id.x, 0u), local, group), local);
    if local == 0u {
        write_loss(id.x, part);
    }
}

// An invocation computes each part of each row.
@compute @workgroup_size(group)
fn parts_of_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    store_part_of_line(id.x);
}

@compute @workgroup_size(group)
fn lines_from_parts(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        write_loss(id.x, of_parts(id.x, 0u, 1u));
    }
}

// An invocation computes each row.
@compute @workgroup_size(group)
fn whole_lines(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        var walk = walk_of(id.x, 0u);
        if normalised {
            walk.end = walk.begin;
        }
        write_loss(id.x, walked(walk, 0u, 1u));
    }
}

// Writes the factor of each row's loss: see `Target`.
@compute @workgroup_size(256)
fn factors(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < rows.count {
        numbers[how.first_of_numbers + id.x] = target_of(id.x).factor;
    }
}

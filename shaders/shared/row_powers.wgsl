// The sums of exponentials of rows, relative to the row's greatest element.
//
// NaN counts as infinity. The softmax of a row is not a number if the row has NaN, positive infinity, or only negative
// infinity: its greatest element is infinite, or all of its exponentials are 0.
import package::shared::row_team::{group, team_max, team_sum};
import package::shared::rows::{Unit, Walk, greatest_of, load, place, rows, total_of, walk_of, without_nan};

// The greatest element and the sum of each part of each row.
@group(0) @binding(3) var<storage, read_write> parts: array<vec2<f32>>;

// For some elements of a row: the greatest of them and of the least finite number, and the sum of their exponentials
// relative to `greatest`.
struct Part {
    greatest: f32,
    sum: f32,
}

// The part without elements. The least finite number comes from the bits of infinity: browsers refuse its decimal form.
fn nothing() -> Part {
    return Part(bitcast<f32>((rows.infinity - 1u) | 0x80000000u), 0.0);
}

// The exponential of this number is exactly 0; lower differences, such as negative infinity, are replaced by this
// number.
const lowest = -110.0;

fn power(unit: Unit, greatest: f32) -> Unit {
    return exp(max(unit - greatest, Unit(lowest)));
}

// Returns the factor by which a sum of exponentials changes if it becomes relative to `now` in place of `before`.
fn factor(before: f32, now: f32) -> f32 {
    return exp(max(before - now, lowest));
}

fn with_unit(part: Part, unit: Unit) -> Part {
    let greatest = max(part.greatest, greatest_of(unit));
    return Part(greatest, part.sum * factor(part.greatest, greatest) + total_of(power(unit, greatest)));
}

// Adds several units with one factor for all of them: the online form of Milakov and Gimelshein (2018) in blocks.
fn with_units(part: Part, a: Unit, b: Unit, c: Unit, d: Unit) -> Part {
    let greatest = max(part.greatest, greatest_of(max(max(a, b), max(c, d))));
    let powers = (power(a, greatest) + power(b, greatest)) + (power(c, greatest) + power(d, greatest));
    return Part(greatest, part.sum * factor(part.greatest, greatest) + total_of(powers));
}

fn joined(a: Part, b: Part) -> Part {
    let greatest = max(a.greatest, b.greatest);
    return Part(greatest, a.sum * factor(a.greatest, greatest) + b.sum * factor(b.greatest, greatest));
}

// Returns the part of all elements of a team.
fn of_team(part: Part, local: u32) -> Part {
    let greatest = team_max(part.greatest, local, 0u);
    return Part(greatest, team_sum(part.sum * factor(part.greatest, greatest), local, 1u));
}

// Returns the part of the elements that are `step` units apart, from unit `lane` of the walk on.
fn walked(walk: Walk, lane: u32, step: u32) -> Part {
    var part = nothing();
    let steps = (walk.end - walk.begin) / (4u * step);
    for (var at = 0u; at < steps; at++) {
        let k = walk.begin + at * 4u * step + lane;
        let a = without_nan(load(place(walk.origin, k)));
        let b = without_nan(load(place(walk.origin, k + step)));
        let c = without_nan(load(place(walk.origin, k + 2u * step)));
        let d = without_nan(load(place(walk.origin, k + 3u * step)));
        part = with_units(part, a, b, c, d);
    }
    for (var k = walk.begin + steps * 4u * step + lane; k < walk.end; k += step) {
        part = with_unit(part, without_nan(load(place(walk.origin, k))));
    }
    return part;
}

// Computes and stores one part of a row; `number` is the index of the workgroup.
fn store_part_of_row(number: u32, local: u32) {
    let row = number / rows.parts;
    let part = number % rows.parts;
    if row >= rows.count {
        return;
    }
    let found = of_team(walked(walk_of(row, part), local, group), local);
    if local == 0u {
        parts[part * rows.count + row] = vec2(found.greatest, found.sum);
    }
}

// Computes and stores one part of a row; `number` is the index of the invocation.
fn store_part_of_line(number: u32) {
    if number < rows.count * rows.parts {
        let found = walked(walk_of(number % rows.count, number / rows.count), 0u, 1u);
        parts[number] = vec2(found.greatest, found.sum);
    }
}

// Returns the sum of the parts of a row that are `step` parts apart, from part `lane` on.
fn of_parts(row: u32, lane: u32, step: u32) -> Part {
    var sum = nothing();
    for (var part = lane; part < rows.parts; part += step) {
        let one = parts[part * rows.count + row];
        sum = joined(sum, Part(one.x, one.y));
    }
    return sum;
}

// Whether the softmax of a row is a number.
fn is_number(part: Part) -> bool {
    return bitcast<u32>(part.greatest) != 0x7f800000u && part.sum > 0.0;
}

// The units of a row that an invocation holds in registers.
import package::shared::row_team::width;
import package::shared::rows::{Unit, load, rows, total_of};

// Four units, `width` apart. Named members, not an array, so that they stay in registers.
struct Held {
    a: Unit,
    b: Unit,
    c: Unit,
    d: Unit,
}

// Returns a unit of a row, or the number `beyond` if the row has no such unit.
fn unit_at(row: u32, k: u32, beyond: f32) -> Unit {
    if row < rows.count && k < rows.length {
        return load(row * rows.length + k);
    }
    return Unit(beyond);
}

fn loaded(row: u32, k: u32, beyond: f32) -> Held {
    return Held(
        unit_at(row, k, beyond), unit_at(row, k + width, beyond), unit_at(row, k + 2u * width, beyond),
        unit_at(row, k + 3u * width, beyond));
}

fn total_held(units: Held) -> f32 {
    return total_of((units.a + units.b) + (units.c + units.d));
}

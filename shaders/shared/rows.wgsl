// Rows of floats, in units of one element or, with `vectors`, of four elements. Floats are f32, or, with `packed`, two
// in a word.
@if(packed)
import package::shared::halves::{element_in, rounded, unpacked};

@if(vectors)
alias Unit = vec4<f32>;
@else
alias Unit = f32;

@if(vectors && packed)
alias Cell = vec2<u32>;
@if(vectors && !packed)
alias Cell = vec4<f32>;
@if(!vectors && packed)
alias Cell = u32;
@if(!vectors && !packed)
alias Cell = f32;

// The number of elements of a unit.
@if(vectors)
const unit_size = 4u;
@else
const unit_size = 1u;

// The number of units of a cell.
@if(packed && !vectors)
const cell_units = 2u;
@else
const cell_units = 1u;

struct Rows {
    // The number of rows, the number of units of a row, and the distance between these units.
    count: u32,
    length: u32,
    inner: u32,
    // The index of each array's first unit in its binding.
    first_of_x: u32,
    first_of_y: u32,
    // The number of parts of a row, and of units of a part.
    parts: u32,
    chunk: u32,
    // The bits of infinity: compilers assume that constants are finite.
    infinity: u32,
}

@group(0) @binding(0) var<uniform> rows: Rows;
@group(0) @binding(1) var<storage> x: array<Cell>;
// The words are atomic, because two invocations may each write one half of a word.
@if(packed && !vectors)
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
@else
@group(0) @binding(2) var<storage, read_write> y: array<Cell>;

// Whether the units of a row are not adjacent.
override strided: bool = false;

// Returns the index of the first unit of a row.
fn origin_of(row: u32) -> u32 {
    if strided {
        return row / rows.inner * rows.inner * rows.length + row % rows.inner;
    }
    return row * rows.length;
}

// Returns the index of unit k of a row.
fn place(origin: u32, k: u32) -> u32 {
    if strided {
        return origin + k * rows.inner;
    }
    return origin + k;
}

// Returns unit `at` of an array, which is in this cell.
@if(vectors && packed)
fn unit_in(cell: Cell, at: u32) -> Unit {
    return vec4(unpacked(cell.x), unpacked(cell.y));
}

@if(!vectors && packed)
fn unit_in(cell: Cell, at: u32) -> Unit {
    return element_in(cell, at);
}

@if(!packed)
fn unit_in(cell: Cell, at: u32) -> Unit {
    return cell;
}

fn load(at: u32) -> Unit {
    let place = rows.first_of_x + at;
    return unit_in(x[place / cell_units], place);
}

@if(vectors && packed)
fn store(at: u32, value: Unit) {
    let bits = rounded(value);
    y[rows.first_of_y + at] = vec2(bits.x | (bits.y << 16u), bits.z | (bits.w << 16u));
}

@if(!vectors && packed)
fn store(at: u32, value: Unit) {
    let place = rows.first_of_y + at;
    let shift = place % 2u * 16u;
    // Keeps the other half of the word, also if another invocation changes it between the two operations.
    atomicAnd(&y[place / 2u], ~(0xffffu << shift));
    atomicOr(&y[place / 2u], rounded(vec4(value)).x << shift);
}

@if(!packed)
fn store(at: u32, value: Unit) {
    y[rows.first_of_y + at] = value;
}

// Returns a result that was stored.
@if(!packed)
fn stored(at: u32) -> Unit {
    return y[rows.first_of_y + at];
}

@if(vectors)
fn total_of(unit: Unit) -> f32 {
    return (unit.x + unit.y) + (unit.z + unit.w);
}

@if(!vectors)
fn total_of(unit: Unit) -> f32 {
    return unit;
}

@if(vectors)
fn greatest_of(unit: Unit) -> f32 {
    return max(max(unit.x, unit.y), max(unit.z, unit.w));
}

@if(!vectors)
fn greatest_of(unit: Unit) -> f32 {
    return unit;
}

// Returns a unit with infinity in place of NaN, as comparisons of NaN have no defined results.
@if(vectors)
fn without_nan(unit: Unit) -> Unit {
    let size = bitcast<vec4<u32>>(unit) & vec4(0x7fffffffu);
    return select(unit, vec4(bitcast<f32>(rows.infinity)), size > vec4(0x7f800000u));
}

@if(!vectors)
fn without_nan(unit: Unit) -> Unit {
    return select(unit, bitcast<f32>(rows.infinity), (bitcast<u32>(unit) & 0x7fffffffu) > 0x7f800000u);
}

fn not_a_number() -> f32 {
    return bitcast<f32>(rows.infinity | 0x400000u);
}

// A part of a row over which invocations iterate: the units from `begin` to `end`.
struct Walk {
    origin: u32,
    begin: u32,
    end: u32,
}

fn walk_of(row: u32, part: u32) -> Walk {
    let begin = min(part * rows.chunk, rows.length);
    return Walk(origin_of(row), begin, min(begin + rows.chunk, rows.length));
}

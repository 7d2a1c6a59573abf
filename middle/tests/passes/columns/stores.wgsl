// Stores to matrices of two rows in structs become stores to their columns.
// pass: columns

struct State { count: u32, turn: mat3x2<f32>, wide: mat2x3<f32> }
var<workgroup> both: State;
@group(0) @binding(0) var<storage, read_write> out: State;
fn put(p: ptr<function, State>, v: vec2<f32>, n: i32) { (*p).turn[n] = v; }
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) n: u32) {
    var state: State;
    var states: array<State, 2>;
    var alone: mat3x2<f32>;
    let m = mat3x2<f32>(f32(n), 1, 2, 3, 4, 5);
    // ...
}

// case: constant columns, other matrices and buffers stay
state.turn[1] = vec2<f32>(1.0); state.turn[2][n] = 2.0; state.wide[n].x = 3.0; alone[n] = vec2<f32>(4.0); out.turn = m;
// check: fn main
// not: switch
// not: whole

// case: a column of a parameter, by a signed index
// check: fn put
// next: switch
// check: case 0: {
// next: (*p).turn[0] = v;
// check: case 2: {
// next: (*p).turn[2] = v;
// check: default: {
// check: fn main

// case: a matrix
state.turn = m;
// check: fn main
// check: whole =
// check: $first = whole[0];
// next: state.turn[0] = $first;
// check: $last = whole[2];
// next: state.turn[2] = $last;

// case: a number of workgroup memory
both.turn[n].y = 1.0;
// check: fn main
// check: switch n {
// check: both.turn[1][1] = 1

// case: an element of an array
states[n].turn = m;
// check: fn main
// check: states[n].turn[1] =

// case: a number by two indices
state.turn[n][i32(n) % 2] = 1.0;
// check: fn main
// check: switch n {
// check: case 2u: {
// next: switch
// next: case 0: {
// next: state.turn[2][0] = 1
// check: case 1: {
// next: state.turn[2][1] = 1

// Stores to elements of arrays in structs go through copies of the arrays.
// pass: members

struct Cell { at: vec2<u32>, times: array<u32, 3> }
struct State { count: u32, next: array<u32, 4>, cells: array<Cell, 2> }
var<private> own: State;
var<workgroup> both: State;
@group(0) @binding(0) var<storage, read_write> out: State;
fn put(p: ptr<function, State>, n: u32) { (*p).next[n] = 7u; }
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) n: u32) {
    var state: State;
    var alone: array<Cell, 2>;
    // ...
    put(&state, n);
}

// case: constant indices, reads, whole arrays and variables of several invocations stay
state.next[1] = state.next[n]; state.count = 2u; alone[n].at.x = 1u; both.next[n] = 1u; out.next[n] = 2u;
// check: fn put
// check: var whole
// check: fn main
// not: whole

// case: a parameter
// check: fn put
// check: = (*p).next;
// next: whole =
// next: whole[$_] = 7
// next: = whole;
// next: (*p).next =

// case: a variable, in a loop
for (var i = 0u; i < n; i++) { state.next[i] = i; }
// check: fn main
// check: loop
// check: = state.next;
// next: whole =
// check: whole[$_] =
// next: $whole = whole;
// next: state.next = $whole;

// case: a private variable
own.next[n] = 3u;
// check: fn main
// check: = own.next;
// next: whole =
// next: whole[n] = 3
// next: = whole;
// next: own.next =

// case: an array in a variable that is an array
alone[n].times[n] = 4u;
// check: fn main
// check: = alone[n].times;
// next: whole =
// next: whole[n] = 4
// next: = whole;
// next: alone[n].times =

// case: an array in an array
state.cells[n].times[n + 1u] = 5u;
// check: fn main
// check: = state.cells;
// next: whole =
// next: = whole[n].times;
// next: whole_1 =
// next: whole_1[$_] = 5
// next: = whole_1;
// next: whole[n].times =
// next: = whole;
// next: state.cells =

// case: a component of an element
state.cells[n].at.y = 6u;
// check: fn main
// check: = state.cells;
// next: whole =
// next: whole[n].at.y = 6
// next: = whole;
// next: state.cells =

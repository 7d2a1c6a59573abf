// Arguments that point to parts of variables become copies.
// pass: pointers

struct Pair { first: u32, rest: array<u32, 3> }
var<private> own: array<vec3<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn fetch(p: ptr<function, u32>) -> u32 { return *p; }
fn put(p: ptr<function, u32>) { *p = 7u; }
fn pass_on(p: ptr<function, u32>) { put(p); }
fn third(p: ptr<function, array<u32, 3>>) { if out[9] > 1u { (*p)[2] = out[0]; } }
fn mixed(a: ptr<function, u32>, b: u32, c: ptr<private, vec3<u32>>) -> u32 { (*c).y = b; return *a; }
fn member(p: ptr<function, Pair>) { third(&(*p).rest); }
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) n: u32) {
    var pair: Pair;
    var single = n;
    // ...
}

// case: whole variables stay
put(&single); out[0] = fetch(&single); member(&pair);
// check: fn main
// not: part
// check: put((&single));

// case: a member that is only read
out[0] = fetch(&pair.first);
// check: fn main
// check: = pair.first;
// next: part =
// next: fetch((&part));
// not: pair.first =

// case: an element that is written
put(&pair.rest[n]);
// check: fn main
// check: = pair.rest[n];
// next: part =
// next: put((&part));
// next: = part;
// next: pair.rest[n] =

// case: an element that an inner call writes
pass_on(&pair.rest[1]);
// check: fn main
// check: pass_on((&part));
// next: = part;
// next: pair.rest[1] =

// case: a part of a parameter
member(&pair);
// check: fn member
// check: = (*p_4).rest;
// next: part =
// next: third((&part));
// next: = part;
// next: (*p_4).rest =

// case: two parts and a value, with a result
out[0] = mixed(&pair.first, n, &own[1]);
// check: fn main
// check: = pair.first;
// next: part =
// next: = own[1];
// next: part_2 =
// next: mixed((&part), n, (&part_2));
// next: = part_2;
// next: own[1] =
// not: pair.first =

// case: calls in nested blocks
for (var i = 0u; i < 3u; i++) { if n > i { put(&pair.rest[i]); } else { switch i { case 1u { put(&pair.first); } default {} } } }
// check: fn main
// count 2: put((&part
// check: pair.rest[
// check: pair.first =

//// no workgroup size
// module
@compute fn other() {}

//// a variable without an address space
// module
var counter: array<u32, 4>;

//// a variable with neither type nor value
// module
fn f() { var x; }

//// a constant without a value
// module
const N: u32;

//// let outside of functions
// module
let N = 4u;

//// storage without read_write is assigned
// module
@group(0) @binding(4) var<storage> out: array<f32>;
fn f() { out[0] = 1.0; }

//// a read-only storage buffer is assigned
// module
@group(0) @binding(4) var<storage, read> out: array<f32>;
@compute @workgroup_size(1) fn other() { out[0] = 1.0; }

//// uniform is assigned
// module
struct Params { n: u32 }
@group(0) @binding(4) var<uniform> params: Params;
fn f() { params.n = 1u; }

//// uniform with an access mode
// module
struct Params { n: u32 }
@group(0) @binding(4) var<uniform, read> params: Params;

//// a storage buffer without a binding
// module
var<storage, read_write> out: array<f32>;
fn f() { out[0] = 1.0; }

//// a group without a binding
// module
@group(0) var<storage, read_write> out: array<f32>;
fn f() { out[0] = 1.0; }

//// a binding without a group
// module
@binding(4) var<storage, read_write> out: array<f32>;
fn f() { out[0] = 1.0; }

//// two bindings of one number
// module
@group(0) @binding(4) var<storage, read_write> a: array<f32>;
@group(0) @binding(4) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(1) fn other() { a[0] = b[0]; }

//// a runtime array that is not last
// module
struct Data { values: array<f32>, count: u32 }
@group(0) @binding(4) var<storage, read_write> d: Data;

//// a runtime array of runtime arrays
// module
@group(0) @binding(4) var<storage, read_write> d: array<array<f32>>;

//// a runtime array in a uniform
// module
@group(0) @binding(4) var<uniform> d: array<vec4<f32>>;

//// a runtime array in workgroup memory
// module
var<workgroup> tile: array<f32>;

//// a runtime array in a function
// module
fn f() { var tile: array<f32>; }

//// an array of f32 in a uniform
// module
struct Params { weights: array<f32, 8> }
@group(0) @binding(4) var<uniform> params: Params;

//// a struct in a uniform that is not aligned
// module
struct Inner { a: f32 }
struct Params { x: f32, inner: Inner }
@group(0) @binding(4) var<uniform> params: Params;

//// bool in a storage buffer
// module
@group(0) @binding(4) var<storage, read_write> flags: array<bool>;

//// bool in a struct in a uniform
// module
struct Params { on: bool }
@group(0) @binding(4) var<uniform> params: Params;

//// a pointer in a buffer
// module
struct Params { p: ptr<function, f32> }
@group(0) @binding(4) var<storage> params: Params;

//// an atomic in a uniform
// module
@group(0) @binding(4) var<uniform> count: atomic<u32>;

//// an atomic in a read-only buffer
// module
@group(0) @binding(4) var<storage, read> count: atomic<u32>;
@compute @workgroup_size(1) fn other() { atomicAdd(&count, 1u); }

//// an atomic in a function
// module
fn f() { var count: atomic<u32>; }

//// an atomic of f32
// module
@group(0) @binding(4) var<storage, read_write> sum: atomic<bool>;

//// a workgroup variable with a value
// module
var<workgroup> tile: array<f32, 4> = array<f32, 4>(1.0, 2.0, 3.0, 4.0);

//// a workgroup variable in a function
// module
fn f() { var<workgroup> tile: array<f32, 4>; }

//// a private variable with a value of a buffer
// module
var<private> n: u32 = words[0];

//// the length of an array is no constant
// module
fn f(n: u32) { var a: array<f32, n>; }

//// the length of an array is a let
// module
fn f() { let n = 4u; var a: array<f32, n>; }

//// the length of an array is an override
// module
override n: u32 = 4;
fn f() { var a: array<f32, n>; }

//// an array of length zero
// module
var<private> a: array<f32, 0>;

//// an override of a vector
// module
override size: vec2<u32> = vec2<u32>(8, 8);

//// an override in a constant
// module
override n: u32 = 4;
const m = n * 2;

//// an override without a name of its own
// module
fn f() { override n: u32 = 4; }

//// an override twice with one id
// module
@id(1) override n: u32 = 4;
@id(1) override m: u32 = 4;

//// f16 without enable
// module
var<private> x: f16;

//// f16 literal without enable
// module
fn f() { let x = 1.0h; }

//// an enable behind declarations
// module
var<private> x: u32;
enable f16;

//// a struct that has itself
// module
struct Node { value: f32, next: Node }

//// an empty struct
// module
struct Empty { }

//// semicolons in a struct
// module
struct Params { a: f32; b: f32; }

//// a struct as in C
// module
struct Params { float a; float b; };

//// two functions of one name
// module
fn f() {}
fn f() {}

//// a variable of the name of a function
// module
fn f() {}
var<private> f: f32;

//// a failed const_assert
// module
const N = 5;
const_assert N % 2 == 0;

//// a wrong align
// module
struct Params { @align(3) a: f32 }

//// a builtin value of a wrong type
// module
@compute @workgroup_size(1) fn other(@builtin(global_invocation_id) id: vec3<i32>) {}

//// a parameter of an entry point without an attribute
// module
@compute @workgroup_size(1) fn other(n: u32) {}

//// an entry point that returns
// module
@compute @workgroup_size(1) fn other() -> f32 { return 1.0; }

//// a workgroup of size zero
// module
@compute @workgroup_size(0) fn other() {}

//// GLSL's layout
// module
layout(local_size_x = 64) in;

//// GLSL's entry point
// module
void main() { }

//// HLSL's attribute
// module
[numthreads(64, 1, 1)] void main() { }

//// the old attributes
// module
[[stage(compute), workgroup_size(64)]] fn other() {}

//// stage as it was
// module
@stage(compute) @workgroup_size(64) fn other() {}

//// type as it was
// module
type Index = u32;

//// static as in Rust
// module
static N: u32 = 4;

//// mod as in Rust
// module
use crate::math;

//// pub as in Rust
// module
pub fn f() {}

//// the value of a constant is a parameter
// module
fn f(n: u32) { const m = n + 1u; }

//// a function-like call without parentheses of attributes
// module
@compute @workgroup_size 64 fn other() {}

//// a brace too many
// module
fn f() { }
}

//// a brace is missing
// module
fn f() { if (true) { 
fn g() {}

//// a binding before a function
// module
@group(0) @binding(7) fn f() {}

//// a binding before nothing
// module
@group(0) @binding(7);

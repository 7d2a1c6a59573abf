//// a call with too few arguments
// module
fn add(a: f32, b: f32) -> f32 { return a + b; }
fn f() { let x = add(1.0); }

//// a call with too many arguments
// module
fn add(a: f32, b: f32) -> f32 { return a + b; }
fn f() { let x = add(1.0, 2.0, 3.0); }

//// a builtin with too few arguments
// module
fn f() { let x = clamp(1.0, 2.0); }

//// a builtin with too many arguments
// module
fn f() { let x = sqrt(1.0, 2.0); }

//// an argument of another type
// module
fn twice(a: f32) -> f32 { return a * 2.0; }
fn f(n: u32) { let x = twice(n); }

//// a literal of another type as an argument
// module
fn twice(a: u32) -> u32 { return a * 2; }
fn f() { let x = twice(1.5); }

//// a return is missing
// module
fn sign_of(x: f32) -> f32 { if (x > 0.0) { return 1.0; } }

//// a return of another type
// module
fn f(n: u32) -> f32 { return n; }

//// a return of nothing
// module
fn f(n: u32) -> f32 { return; }

//// a return from a function without a result
// module
fn f(n: u32) { return n; }

//// a type of the result is missing
// module
fn f(n: u32) -> { return n; }

//// the types of parameters are missing
// module
fn f(n) -> u32 { return n; }

//// parameters as in C
// module
fn f(float x) -> f32 { return x; }

//// a function as in C
// module
float f(float x) { return x; }

//// recursion
// module
fn factorial(n: u32) -> u32 { if (n < 2u) { return 1u; } return n * factorial(n - 1u); }

//// recursion of two
// module
fn even(n: u32) -> bool { if (n == 0u) { return true; } return odd(n - 1u); }
fn odd(n: u32) -> bool { if (n == 0u) { return false; } return even(n - 1u); }

//// the result of a function without one
// module
fn g() {}
fn f() { let x = g(); }

//// a result that is not used
// module
@must_use fn g() -> f32 { return 1.0; }
fn f() { g(); }

//// a builtin's result is not used
// module
fn f() { max(1.0, 2.0); }

//// an entry point is called
// module
@compute @workgroup_size(1) fn other() {}
fn f() { other(); }

//// an atomic without &
// module
@group(0) @binding(4) var<storage, read_write> count: atomic<u32>;
fn f() { atomicAdd(count, 1u); }

//// an atomic of a plain variable
// module
fn f() { atomicAdd(&words[0], 1u); }

//// an atomic that is read as a variable
// module
@group(0) @binding(4) var<storage, read_write> count: atomic<u32>;
fn f() -> u32 { return count; }

//// an atomic with a value of another type
// module
@group(0) @binding(4) var<storage, read_write> count: atomic<u32>;
fn f() { atomicAdd(&count, 1i); }

//// an atomic of u32 that adds a float
// module
@group(0) @binding(4) var<storage, read_write> count: atomic<u32>;
fn f(x: f32) { atomicAdd(&count, x); }

//// a pointer parameter without an address space
// module
fn f(p: ptr<f32>) { *p = 1.0; }

//// a pointer parameter that is not dereferenced
// module
fn f(p: ptr<function, f32>) { p = 1.0; }

//// a pointer is expected and a value given
// module
fn g(p: ptr<function, f32>) { *p = 1.0; }
fn f() { var x = 1.0; g(x); }

//// a pointer into a storage buffer as an argument
// module
fn g(p: ptr<storage, array<f32>, read_write>) { (*p)[0] = 1.0; }
fn f() { g(&data); }

//// a pointer to another address space
// module
fn g(p: ptr<function, f32>) { *p = 1.0; }
var<private> x: f32;
fn f() { g(&x); }

//// the address of a let
// module
fn f() { let x = 1.0; let p = &x; }

//// the address of a component
// module
fn f() { var v = vec2<f32>(); let p = &v.x; }

//// a value is dereferenced
// module
fn f() { let x = 1.0; let y = *x; }

//// a runtime array as a value
// module
fn f() { let all = data; }

//// a function that returns a runtime array
// module
fn f() -> array<f32> { return data; }

//// a parameter is named as another
// module
fn f(x: f32, x: u32) {}

//// inout as in GLSL
// module
fn f(inout x: f32) { x = 1.0; }

//// a default argument
// module
fn f(x: f32 = 1.0) {}

//// a generic function
// module
fn f<T>(x: T) -> T { return x; }

//// a nested function
// module
fn f() { fn g() {} }

//// a lambda
// module
fn f() { let g = |x| x; }

//// a derivative in a compute shader
// module
@compute @workgroup_size(1) fn other() { let d = dpdx(1.0); }

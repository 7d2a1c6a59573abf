//// a name that is nearly right
let idx = id.x;
data[0] = f32(idex);

//// a function that is nearly right
data[0] = sqr(data[0]);

//// a field that is nearly right
// module
struct Params { count: u32, scale: f32 }
var<private> p: Params;
fn f() -> f32 { return p.scal; }

//// a field of a vector that is none
let x = id.q;

//// a swizzle that mixes
let v = vec4<f32>();
let x = v.xg;

//// lerp
data[0] = lerp(0.0, 1.0, 0.5);

//// frac
data[0] = frac(data[0]);

//// rsqrt
data[0] = rsqrt(data[0]);

//// mod
data[0] = mod(data[0], 2.0);

//// float4
let v = float4(1.0, 2.0, 3.0, 4.0);

//// vec3 of GLSL's names
let v: ivec3 = vec3<i32>();

//// int
var i: int = 0;

//// float
let x = float(id.x);

//// uint
var n: uint = 0u;

//// double
var n: double = 0.0;

//// half
var n: half = 0.0;

//// gl_GlobalInvocationID
let i = gl_GlobalInvocationID.x;

//// barrier
barrier();

//// __syncthreads
__syncthreads();

//// memoryBarrierShared
memoryBarrierShared();

//// InterlockedAdd
InterlockedAdd(words[0], 1u);

//// atomicInc
atomicInc(&words[0]);

//// threadIdx
let i = threadIdx.x;

//// printf
printf("x");

//// a length of an array
let n = data.length();

//// arrayLength without &
let n = arrayLength(data);

//// fmod
data[0] = fmod(data[0], 2.0);

//// ddx
let d = asuint(data[0]);

//// floatBitsToUint
let b = floatBitsToUint(data[0]);

//// null
let p = null;

//// a parameter that is not declared
// module
struct Params { n: u32 }
fn f() -> u32 { return params.n; }

//// an attribute with a spelling mistake
// module
@compute @workgroupsize(64) fn other() {}

//// a builtin value with a spelling mistake
// module
@compute @workgroup_size(64) fn other(@builtin(global_id) g: vec3<u32>) {}

//// thread_id
// module
@compute @workgroup_size(64) fn other(@builtin(thread_id) g: vec3<u32>) {}

//// an access mode with a spelling mistake
// module
@group(0) @binding(4) var<storage, readwrite> out: array<f32>;

//// an address space with a spelling mistake
// module
var<shared> tile: array<f32, 64>;

//// a type with a spelling mistake
// module
var<private> x: vec5<f32>;

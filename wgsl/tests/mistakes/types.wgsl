//// f32 times u32
data[id.x] = data[id.x] * words[id.x];

//// u32 plus i32
let i = 3i;
words[0] = words[id.x + i];

//// a float literal and a u32
data[id.x] = id.x * 2.0;

//// a float literal and an i32 variable
var i = 1;
let half = i * 0.5;

//// a constant of i32 and a float literal
const SIZE: i32 = 4;
let half = SIZE * 0.5;

//// a vector and a scalar of another type
let v = vec3<f32>(1.0, 2.0, 3.0) * id.x;

//// vectors of two sizes
let v = vec3<f32>(1.0) + vec2<f32>(2.0);

//// a comparison of u32 with i32
let n = -1i;
if (id.x > n) { data[0] = 1.0; }

//// an integer where a condition is needed
if (id.x) { data[0] = 1.0; }

//// not of an integer
if (!id.x) { data[0] = 1.0; }

//// and of integers
if (id.x && id.y) { data[0] = 1.0; }

//// a float that is the remainder of an integer
let r = data[id.x] % 2u;

//// shift by a signed amount
let n = 3i;
let s = id.x << n;

//// bits of a float
let b = data[0] & 255;

//// a value of another type is stored
data[id.x] = id.x;

//// a float literal to u32
words[id.x] = 1.5;

//// a whole float literal to u32
words[id.x] = 1.0;

//// an initialiser of another type
let x: f32 = id.x;

//// a variable of u32 begins with a float
var n: u32 = 1.0;

//// a variable of i32 begins with a u32
var n: i32 = arrayLength(&data);

//// a negative u32
var n: u32 = -1;

//// a compound assignment of another type
data[id.x] += words[id.x];

//// a float as an index
data[data[0]] = 1.0;

//// a negative index
var a = array<f32, 4>();
data[0] = a[-1];

//// a constant index out of range
var a = array<f32, 4>();
data[0] = a[4];

//// a component of a vector that it does not have
data[0] = f32(id.w);

//// a division by zero
let z = 1 / 0;

//// a value divided by a zero of a constant
const ZERO = 0u;
let z = id.x / ZERO;

//// min of two types
let m = min(id.x, 3i);

//// max of a u32 and a float literal
let m = max(id.x, 1.5);

//// sqrt of an integer
let s = sqrt(id.x);

//// a constructor of too many components
let v = vec2<f32>(1.0, 2.0, 3.0);

//// a constructor of mixed components
let v = vec2<f32>(data[0], words[0]);

//// a vector made a scalar
let v = f32(id);

//// select of two types
let s = select(1.0, id.x, id.x > 3u);

//// a number that does not fit
let n: u32 = 5000000000;

//// a float that does not fit
let x = 1e40f;

//// a vector is compared with a number
let v = vec3<f32>(1.0);
if (v > 0.0) { data[0] = 1.0; }

//// a comparison of a condition with a number
let on = id.x > 3u;
data[0] += 2.0 * on;

//// an integer divided by a float variable
let share = id.x / data[0];

//// pow of integers
let p = pow(id.x, 2u);

//// a shift that is too far
let s = id.x << 32u;

//// a matrix and a vector of another size
let m = mat3x3<f32>() * vec4<f32>();

//// dot of vectors of two types
let d = dot(vec3<f32>(), id);

//// a component of a scalar
let n = id.x.x;

//// a name of a value of another type is stored
let n = id.x;
data[0] = n;

//// one of two conditions is a number
let a = id.x > 3u && id.y > 3u;
if (a && id.x) { data[0] = 1.0; }

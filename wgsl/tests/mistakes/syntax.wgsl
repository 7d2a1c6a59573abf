//// a semicolon is missing
let a = 1.0
let b = 2.0;

//// a semicolon is missing after an assignment
data[0] = 1.0
data[1] = 2.0;

//// the ternary operator
data[0] = id.x > 3u ? 1.0 : 0.0;

//// increment as an expression
var i = 0u;
data[i++] = 1.0;

//// prefix increment
var i = 0u;
++i;

//// a for loop that counts with let
for (let i = 0u; i < 4u; i++) { data[i] = 0.0; }

//// a for loop that declares as in C
for (int i = 0; i < 4; i++) { data[i] = 0.0; }

//// a declaration as in C
float x = 1.0;

//// a cast as in C
data[0] = (float)id.x;

//// a cast as in Rust
data[0] = id.x as f32;

//// a condition without braces
if (id.x > 3u) data[0] = 1.0;

//// mut as in Rust
let mut x = 1.0;

//// a chained comparison
if (0u < id.x < 4u) { data[0] = 1.0; }

//// an array as in C
var a[4]: f32;

//// a float with the suffix of C
data[0] = 1.0F;

//// a number that begins with a zero
let x = 010;

//// a bracket is not closed
data[0] = max(1.0, 2.0;

//// let is assigned
let x = 1.0;
x = 2.0;

//// let is incremented
let i = 0u;
i += 1u;

//// a parameter is assigned
id.x = 3u;

//// a constant is assigned
const x = 1.0;
x = 2.0;

//// a swizzle is assigned
var v = vec3<f32>();
v.xy = vec2<f32>(1.0, 2.0);

//// a name is declared twice
let x = 1.0;
let x = 2.0;

//// a reserved word
let final = 1.0;

//// an underscore prefix
let __x = 1.0;

//// a block comment that does not end
data[0] = 1.0; /* the rest

//// a switch without default
switch id.x {
    case 0u: { data[0] = 1.0; }
    case 1u: { data[0] = 2.0; }
}

//// a case twice
switch id.x {
    case 1u: { data[0] = 1.0; }
    case 1u: { data[0] = 2.0; }
    default: { }
}

//// switch on a float
switch data[0] {
    case 1: { data[0] = 1.0; }
    default: { }
}

//// break outside of a loop
break;

//// continue outside of a loop
continue;

//// a semicolon is missing before a brace
if (id.x > 3u) { data[0] = 1.0 }

//// two declarations in one
var a = 1.0, b = 2.0;

//// a character that is none
data[0] = 1.0 # 2.0;

//// a string
let name = "hello";

//// a preprocessor line
#define SIZE 4

//// power
data[0] = data[0] ** 2.0;

//// typed let of C
const float PI = 3.14;

//// while without braces
while (true) data[0] = 1.0;

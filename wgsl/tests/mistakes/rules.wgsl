//// two pointers to one variable
// module
fn swap(a: ptr<function, f32>, b: ptr<function, f32>) { let c = *a; *a = *b; *b = c; }
fn f() { var x = 1.0; swap(&x, &x); }

//// two pointers into one array
// module
fn swap(a: ptr<function, f32>, b: ptr<function, f32>) { let c = *a; *a = *b; *b = c; }
fn f() { var list = array(1.0, 2.0); swap(&list[0], &list[1]); }

//// a pointer to a variable that the function uses by its name
// module
var<private> total: f32;
fn add(to: ptr<private, f32>) { *to += total; }
fn f() { add(&total); }

//// a case of a let
let limit = 3u; switch id.x { case limit: { words[0] = 1u; } default: {} }

//// a case of a sum with a let
let limit = 3u; switch id.x { case 1, limit + 1: { words[0] = 1u; } default: {} }

//// clamp with its limits exchanged
data[0] = clamp(data[0], 1.0, 0.0);

//// smoothstep between equal limits
data[0] = smoothstep(vec2(0.0, 1.0), vec2(1.0), vec2(data[0])).x;

//// smoothstep between limits too far apart
data[0] = smoothstep(-3e38f, 3e38f, data[0]);

//// bits beyond the word
words[0] = extractBits(words[0], 24u, 16u);

//// inserted bits beyond the word
words[0] = insertBits(words[0], 1u, 31u, 2u);

//// ldexp with a large exponent
data[0] = ldexp(data[0], 200);

//// ldexp of a constant that overflows
data[0] = ldexp(2.0, 127);

//// mix of constants that overflows
data[0] = mix(-3e38f, 3e38f, 2.0);

//// reflect of constants that overflows
data[0] = reflect(vec2(1e20f), vec2(1e20f)).x;

//// refract of constants that overflows
data[0] = refract(vec2(1e20f, 0.0), vec2(1e20f, 1.0), 0.5).x;

//// faceForward of constants that overflows
data[0] = faceForward(vec2(1.0), vec2(1e20f), vec2(1e20f)).x;

//// the determinant of constants that overflows
data[0] = determinant(mat2x2f(1e20, 0.0, 0.0, 1e20));

//// a number beyond f16
data[0] = quantizeToF16(65505.0);

//// a pair of which one is beyond f16
words[0] = pack2x16float(vec2(1.0, 1e5));

//// halves that are infinite
data[0] = unpack2x16float(0x7c00u).x;

//// the bits of a NaN
data[0] = bitcast<f32>(0x7fc00000u);

//// a broadcast from an invocation that is computed
words[0] = subgroupBroadcast(words[0], id.x);

//// a broadcast from an invocation beyond every subgroup
words[0] = subgroupBroadcast(words[0], 128);

//// a broadcast in a quad from an invocation that is computed
words[0] = quadBroadcast(words[0], id.x);

//// a shuffle by more than a subgroup has
words[0] = subgroupShuffleXor(words[0], 128u);

//// a loop that is never left
loop { words[0] += 1u; }

//// a barrier of subgroups
subgroupBarrier();

//// a ballot without a condition
let lanes = subgroupBallot();

//// an argument of subgroupElect
let first = subgroupElect(1u);

//// the result of subgroupElect is not used
subgroupElect();

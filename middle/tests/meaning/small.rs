//! Small kernels with constructs that a pass may get wrong and that random kernels seldom have.

/// The WGSL text before each body in [`BODIES`].
pub(crate) const START: &str = "
    struct Pair { a: u32, b: vec3<u32>, c: array<u32, 3> }
    const TABLE = array<array<u32, 3>, 2>(array<u32, 3>(3u, 5u, 7u), array<u32, 3>(11u, 13u, 17u));
    @group(0) @binding(0) var<storage, read_write> out: array<u32, 640>;
    @group(0) @binding(1) var<storage> in: array<u32, 64>;
    @group(0) @binding(2) var<uniform> n: vec4<u32>;
    @group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>, 8>;
    @group(0) @binding(4) var<storage, read_write> one: array<u32>;
    @group(0) @binding(5) var<storage, read_write> five: array<u32>;
    @group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
    @group(0) @binding(7) var<storage, read_write> wide: array<atomic<u64>>;
    var<workgroup> tile: array<u32, 64>;
    var<private> own: u32;
    fn put(p: ptr<function, u32>, value: u32) { *p = value; }
    fn bump() { own += 3u; }
    fn swap(p: ptr<function, array<u32, 3>>) { let a = (*p)[0]; (*p)[0] = (*p)[2]; (*p)[2] = a; }
    fn poke(p: ptr<function, array<u32, 3>>, at: u32) -> u32 { (*p)[at] = 7u; return (*p)[at]; }
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
        let x = in[i];
        let o = i * 10u;
    ";

/// The bodies of kernels. `x` is a word of the input; only the invocation itself accesses `out[o]` to `out[o + 9u]`.
pub(crate) const BODIES: &[&str] = &[
    // Zeros, ones and constants as operands, with unknown values.
    "var z = 0u; var l = 1u; out[o] = z - x; out[o + 1u] = l / x; out[o + 2u] = x % l; out[o + 3u] = x / z;
     out[o + 4u] = x % z; out[o + 5u] = x | z; out[o + 6u] = x & z; out[o + 7u] = x * l; out[o + 8u] = z / x;
     out[o + 9u] = l % x;",
    "var z = 0u; var l = 1u; out[o] = x - z; out[o + 1u] = l * x; out[o + 2u] = z % x; out[o + 3u] = x ^ z;
     out[o + 4u] = z | x; out[o + 5u] = z << x; out[o + 6u] = x << z; out[o + 7u] = l << x; out[o + 8u] = x >> z;
     out[o + 9u] = l >> x;",
    "out[o] = (x - 5u) + 3u; out[o + 1u] = (5u - x) + 3u; out[o + 2u] = (x + 5u) - 3u; out[o + 3u] = (x + 5u) + 3u;
     out[o + 4u] = 3u + (5u + x); out[o + 5u] = 3u - (x + 5u); out[o + 6u] = (x * 5u) * 3u; out[o + 7u] = (x & 5u) & 6u;",
    "var m = -7i; let y = bitcast<i32>(x); out[o] = u32(abs(m)); out[o + 1u] = u32(~m); out[o + 2u] = u32(-m);
     out[o + 3u] = u32(y / -1i); out[o + 4u] = u32(y & -1i); out[o + 5u] = u32(y & 2147483647i); out[o + 6u] = u32(-(-y));
     out[o + 7u] = ~(~x); out[o + 8u] = u32(y % m); out[o + 9u] = u32(sign(m) + y);",
    "var s = 33u; out[o] = x << s; out[o + 1u] = x >> s; out[o + 2u] = x << (s - 1u); out[o + 3u] = 7u << s;
     out[o + 4u] = u32(bitcast<i32>(x) >> s); out[o + 5u] = clamp(x, s, 4u); out[o + 6u] = clamp(s, 4u, 9u);
     out[o + 7u] = min(s, x); out[o + 8u] = max(s, 40u); out[o + 9u] = u32(bitcast<i32>(s) > -1i);",
    // Booleans.
    "var t = true; var f = false; let q = x > 9u; out[o] = u32(q == f); out[o + 1u] = u32(q != t);
     out[o + 2u] = u32(q | t); out[o + 3u] = u32(q & t); out[o + 4u] = u32(q || f); out[o + 5u] = u32(t || q);
     out[o + 6u] = u32(f && q); out[o + 7u] = u32(q == t); out[o + 8u] = u32(q != f); out[o + 9u] = u32(!(!q));",
    "var t = true; var f = false; out[o] = select(x, 5u, t); out[o + 1u] = select(x, 5u, f); out[o + 2u] = u32(t & f);
     out[o + 3u] = u32(t != t); out[o + 4u] = u32(f != t); out[o + 5u] = u32(f | f); out[o + 6u] = select(x, x, x > 3u);
     if (t) { out[o + 7u] = 1u; } else { out[o + 7u] = 2u; } if (f) { out[o + 8u] = 1u; } else { out[o + 8u] = 2u; }",
    // Casts.
    "var m = -1i; var b = true; out[o] = u32(m); out[o + 1u] = bitcast<u32>(m); out[o + 2u] = u32(f32(bitcast<i32>(x)));
     out[o + 3u] = u32(b) + u32(bool(x)); out[o + 4u] = u32(i32(u32(i32(x)))); out[o + 5u] = bitcast<u32>(f32(m));
     out[o + 6u] = u32(bitcast<i32>(x) < 0i); out[o + 7u] = bitcast<u32>(bitcast<f32>(x & 0x7fffffu));",
    // Vectors.
    "let v = vec4(x, x + 1u, x + 2u, x + 3u); out[o] = v.wzyx.y; out[o + 1u] = v.zw.y; out[o + 2u] = v.wzyx.yx.y;
     let s = v.zxyw.wzx; out[o + 3u] = s.x; out[o + 4u] = s.z; let w = vec4(v.yx, v.wz); out[o + 5u] = w.x;
     out[o + 6u] = w.z; out[o + 7u] = w.w; out[o + 8u] = vec4(1u, v.zyx).z; out[o + 9u] = vec4(v.xyz.zx, 4u, 5u).y;",
    "var v = vec3(1u, x, 3u); v.y = v.z; v.x = x; out[o] = v.x; out[o + 1u] = v.y; v = v.zxy; out[o + 2u] = v.y;
     v[i % 3u] = 9u; out[o + 3u] = v.x; out[o + 4u] = v.y; out[o + 5u] = v.z;
     out[o + 6u] = u32(all(v == v.xyz)); out[o + 7u] = u32(any(v < vec3(4u)));",
    // Constant tables, and elements and members of variables.
    "out[o] = TABLE[1][0]; out[o + 1u] = TABLE[0][2]; for (var a = 0u; a < 2u; a++) { for (var b = 0u; b < 3u; b++) {
     out[o + 2u + a * 3u + b] = TABLE[a][b] + x; } }",
    "var p = Pair(x, vec3(1u, x, 3u), array<u32, 3>(4u, 5u, x)); p.c[1] = p.b.z; p.b.y = p.a; p.a = p.c[2] + 1u;
     out[o] = p.a; out[o + 1u] = p.b.x; out[o + 2u] = p.b.y; out[o + 3u] = p.b.z; out[o + 4u] = p.c[0];
     out[o + 5u] = p.c[1]; out[o + 6u] = p.c[2]; var q = p; q.c[0] = 8u; out[o + 7u] = p.c[0] + q.c[0];",
    "var a = array<u32, 3>(x, 2u, 3u); swap(&a); out[o] = a[0]; a[i % 3u] = 7u; out[o + 1u] = a[0]; out[o + 2u] = a[1];
     out[o + 3u] = a[2]; var b = a; b[1] = 5u; a = b; out[o + 4u] = a[1]; out[o + 5u] = a[2] + b[0];",
    // Pointers to parts of variables as arguments.
    "var a = array<u32, 3>(x, 2u, 3u); put(&a[i % 3u], 7u); out[o] = a[0]; out[o + 1u] = a[1] + 10u * a[2];
     var p = Pair(x, vec3(1u, x, 3u), a); swap(&p.c); put(&p.a, 5u); out[o + 2u] = poke(&p.c, i % 3u);
     out[o + 3u] = p.a; out[o + 4u] = p.b.x + 10u * p.b.y; out[o + 5u] = p.c[0]; out[o + 6u] = p.c[1] + 10u * p.c[2];",
    // Contents of variables that may be forwarded, and that must not be forwarded after a change.
    "own = x; let a = own; bump(); let b = own; bump(); out[o] = a + 10u * b + 100u * own;",
    "var a = 1u; if (x > 9u) { a = 3u; } else { for (var k = 0u; k < n.x; k++) { a += k * x; } } out[o] = a;
     if (x < 30u) { a = x * 7u + n.x; } else { return; } out[o + 1u] = a + x * 7u;
     var b = array<u32, 3>(x, 2u, 3u); let p = b[i % 3u]; if (x > 9u) { b[i % 3u] = 9u; } out[o + 2u] = p + 10u * b[i % 3u];",
    "var a = x; put(&a, 7u); out[o] = a; own = x; bump(); out[o + 1u] = own; bump(); out[o + 2u] = own; a = own;
     bump(); out[o + 3u] = a; out[o + 4u] = own; put(&a, own + 1u); out[o + 5u] = a + own;",
    "var a = 1u; if (x > 9u) { a = 2u; out[o] = a; } else { out[o] = a + 5u; } out[o + 1u] = a; if (x > 20u) { a = 4u; }
     else if (x > 10u) { a += 1u; } out[o + 2u] = a; if (x > 30u) { a = 6u; return; } out[o + 3u] = a;
     if (x < 5u) { out[o + 4u] = a; } else { a = 8u; return; } out[o + 5u] = a;",
    "var a = 1u; var b = 2u; if (x > 9u) { a = 3u; } else { b = 4u; } out[o] = a; out[o + 1u] = b; if (x > 15u) { b = a; }
     out[o + 2u] = b; out[o + 3u] = a + b; if (x > 3u) { a = x * 5u; } out[o + 4u] = a + x * 5u;",
    "var a = 1u; switch (x % 4u) { case 1u: { a = 2u; } case 2u: { a += 4u; } case 3u: { if (x > 9u) { break; } a = 6u; }
     default: { out[o] = a; } } out[o + 1u] = a; var k = 2u; switch k { case 1u, 2u: { out[o + 2u] = 1u; }
     default: { out[o + 2u] = 2u; } } k += 7u; switch k { default: { out[o + 3u] = 3u; } case 9u: { out[o + 3u] = 4u; } }
     var j = 1u; switch j { case 1u, 2u, 7u: { out[o + 5u] = 6u; } default: { } }
     switch k { case 3u: { out[o + 4u] = 5u; } default: { if (x > 7u) { break; } out[o + 4u] = 6u; } }",
    // Loops.
    "var a = x; var b = 1u; var k = 0u; loop { a += 1u; if (a % 3u == 0u) { continue; } a = a * 2u; b = a; continuing {
     out[o] += a + b * 3u; k += 1u; break if k > n.x; } } out[o + 1u] = a; out[o + 2u] = b; k = 0u;
     loop { a = 1u; if (k >= n.x) { break; } k++; a = 7u; out[o + 3u] += a; } out[o + 4u] = a;
     for (var l = 0u; l < 4u; l++) { switch (a % 3u) { case 0u: { a += 4u; continue; } default: { } } a = a * 5u + l; }
     out[o + 5u] = a; for (var l = 0u; l < 6u; l++) { if (x > l + 2u) { break; } b += l; } out[o + 6u] = b;",
    "var v = vec3(1u, 2u, 3u); var a = array<u32, 3>(4u, 5u, 6u); for (var k = 0u; k < n.x; k++) { out[o] = v.y + a[1];
     out[o + 1u] = a[2]; v.y = k; a[2] = k + x; } out[o + 2u] = v.y; for (var k = 0u; k < n.y; k++) { out[o + 3u] += a[0];
     let b = a; a[0] = b[1]; a[1] = b[2]; a[2] = b[0]; } out[o + 4u] = a[0] + 10u * a[1];",
    "var a = 0u; for (var p = 0u; p < 2u; p++) { for (var q = 0u; q < n.y; q++) { for (var r = 0u; r < n.y; r++) {
     for (var s = 0u; s < n.y - 1u; s++) { for (var t = 0u; t < n.y - 2u; t++) { for (var u = 0u; u < n.y - 2u; u++) {
     for (var v = 0u; v < n.y - 2u; v++) { for (var w = 0u; w < n.y - 2u; w++) { var d = 1u; out[o] += d + a;
     for (var y = 0u; y < n.y - 1u; y++) { out[o + 1u] += d; for (var z = 0u; z < n.y - 1u; z++) { d = d * 3u + z; a ^= d; }
     } } } } } } } } } out[o + 2u] = a;",
    "var c = 0u; loop { var l = 0u; if (c > 2u) { break; } loop { if (l >= c) { break; } l++; out[o] += l * x; } c++; }
     for (var k = 0u; k < 3u; k++) { var l = k; while (l < n.x) { l += 2u; } out[o + 1u] += l; c = l; if (c > 50u) { break; } }
     out[o + 2u] = c; var e = 0u; for (var k = 0u; k < 3u; k++) { if (x > 9u) { e = k; } else { e = 7u; }
     for (var m = 0u; m < e; m++) { out[o + 3u] += m + 1u; } }",
    "var a = 0u; for (var k = 0u; k < 5u; k++) { a = a * 3u + k; out[o + k] = a; } out[o + 5u] = a; var d = 4i;
     loop { a += u32(d); continuing { d -= 2i; break if d < 0i; } } out[o + 6u] = a; out[o + 7u] = u32(d);",
    "var a = x; for (var k = 0u; k < 4u; k++) { if (a % 2u == 0u) { a += 3u; continue; } a = a * 5u + k; } out[o] = a;
     for (var k = 0u; k < 4u; k++) { if (a % 3u == 0u) { break; } a += 1u; } out[o + 1u] = a;
     for (var k = 0u; k < 4u; k++) { if (a % 7u == k) { out[o + 2u] = k; return; } a += 1u; } out[o + 3u] = a;",
    "var a = 1u; for (var k = 0u; k < n.x; k++) { out[o] = a; a = a + x; out[o + 1u] = in[k] + a; } out[o + 2u] = a;
     var b = 2u; for (var k = 0u; k < n.x; k++) { if (k == 2u) { b = 9u; } out[o + 3u] = b; } out[o + 4u] = b;
     var c = vec2(1u, 2u); for (var k = 0u; k < n.x; k++) { out[o + 5u] += c.x; c.x = c.y + k; c.y = x; } out[o + 6u] = c.x;",
    "var a = array<u32, 4>(); for (var k = 0u; k < 4u; k++) { a[k] = in[(i + k) % 64u]; }
     for (var r = 0u; r < n.x; r++) { for (var k = 0u; k < 3u; k++) { a[k] = a[k + 1u] + r; } a[3] = a[0]; }
     out[o] = a[0]; out[o + 1u] = a[1]; out[o + 2u] = a[2]; out[o + 3u] = a[3];",
    "var a = 0u; for (var k = 0u; k < 3u; k++) { for (var l = k; l < 3u; l++) { a = a * 2u + l; } out[o + k] = a; }
     var k = 0u; while (k < 6u) { k += 2u; a += k; } out[o + 3u] = a; out[o + 4u] = k;
     loop { if (k >= n.y + 9u) { break; } k += 1u; a ^= k * x; } out[o + 5u] = a; out[o + 6u] = k;",
    "for (var k = 0u; k < n.x; k++) { out[o] += (x * 3u) / (n.y + 1u); if (n.z > 100u) { out[o + 1u] = x / n.z; }
     let d = bitcast<i32>(x) / -1i; out[o + 2u] += u32(d); out[o + 3u] += in[k] % n.x; out[o + 4u] = x % (k + 1u); }",
    // Memory that other invocations may change, and memory that nothing writes.
    "out[o] = x; let a = out[o] + 1u; out[o] = a; let b = out[o]; out[o + 1u] = a + b; out[o] = 0u; out[o + 2u] = out[o] + b;
     for (var k = 0u; k < n.x; k++) { out[o + 3u] += out[o + 4u] + in[k]; out[o + 4u] += k; }",
    "tile[i] = x; workgroupBarrier(); let a = tile[(i + 1u) % 64u]; workgroupBarrier(); tile[i] = a + 1u; workgroupBarrier();
     let b = tile[(i + 1u) % 64u]; out[o] = a; out[o + 1u] = b; for (var k = 0u; k < 3u; k++) { workgroupBarrier();
     tile[i] = tile[i] + k; workgroupBarrier(); out[o + 2u + k] = tile[(i + k) % 64u]; }",
    "if (i == 0u) { let a = atomicLoad(&sums[0]); atomicAdd(&sums[0], 5u); let b = atomicLoad(&sums[0]); out[o] = a * 10u + b;
     atomicStore(&sums[1], b); out[o + 1u] = atomicMax(&sums[1], 3u) + atomicLoad(&sums[1]);
     for (var k = 0u; k < n.x; k++) { atomicAdd(&sums[2], k); out[o + 2u] += atomicLoad(&sums[2]); } }",
    // Out of range: stores have no effect, reads return the last element, and atomics return zero.
    "if (i == 0u) { one[1] = 5u; five[1] = 6u; out[o] = one[1] + 10u * five[1]; var m = -1i; five[m] = 9u; one[m] = 8u;
     five[x + 5u] = 7u; one[x] = 4u; out[o + 1u] = five[4u + n.x] + one[n.x]; var last = 5u; five[last] += 3u; }",
    "if (i == 0u) { out[o] = atomicAdd(&counts[2], 5u); atomicAdd(&counts[n.x], 1u); atomicOr(&counts[1], 6u);
     out[o + 1u] = atomicLoad(&counts[n.x]) + 10u * atomicLoad(&counts[1]); atomicStore(&counts[n.w], 3u);
     if (n.x > 2u) { out[o + 2u] = atomicMax(&counts[n.x], 9u) + 1u; } else { out[o + 2u] = atomicMax(&counts[n.y], 8u); }
     for (var k = 0u; k < n.x; k++) { out[o + 3u] += atomicAdd(&counts[k], 2u) + 1u; }
     switch n.x { case 5u: { out[o + 4u] = atomicSub(&counts[n.w], 1u) + 2u; } default: { } }
     loop { continuing { out[o + 5u] = atomicExchange(&counts[n.w], 1u) + 3u; break if n.x > 1u; } } }",
    "if (i == 0u) { atomicMax(&wide[n.x], 9lu); atomicMax(&wide[1], 8lu); atomicMin(&wide[n.w], 0lu); }",
    "if (i == 0u) { if (n.x < 2u) { out[o] = 1u; } else { out[o] = atomicXor(&counts[n.x + 1u], 9u) + 4u; } }",
    "var a = array<u32, 3>(1u, 2u, 3u); out[o] = poke(&a, x); out[o + 1u] = a[2]; out[o + 2u] = poke(&a, x % 3u) + a[0];
     own = x; tile[i] = 1u; workgroupBarrier(); tile[x + 60u] = 5u; workgroupBarrier(); out[o + 3u] = tile[i];",
    // Indices that are in range because of conditions.
    "var a = array<u32, 3>(1u, 2u, 3u); out[o] = a[min(x, 2u)]; if (x < 3u) { out[o + 1u] = a[x]; }
     let last = n.w; if (last < 640u) { out[o + (last % 10u)] = 5u; }",
];

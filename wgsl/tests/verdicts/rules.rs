//! Texts that break rules other than uniformity, and similar texts that are valid.

use super::kernel::Kernel;

const BODIES: &[(&str, &str)] = &[
    ("constant division by zero", "let a = 5u / 0u;"),
    ("constant remainder by zero", "let a = 5u % (LIMIT - 8u);"),
    ("division by a constant zero", "let a = p.n / 0u;"),
    ("remainder by a constant zero", "own = p.n % 0u;"),
    ("division of vectors by a zero", "let a = vec2(p.n, p.m) / vec2(1u, 0u);"),
    ("assigned division by zero", "own /= 0u;"),
    ("division by zero of what is not known", "own = p.n / p.m;"),
    ("smallest number divided by -1", "let a = (-2147483647i - 1i) / -1i;"),
    ("overflow", "let a = 2147483647i + 1i;"),
    ("underflow", "let a = 0u - 1u;"),
    ("overflow of what is not known", "own += 4294967295u;"),
    ("f32 overflow", "let a = 3.0e38f * 10.0f;"),
    ("shift by 32", "own = p.n << 32u;"),
    ("shift by 31", "own = p.n << 31u;"),
    ("shift that loses bits", "let a = 3u << 31u;"),
    ("assigned shift by 40", "own >>= 40u;"),
    ("index of an array", "own = array(1u, 2u, 3u)[3];"),
    ("index of a variable", "var a = array<u32, 4>(); a[4] = 1u;"),
    ("index of workgroup memory", "tile[64] = 1u;"),
    ("negative index", "data[-1] = 1u;"),
    ("square root of a negative number", "let a = sqrt(-1.0);"),
    ("logarithm of zero", "let a = log(0.0);"),
    ("arc cosine of 2", "let a = acos(2.0);"),
    ("exponential of 1000", "let a = exp(1000.0);"),
    ("clamp with wrong limits", "own = clamp(p.n, 5u, 3u);"),
    ("clamp with equal limits", "own = clamp(p.n, 3u, 3u);"),
    ("smoothstep with equal limits", "let a = smoothstep(1.0, 1.0, f32(p.n));"),
    ("extractBits beyond", "own = extractBits(p.n, 20u, 20u);"),
    ("extractBits to the end", "own = extractBits(p.n, 12u, 20u);"),
    ("insertBits beyond", "own = insertBits(p.n, 1u, 30u, 5u);"),
    ("ldexp by too much", "let a = ldexp(f32(p.n), 200);"),
    ("ldexp by the most", "let a = ldexp(f32(p.n), 128);"),
    ("bits of a NaN", "let a = bitcast<f32>(0x7fc00000u);"),
    ("bits of an infinity", "let a = bitcast<f32>(0x7f800000u);"),
    ("bits of the largest number", "let a = bitcast<f32>(0x7f7fffffu);"),
    ("quantized beyond f16", "let a = quantizeToF16(70000.0);"),
    ("packed beyond f16", "let a = pack2x16float(vec2(70000.0, 0.0));"),
    ("unpacked infinity", "let a = unpack2x16float(0x7c007c00u);"),
    ("loop without an end", "loop { }"),
    ("for without an end", "for (;;) { own = 1u; }"),
    ("while true", "while true { own = 1u; }"),
    ("loop that continues", "loop { continue; }"),
    ("loop with a break that nothing reaches", "loop { if own > 1u { continue; } else { continue; } break; }"),
    ("loop with a return", "loop { return; }"),
    ("loop with a return that something reaches", "loop { if own > 1u { return; } }"),
    ("loop with a break of a switch", "loop { switch own { default: { break; } } }"),
    ("two loops without an end", "loop { loop { } }"),
    ("assignment to let", "let a = 1u; a = 2u;"),
    ("assignment to a uniform", "p.n = 1u;"),
    ("mixed integers", "let a = 1i + 1u;"),
    ("two cases of one value", "switch own { case 1u: {} case 1u: {} default: {} }"),
    ("switch without default", "switch own { case 1u: {} }"),
    ("break outside of a loop", "break;"),
    ("return in continuing", "loop { continuing { return; } }"),
    ("failed assertion", "const_assert LIMIT < 3u;"),
    ("subgroupBarrier", "subgroupBarrier();"),
];

pub(crate) fn kernels() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> =
        BODIES.iter().map(|(name, body)| Kernel::of_body(format!("rules/{name}"), body)).collect();
    for (name, argument) in
        [("location", "@location(0) a: u32"), ("built-in value", "@builtin(local_invocation_index) a: u32")]
    {
        kernels.push(Kernel::of_parts(format!("rules/argument with a {name}"), "", "", argument, ""));
    }
    kernels
}

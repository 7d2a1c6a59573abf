//! Texts with deep nesting or huge sizes.

/// A name, and the function that makes the text.
pub(crate) type Text = (String, Box<dyn Fn() -> String>);

/// All texts; those of each kind are ordered by the depth of their nesting.
pub(crate) fn texts() -> Vec<Text> {
    let mut all: Vec<Text> = Vec::new();
    for (name, make) in KINDS {
        for depth in [30, 100, 240, 480, 980, 1900, 4000, 10_000] {
            all.push((format!("{name} x {depth}"), Box::new(move || make(depth))));
        }
    }
    for (at, text) in ODD.iter().enumerate() {
        all.push((format!("odd {at}"), Box::new(|| (*text).to_owned())));
    }
    all
}

type Kind = (&'static str, fn(usize) -> String);

const KINDS: &[Kind] = &[
    ("parentheses", |depth| body(&format!("let a = {}1{};", "(".repeat(depth), ")".repeat(depth)))),
    ("negations", |depth| body(&format!("let a = {}1;", "- ".repeat(depth)))),
    ("nots", |depth| body(&format!("let a = {}true;", "!".repeat(depth)))),
    ("sums", |depth| body(&format!("let a = {}1;", "1 + ".repeat(depth)))),
    ("runtime sums", |depth| body(&format!("var x = 1u; let a = {}x;", "x + ".repeat(depth)))),
    ("ands", |depth| body(&format!("var x = true; let a = {}x;", "x && ".repeat(depth)))),
    ("calls", |depth| body(&format!("var x = 1i; let a = {}x{};", "abs(".repeat(depth), ")".repeat(depth)))),
    ("constructors", |depth| body(&format!("let a = {}1u{};", "u32(".repeat(depth), ")".repeat(depth)))),
    ("indices", |depth| body(&format!("var x: array<u32, 4>; let a = {}0{};", "x[".repeat(depth), "]".repeat(depth)))),
    ("references", |depth| body(&format!("var x = 1u; let a = {}x;", "*&".repeat(depth)))),
    ("blocks", |depth| body(&format!("{}{}", "{".repeat(depth), "}".repeat(depth)))),
    ("ifs", |depth| body(&format!("{}{}", "if true {".repeat(depth), "}".repeat(depth)))),
    ("else ifs", |depth| body(&format!("if true {{}}{}", " else if true {}".repeat(depth)))),
    ("loops", |depth| body(&format!("{}break;{}", "loop {".repeat(depth), "break;}".repeat(depth)))),
    ("whiles", |depth| body(&format!("{}{}", "while false {".repeat(depth), "}".repeat(depth)))),
    ("switches", |depth| body(&format!("{}{}", "switch 1 { default: {".repeat(depth), "}}".repeat(depth)))),
    ("array types", |depth| format!("var<private> a: {}u32{};{MAIN}", "array<".repeat(depth), ", 1>".repeat(depth))),
    ("pointer types", |depth| format!("alias A = {}u32{};{MAIN}", "ptr<function, ".repeat(depth), ">".repeat(depth))),
    ("aliases", |depth| chain(depth, "alias A0 = u32;", |at, before| format!("alias A{at} = A{before};"))),
    ("constants", |depth| chain(depth, "const A0 = 1u;", |at, before| format!("const A{at} = A{before} + 1u;"))),
    ("functions", |depth| chain(depth, "fn A0() {}", |at, before| format!("fn A{at}() {{ A{before}(); }}"))),
    ("structs", |depth| chain(depth, "struct A0 { a: u32 }", |at, before| format!("struct A{at} {{ a: A{before} }}"))),
    ("used structs", |depth| {
        let structs = chain(depth, "struct A0 { a: u32 }", |at, before| format!("struct A{at} {{ a: A{before} }}"));
        format!("{structs}\n@group(0) @binding(0) var<storage, read_write> b: A{depth};")
            .replace("fn main() {", &format!("fn main() {{ b{} = 1u;", ".a".repeat(depth + 1)))
    }),
    ("called functions", |depth| {
        chain(depth, "fn A0() {}", |at, before| format!("fn A{at}() {{ A{before}(); }}"))
            .replace("fn main() {", &format!("fn main() {{ A{depth}();"))
    }),
    ("comments", |depth| format!("{}{}{MAIN}", "/*".repeat(depth), "*/".repeat(depth))),
    ("members", |depth| body(&format!("var x = vec2(1u); let a = x{};", ".xy".repeat(depth)))),
    ("attributes", |depth| format!("{}fn f() {{}}{MAIN}", "@must_use ".repeat(depth))),
    ("statements", |depth| body(&"var x = 1u;".repeat(depth).replace("var x", "_"))),
    ("templates", |depth| body(&format!("let a = {}1;", "a<".repeat(depth)))),
    ("stored sums", |depth| stored(&format!("x{}", " + x".repeat(depth)))),
    ("stored sums to the right", |depth| stored(&format!("{}x{}", "x + (".repeat(depth), ")".repeat(depth)))),
    ("stored products and sums", |depth| stored(&format!("x{}", " + x * x".repeat(depth)))),
    ("stored negations", |depth| stored(&format!("{}x", "~ ".repeat(depth)))),
    ("stored ands", |depth| stored(&format!("u32(x == 1u{})", " && x == 1u".repeat(depth)))),
    ("stored calls", |depth| stored(&format!("{}x{}", "min(1u, ".repeat(depth), ")".repeat(depth)))),
    ("stored selections", |depth| stored(&format!("{}x{}", "select(1u, ".repeat(depth), ", x == 2u)".repeat(depth)))),
    ("stored indices", |depth| {
        stored(&format!("{}x{}", "y[".repeat(depth), "]".repeat(depth)))
            .replace("var x", "var y = array(3u, 2u, 1u, 0u); var x")
    }),
    ("assignments", |depth| stored("1u").replace("b =", &format!("{} b =", "x = x * 3u + b;".repeat(depth)))),
    ("taken else ifs", |depth| {
        let branches: Vec<String> = (0..depth).map(|at| format!("else if x == {at}u {{ b = {at}u + x; }}")).collect();
        stored("1u").replace("b =", &format!("if x == 9u {{}} {} b =", branches.join(" ")))
    }),
    ("taken loops", |depth| {
        let open = "loop { x += 1u; if x > b { break; } ".repeat(depth);
        stored("1u").replace("b =", &format!("{open} {} b =", "}".repeat(depth)))
    }),
    ("taken switches", |depth| {
        let open = "switch x { case 1: { x = 2u; } default: { ".repeat(depth);
        stored("1u").replace("b =", &format!("{open} {} b =", "}}".repeat(depth)))
    }),
    ("taken functions", |depth| {
        let first = "fn A0(x: u32) -> u32 { return x * 3u; }";
        let functions = chain(depth, first, |at, before| {
            format!("fn A{at}(x: u32) -> u32 {{ if x > 3u {{ return A{before}(x + 1u); }} return x; }}")
        });
        functions.replace(MAIN, "") + &stored(&format!("A{depth}(x)"))
    }),
    ("functions before what they call", |depth| {
        let functions: Vec<String> = (1..=depth).rev().map(|at| format!("fn A{at}() {{ A{}(); }}", at - 1)).collect();
        format!("{}\nfn A0() {{}}{MAIN}", functions.join("\n"))
    }),
    ("types before what they are made of", |depth| {
        let types: Vec<String> = (1..=depth).rev().map(|at| format!("alias A{at} = vec2<A{}>;", at - 1)).collect();
        format!("{}\nalias A0 = u32;{MAIN}", types.join("\n"))
    }),
    ("nested arrays", |depth| {
        let types = chain(depth, "alias A0 = u32;", |at, before| format!("alias A{at} = array<A{before}, 1>;"));
        types.replace(MAIN, "") + &stored("c[0][x]").replace("fn main() {", &format!("fn main() {{ var c: A{depth};"))
    }),
    ("copied structs", |depth| {
        let structs = chain(depth, "struct A0 { a: u32 }", |at, before| format!("struct A{at} {{ a: A{before} }}"));
        let copied = "var c = d; d = c; ";
        format!("@group(0) @binding(1) var<storage, read_write> d: A{depth};\n{}", structs.replace(MAIN, ""))
            + &stored("x").replace("b =", &format!("{copied} b ="))
    }),
    ("const asserts", |depth| format!("const_assert {}true;{MAIN}", "true && ".repeat(depth))),
    ("open parentheses", |depth| body(&"(".repeat(depth))),
    ("open braces", |depth| "fn f() ".to_owned() + &"{".repeat(depth)),
    ("open brackets", |depth| body(&format!("let a = x{}", "[x".repeat(depth)))),
];

const MAIN: &str = "\n@compute @workgroup_size(1) fn main() { }";

fn body(statements: &str) -> String {
    format!("@compute @workgroup_size(1) fn main() {{ {statements} }}")
}

/// A kernel that stores a value computed from unknown data.
fn stored(value: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> b: u32;\n\
         @compute @workgroup_size(1) fn main() {{ var x = b; b = {value}; }}"
    )
}

fn chain(depth: usize, first: &str, link: fn(usize, usize) -> String) -> String {
    let links: Vec<String> = (1..=depth).map(|at| link(at, at - 1)).collect();
    format!("{first}\n{}{MAIN}", links.join("\n"))
}

const ODD: &[&str] = &[
    "",
    "\0",
    "\u{feff}",
    "@compute @workgroup_size(0) fn main() {}",
    "@compute @workgroup_size(2147483648) fn main() {}",
    "@compute @workgroup_size(4294967295, 4294967295, 4294967295) fn main() {}",
    "@compute @workgroup_size(4294967296) fn main() {}",
    "@compute @workgroup_size(-1) fn main() {}",
    "override n: u32; @compute @workgroup_size(n) fn main() {}",
    "override n = 0u; @compute @workgroup_size(n, n - 1u) fn main() {}",
    "override n = n; @compute @workgroup_size(n) fn main() {}",
    "fn f() { f(); } @compute @workgroup_size(1) fn main() { f(); }",
    "fn f() { g(); } fn g() { f(); } @compute @workgroup_size(1) fn main() { f(); }",
    "@compute @workgroup_size(1) fn main() { main(); }",
    "struct A { a: A } @compute @workgroup_size(1) fn main() {}",
    "struct A { a: array<A, 2> } @compute @workgroup_size(1) fn main() {}",
    "alias A = A; @compute @workgroup_size(1) fn main() {}",
    "const a = b; const b = a; @compute @workgroup_size(1) fn main() {}",
    "var<private> a: array<u32, 0>; @compute @workgroup_size(1) fn main() { a[0] = 1u; }",
    "var<private> a: array<u32, 4294967295>; @compute @workgroup_size(1) fn main() { a[0] = 1u; }",
    "var<private> a: array<array<u32, 4294967295>, 4294967295>; @compute @workgroup_size(1) fn main() { a[0][0] = 1u; }",
    "var<workgroup> a: array<vec4<f32>, 1073741824>; @compute @workgroup_size(1) fn main() { a[0].x = 1f; }",
    "var<workgroup> a: array<array<u32, 65536>, 65536>; @compute @workgroup_size(1) fn main() { a[0][0] = 1u; }",
    "@compute @workgroup_size(1) fn main() { var a: array<u32, 2147483647>; a[0] = 1u; }",
    "@compute @workgroup_size(1) fn main() { let a = array<u32, 2147483647>(); }",
    "const A = array<u32, 1000000000>(); @compute @workgroup_size(1) fn main() { let a = A[7]; }",
    "struct S { a: array<u32, 1073741823>, b: array<u32, 1073741823> } @group(0) @binding(0) var<storage, read_write> s: S; @compute @workgroup_size(1) fn main() { s.b[0] = 1u; }",
    "struct S { @size(4294967295) a: u32, b: u32 } @group(0) @binding(0) var<storage, read_write> s: S; @compute @workgroup_size(1) fn main() { s.b = 1u; }",
    "struct S { @align(2147483648) a: u32, b: u32 } @group(0) @binding(0) var<storage, read_write> s: S; @compute @workgroup_size(1) fn main() { s.b = 1u; }",
    "struct S { } @group(0) @binding(0) var<storage, read_write> s: S; @compute @workgroup_size(1) fn main() { }",
    "@group(4294967295) @binding(4294967295) var<storage, read_write> s: u32; @compute @workgroup_size(1) fn main() { s = 1u; }",
    "@group(0) @binding(0) var<storage, read_write> a: u32; @group(0) @binding(0) var<storage, read_write> b: u32; @compute @workgroup_size(1) fn main() { a = 1u; b = 2u; }",
    "@compute @workgroup_size(1) fn main() { let a = select(vec2(1u), vec2(2u), vec2(false, !true)); }",
    "@compute @workgroup_size(1) fn main() { let a = 2147483647 + 1; let b = -2147483648 / -1; let c = 1 << 40; }",
    "@compute @workgroup_size(1) fn main() { let a = i32(-2147483648) % -1; let b = -(-2147483648i); let c = abs(-2147483648i); }",
    "@compute @workgroup_size(1) fn main() { const a = dot(vec4(2147483647), vec4(2147483647)); }",
    "@compute @workgroup_size(1) fn main() { const a = extractBits(1u, 40u, 40u); const b = insertBits(1u, 1u, 40u, 40u); }",
    "@compute @workgroup_size(1) fn main() { const a = ldexp(1.0, 100000); const b = 1e400; const c = 0x1p99999; }",
    "@compute @workgroup_size(1) fn main() { switch 1 { case 1: {} case 1: {} } }",
    "@compute @workgroup_size(1) fn main() { var a = vec4(1u); a.xx = vec2(1u); a[7] = 1u; a[-1] = 1u; }",
    "enable f16; enable nothing; requires nothing; diagnostic(off, nothing);",
    "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) a: vec3<u32>, @builtin(global_invocation_id) b: vec3<u32>) { }",
    "@compute @workgroup_size(1) fn main() -> u32 { return 1u; }",
    "@compute fn main() {}",
    "@compute @vertex @workgroup_size(1) fn main() {}",
    "@compute @workgroup_size(1) fn main() {} @compute @workgroup_size(1) fn main() {}",
    "var<immediate> a: array<u32, 1000000>; @compute @workgroup_size(1) fn main() { let b = a[1]; }",
];

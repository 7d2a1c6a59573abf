//! Replaced operations stay valid, and all others stay unchanged.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Expression, Module, Statement, front::wgsl};

use super::mend;

fn parsed(source: &str) -> (Module, ModuleInfo) {
    let module = wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let info = validated(&module);
    (module, info)
}

fn validated(module: &Module) -> ModuleInfo {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The number of functions that `mend` adds to a kernel with these statements.
fn added(statements: &str) -> usize {
    let (module, info) = parsed(&format!(
        "@group(0) @binding(0) var<storage, read_write> wide: array<u64>;
         @group(0) @binding(1) var<storage, read_write> signed: array<i64>;
         @group(0) @binding(2) var<storage, read_write> short: array<i32>;
         fn half(x: u64) -> u64 {{ return x >> 1u; }}
         fn twice(x: u64, n: u32) -> u64 {{ return half(x << n) << n; }}
         @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) n: u32) {{ {statements} }}"
    ));
    let Some(mended) = mend(&module, &info) else { return 0 };
    validated(&mended);
    mended.functions.len() - module.functions.len()
}

#[test]
fn wrong_operations_become_calls() {
    // The function `twice` of the kernel needs one function in each case.
    let cases = [
        ("wide[0] = 1;", 1),
        ("wide[0] = wide[1] << n; wide[2] = twice(wide[2], n) << (n + 1u);", 1),
        ("wide[0] = wide[1] >> n; signed[0] = signed[1] >> n;", 3),
        ("let v = vec2(wide[0], wide[1]) << vec2(n, 3u); wide[2] = v.x + v.y;", 2),
        ("wide[0] = u64(short[0]); signed[0] = i64(n);", 3),
        ("let v = vec3<u64>(vec3(short[0])); wide[0] = v.z;", 2),
        ("for (var i = 0u; i < n; i++) { if wide[i] > 3 { switch n { case 1u { wide[i] <<= i; } default {} } } }", 1),
        ("var i = 0u; loop { if i == n { break; } continuing { i += 1u; wide[i] = wide[0] >> i; } }", 2),
    ];
    for (statements, wanted) in cases {
        assert_eq!(added(statements), wanted, "functions added for: {statements}");
    }
}

#[test]
fn other_operations_stay() {
    for statements in [
        "wide[0] = wide[1] << 13u;",
        "short[0] = short[1] << n;",
        "wide[0] = u64(n); signed[0] = i64(short[0]);",
        "let v = vec2(wide[0], wide[1]) >> vec2(3u); wide[2] = v.x;",
    ] {
        let (module, info) = parsed(&format!(
            "@group(0) @binding(0) var<storage, read_write> wide: array<u64>;
             @group(0) @binding(1) var<storage, read_write> signed: array<i64>;
             @group(0) @binding(2) var<storage, read_write> short: array<i32>;
             @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) n: u32) {{ {statements} }}"
        ));
        assert!(mend(&module, &info).is_none(), "replaced without need: {statements}");
    }
}

#[test]
fn a_call_is_between_its_operands_and_its_users() {
    let (module, info) = parsed(
        "@group(0) @binding(0) var<storage, read_write> wide: array<u64>;
         @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) n: u32) {
             wide[0] = (wide[1] + 1) << (n + 2u) | 4;
         }",
    );
    let mended = mend(&module, &info).expect("a shift is replaced");
    validated(&mended);
    let main = &mended.entry_points[0].function;
    let calls = main.body.iter().filter(|statement| matches!(statement, Statement::Call { .. })).count();
    let results = main.expressions.iter().filter(|(_, expression)| matches!(expression, Expression::CallResult(_)));
    assert_eq!((calls, results.count()), (1, 1), "calls and their results");
}

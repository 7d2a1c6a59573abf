//! Tests of the arrays that get a variable, and of the accesses to these arrays.

use anywarp_backend::statements;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Expression, Module, Statement, front::wgsl};

use super::to_variables;

fn parsed(statements: &str) -> (Module, ModuleInfo) {
    let text = format!(
        "const TABLE = array<u32, 4>(7u, 8u, 9u, 10u);
         const NESTED = array<array<vec2<u32>, 2>, 2>(array(vec2(1u, 2u), vec2(3u, 4u)), array(vec2(5u), vec2(6u)));
         struct Pair {{ a: array<u32, 3>, b: u32 }}
         var<private> own: array<u32, 5>;
         @group(0) @binding(0) var<storage, read_write> out: array<u32>;
         fn made(x: u32) -> array<u32, 3> {{ return array(x, x + 1u, x + 2u); }}
         fn passed(a: array<u32, 3>, i: u32) -> u32 {{ return a[i] + a[i + 1u]; }}
         @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {{ {statements} }}"
    );
    let module = wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
    let info = validated(&module).unwrap_or_else(|error| panic!("{error}"));
    (module, info)
}

fn validated(module: &Module) -> Result<ModuleInfo, String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| format!("{error:?}"))
}

/// The number of private variables that the pass adds, the number of variables that it adds to the entry point, and the
/// number of accesses to array values that remain.
fn found(statements: &str) -> (usize, usize, usize) {
    let (module, info) = parsed(statements);
    let placed = to_variables(&module, &info).unwrap_or_else(|| module.clone());
    let info = validated(&placed).unwrap_or_else(|error| panic!("{statements}: {error}\n{placed:#?}"));
    let locals = |module: &Module| module.entry_points[0].function.local_variables.len();
    let main = &placed.entry_points[0].function;
    let of_values = main.expressions.iter().filter(|(_, expression)| match expression {
        Expression::Access { base, .. } => {
            info.get_entry_point(0)[*base].ty.inner_with(&placed.types).pointer_space().is_none()
        }
        _ => false,
    });
    (
        placed.global_variables.len() - module.global_variables.len(),
        locals(&placed) - locals(&module),
        of_values.count(),
    )
}

/// The number of stores in a block.
fn stores(block: &naga::Block) -> usize {
    statements(block).filter(|(statement, _)| matches!(statement, Statement::Store { .. })).count()
}

#[test]
fn each_array_gets_one_variable() {
    let cases = [
        ("out[0] = TABLE[i];", (1, 0, 0)),
        ("out[0] = TABLE[i] + TABLE[i + 1u]; out[1] = TABLE[TABLE[i]];", (1, 0, 0)),
        ("out[0] = NESTED[i][1u - i][i] + NESTED[1u - i][0][i];", (1, 0, 0)),
        // naga's front end makes a separate array of the first row.
        ("out[0] = NESTED[i][1u - i][i] + NESTED[0][i].y;", (2, 0, 0)),
        ("let row = NESTED[i]; out[0] = row[i].x; let other = row; out[1] = other[1].y;", (1, 0, 0)),
        ("out[0] = array(1u, 2u, 3u)[i] + array<u32, 9>()[i] + array<u32, 9>()[i + 1u];", (2, 0, 0)),
        ("let a = made(i); out[0] = a[i] + a[i + 1u] + a[2];", (0, 1, 0)),
        ("let a = array(i, i * 2u, 5u); out[0] = a[i] + a[i + 1u];", (0, 1, 0)),
        ("let all = own; own[1] = 2u; out[0] = all[i];", (0, 1, 0)),
        ("let p = Pair(made(i), i); out[0] = p.a[i];", (0, 1, 0)),
        ("for (var k = 0u; k < i; k++) { let a = made(k); out[k] = a[i]; }", (0, 1, 0)),
    ];
    for (statements, wanted) in cases {
        assert_eq!(found(statements), wanted, "private variables, variables, accesses of values: {statements}");
    }
}

/// Unrolling makes indices constant, so unrolled kernels contain such accesses.
#[test]
fn a_part_of_a_constant_is_read_from_the_variable_of_the_whole() {
    let (module, _) = parsed("out[0] = NESTED[i][i].x;");
    let mut module = module;
    let main = &mut module.entry_points[0].function;
    for (_, expression) in main.expressions.iter_mut() {
        if let Expression::Access { base, .. } = *expression
            && base.index() > 0
        {
            *expression = Expression::AccessIndex { base, index: 0 };
            break;
        }
    }
    let info = validated(&module).unwrap();
    let placed = to_variables(&module, &info).expect("an array that is indexed");
    validated(&placed).unwrap();
    let made: Vec<_> = placed.global_variables.iter().skip(module.global_variables.len()).collect();
    assert_eq!((made.len(), made[0].1.name.as_deref()), (1, Some("NESTED")));
}

#[test]
fn arrays_that_are_not_copied_stay_values() {
    for statements in [
        "out[0] = TABLE[2] + NESTED[1][0].x;",
        "out[0] = own[i]; out[i] = own[2];",
        "let v = vec4(i, 2u, 3u, 4u); out[0] = v[i];",
        "let a = made(i); out[0] = a[1];",
    ] {
        let (mut module, _) = parsed(statements);
        // The function `passed` indexes its argument even if no function calls it, so an empty function replaces it.
        let empty = naga::Function { name: None, ..naga::Function::default() };
        let passed = module.functions.iter().find(|(_, function)| function.name.as_deref() == Some("passed"));
        let (passed, _) = passed.expect("the kernel has the function `passed`");
        *module.functions.get_mut(passed) = empty;
        let info = validated(&module).unwrap();
        assert!(to_variables(&module, &info).is_none(), "moved into a variable without need: {statements}");
    }
}

#[test]
fn an_array_is_stored_once_after_its_evaluation() {
    let (module, info) = parsed("let a = made(i); for (var k = 0u; k < 3u; k++) { out[k] = a[k] + a[2u - k]; }");
    let placed = to_variables(&module, &info).expect("arrays that are indexed");
    let (before, after) = (&module.entry_points[0].function, &placed.entry_points[0].function);
    assert_eq!(stores(&after.body), stores(&before.body) + 1, "in `main`");
    let passed = |module: &Module| {
        let found = module.functions.iter().find(|(_, function)| function.name.as_deref() == Some("passed"));
        found.map(|(_, function)| stores(&function.body))
    };
    assert_eq!(passed(&placed), Some(1), "stores of the argument in `passed`");
}

#[test]
fn constants_are_initial_values_of_variables_without_stores() {
    let (module, info) = parsed("for (var k = 0u; k < i; k++) { out[k] = TABLE[k % 4u] + array(5u, 6u)[k % 2u]; }");
    let placed = to_variables(&module, &info).expect("arrays that are indexed");
    let made = placed.global_variables.iter().skip(module.global_variables.len());
    let made: Vec<_> =
        made.map(|(_, variable)| (variable.name.as_deref(), variable.space, variable.init.is_some())).collect();
    let wanted = [(Some("TABLE"), AddressSpace::Private, true), (Some("table"), AddressSpace::Private, true)];
    assert_eq!(made, wanted);
    let main = |module: &Module| stores(&module.entry_points[0].function.body);
    assert_eq!(main(&placed), main(&module), "nothing is stored");
}

//! Tests of the measured depth, and of the errors of a guarded context.

use super::measure::ELSE;
use super::*;

fn depth(text: &str) -> u32 {
    measure(text).depth
}

#[test]
fn depth_counts_nesting_and_not_sequence() {
    assert_eq!(depth("let a = 1;"), 1);
    assert_eq!(depth("let a = b + c + d;"), 3);
    assert_eq!(depth("let a = b + c; let d = e;"), 2);
    assert_eq!(depth("let a = - - -b;"), 4);
    assert_eq!(depth("f(g(h(1)))"), 3);
    assert_eq!(depth("f(-1, -2, -3, -4)"), depth("f(-1)"));
    assert_eq!(depth("a = b.c * d[1] + b.c * d[1];"), depth("a = b * d + b * d[1];"));
    assert_eq!(depth("{ { } { } { } }"), 2);
    assert_eq!(depth("// ((((\n/* ((( /* (( */ */ 1.5e3"), 0);
}

#[test]
fn each_else_adds_its_weight() {
    let chain = |count: usize| depth(&format!("if a {{}} {} b = c;", "else if d {} ".repeat(count)));
    assert_eq!(chain(10) - chain(5), 5 * ELSE);
    assert_eq!(depth(&"if a {} else {} ".repeat(100)), depth("if a {} else {} "));
}

#[test]
fn template_lists_do_not_end_an_operand() {
    let sum = |count: usize| depth(&format!("let a = {}b;", "array<u32, 2>(1, 2)[0] + ".repeat(count)));
    assert!(sum(100) >= 200);
    assert!(depth(&format!("const A = array<vec2<f32>, 9>({});", "vec2<f32>(-1, a + b), ".repeat(500))) < 10);
}

#[test]
fn only_module_declarations_are_counted() {
    let text = "struct A { a: u32 } var<private> b: A; fn f() { var c = 1; const d = 2; } alias C = u32;";
    assert_eq!(measure(text).declarations, 4);
    assert_eq!(measure(") ] } } fn f() {}").declarations, 1);
}

#[test]
fn the_error_names_file_and_line() {
    let text = format!("fn f() {{\n let a = {}1;\n}}", "-".repeat(5000));
    let Err(error) = Room::of("deep.wgsl", &text) else { panic!("was accepted") };
    let said = error.to_string();
    assert!(said.contains("deep.wgsl:2") && said.contains("5002") && said.contains("2000"), "{said}");
}

#[test]
fn a_panic_is_an_error_on_either_stack() {
    for own_stack in [false, true] {
        let room = Room { file: "f.wgsl", own_stack };
        let error = room.run(|| -> Result<(), TextError> { panic!("seven") }).unwrap_err();
        assert!(error.to_string().contains("f.wgsl") && error.to_string().contains("seven"), "{error}");
        assert_eq!(room.run(|| Ok::<_, TextError>(7)).unwrap(), 7);
    }
}

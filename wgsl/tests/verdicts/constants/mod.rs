//! Constant expressions, and arguments that must be constants.

mod domains;
mod evaluation;
mod operators;
mod ranges;
mod statements;
mod subgroups;
mod vectors;

use super::kernel::{Kernel, subgroup_arguments};

/// Declarations before the expressions and statements: a value of each type that is not a constant.
const VALUES: &str = "let x = f32(p.n); let i = i32(p.n); let u = p.n; let v = vec3(x); let v2 = vec2(x); var m = 1u;";

pub(crate) fn kernels() -> Vec<Kernel> {
    let name = |text: &str| format!("constants/{text}");
    let body = |text: &str| Kernel::of_body(name(text), &format!("{VALUES} {text}"));
    let expression = |text: &&str| Kernel::of_body(name(text), &format!("{VALUES} let r = {text};"));
    let of_subgroup = |text: &&str| {
        Kernel::of_parts(name(text), "enable subgroups;", "", &subgroup_arguments(), &format!("{VALUES} {text}"))
    };
    let expressions = [
        ranges::EXPRESSIONS,
        domains::EXPRESSIONS,
        vectors::EXPRESSIONS,
        operators::EXPRESSIONS,
        evaluation::EXPRESSIONS,
    ];
    let mut kernels: Vec<Kernel> = expressions.into_iter().flatten().map(expression).collect();
    kernels.extend(statements::STATEMENTS.iter().map(|text| body(text)));
    kernels.extend(
        statements::DECLARED
            .iter()
            .map(|(functions, text)| Kernel::of_functions(name(&format!("{functions} {text}")), functions, text)),
    );
    kernels.extend(subgroups::STATEMENTS.iter().map(of_subgroup));
    kernels
}

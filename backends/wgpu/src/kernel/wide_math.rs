//! Functions of `f64` that wgpu accepts, although no driver's shader language has them.
//!
//! GLSL.std.450, the extended instructions of SPIR-V, defines these functions for floats of 16 and 32 bits alone, and
//! HLSL converts their arguments to 32 bits. Drivers accept such shaders all the same, and compute wrong numbers.

use anywarp_backend::Validated;
use anywarp_backend::naga::valid::FunctionInfo;
use anywarp_backend::naga::{Expression, Function, MathFunction, Scalar, ScalarKind};

/// The reason for which a program cannot run, if it calls a function of `f64` that drivers lack.
pub(crate) fn refusal(module: &Validated) -> Option<String> {
    let functions = module.functions.iter().map(|(handle, function)| (function, &module.info()[handle]));
    let entry_points = module.entry_points.iter().enumerate();
    let entry_points = entry_points.map(|(index, entry)| (&entry.function, module.info().get_entry_point(index)));
    let name = functions.chain(entry_points).find_map(|(function, info)| called(module, function, info))?;
    Some(format!(
        "`{name}` of f64: graphics drivers have this function for f16 and f32 only: call it with `f32(..)`, or run the \
         kernel on the processor or with CUDA"
    ))
}

/// The name of the first function of `f64` that is called and that drivers lack.
fn called(module: &Validated, function: &Function, info: &FunctionInfo) -> Option<&'static str> {
    function.expressions.iter().find_map(|(_, expression)| {
        let Expression::Math { fun, arg, .. } = *expression else { return None };
        let scalar = info[arg].ty.inner_with(&module.types).scalar()?;
        if scalar == (Scalar { kind: ScalarKind::Float, width: 8 }) { name(fun) } else { None }
    })
}

/// The WGSL name of a function that takes no `f64`.
fn name(function: MathFunction) -> Option<&'static str> {
    use MathFunction as Math;
    Some(match function {
        Math::Radians => "radians",
        Math::Degrees => "degrees",
        Math::Sin => "sin",
        Math::Cos => "cos",
        Math::Tan => "tan",
        Math::Asin => "asin",
        Math::Acos => "acos",
        Math::Atan => "atan",
        Math::Atan2 => "atan2",
        Math::Sinh => "sinh",
        Math::Cosh => "cosh",
        Math::Tanh => "tanh",
        Math::Asinh => "asinh",
        Math::Acosh => "acosh",
        Math::Atanh => "atanh",
        Math::Exp => "exp",
        Math::Exp2 => "exp2",
        Math::Log => "log",
        Math::Log2 => "log2",
        Math::Pow => "pow",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use anywarp_backend::naga::front::wgsl;
    use anywarp_backend::naga::valid::Capabilities;

    use super::*;

    fn refused(line: &str) -> Option<String> {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<f64>;
             @group(0) @binding(1) var<storage, read_write> y: array<f32>;
             fn more(number: f64) -> f64 {{ return number + 1.0; }}
             @compute @workgroup_size(1) fn k() {{ {line} }}"
        );
        refusal(&Validated::new(wgsl::parse_str(&text).unwrap(), Capabilities::all()).unwrap())
    }

    #[test]
    fn a_function_that_drivers_lack_is_named() {
        let reason = refused("x[0] = exp(x[0]);").unwrap();
        assert!(reason.starts_with("`exp` of f64: "), "{reason}");
        assert!(
            refused("let both = sin(vec2(x[0], x[1])); x[0] = both.y;").is_some_and(|reason| reason.contains("`sin`"))
        );
    }

    #[test]
    fn other_functions_and_types_pass() {
        assert_eq!(refused("x[0] = more(sqrt(x[0])) + fma(x[0], x[1], x[2]) + floor(x[3]);"), None);
        assert_eq!(refused("y[0] = exp(y[0]); x[0] = f64(exp(f32(x[0])));"), None);
    }
}

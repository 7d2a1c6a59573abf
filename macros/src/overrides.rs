//! The overrides of a module: their types and defaults.

use anywarp_backend::naga::{Expression, Handle, Literal, Module, Scalar, ScalarKind, TypeInner};

use crate::refusal::Refusal;

/// One `override` of the WGSL.
#[derive(Debug, PartialEq)]
pub(crate) struct Override {
    pub(crate) name: String,
    /// The Rust type, named as in WGSL: `bool`, `i16` to `u32`, `f16` to `f64`.
    pub(crate) ty: &'static str,
    pub(crate) initial: Initial,
}

/// The value that an override has if the host does not set it.
#[derive(Debug, PartialEq)]
pub(crate) enum Initial {
    /// The override has no default, so it must be set.
    None,
    /// The default is this value, as `Wgsl::set_override` takes it.
    Value(f64),
    /// The WGSL computes the default from other overrides.
    Computed,
}

/// Returns all overrides of a module, in the order of the text.
///
/// # Errors
/// An override of a type that cannot be set exactly.
pub(crate) fn overrides(module: &Module) -> Result<Vec<Override>, Refusal> {
    let mut all = Vec::new();
    for (_, item) in module.overrides.iter() {
        let name = item.name.clone().unwrap_or_default();
        let Some(ty) = type_of(&module.types[item.ty].inner) else {
            // naga supports no other types of overrides at present.
            let types = "bool, i16, i32, u16, u32, f16, f32 and f64";
            return Err(Refusal::new(format!(
                "the override '{name}' has a type that cannot be set exactly: expected one of {types}"
            )));
        };
        let initial = match item.init {
            None => Initial::None,
            Some(init) => value_of(module, init).map_or(Initial::Computed, Initial::Value),
        };
        all.push(Override { name, ty, initial });
    }
    Ok(all)
}

fn type_of(inner: &TypeInner) -> Option<&'static str> {
    let TypeInner::Scalar(Scalar { kind, width }) = inner else { return None };
    match (kind, width) {
        (ScalarKind::Bool, _) => Some("bool"),
        (ScalarKind::Sint, 2) => Some("i16"),
        (ScalarKind::Uint, 2) => Some("u16"),
        (ScalarKind::Sint, 4) => Some("i32"),
        (ScalarKind::Uint, 4) => Some("u32"),
        (ScalarKind::Float, 2) => Some("f16"),
        (ScalarKind::Float, 4) => Some("f32"),
        (ScalarKind::Float, 8) => Some("f64"),
        _ => None,
    }
}

/// The value of a constant expression; `None` if the expression depends on overrides.
fn value_of(module: &Module, expression: Handle<Expression>) -> Option<f64> {
    match &module.global_expressions[expression] {
        Expression::Literal(literal) => match *literal {
            Literal::Bool(value) => Some(f64::from(u8::from(value))),
            Literal::I16(value) => Some(f64::from(value)),
            Literal::U16(value) => Some(f64::from(value)),
            Literal::I32(value) => Some(f64::from(value)),
            Literal::U32(value) => Some(f64::from(value)),
            Literal::F16(value) => Some(f64::from(value.to_f32())),
            Literal::F32(value) => Some(f64::from(value)),
            Literal::F64(value) => Some(value),
            _ => None,
        },
        Expression::Constant(constant) => value_of(module, module.constants[*constant].init),
        Expression::ZeroValue(_) => Some(0.0),
        _ => None,
    }
}

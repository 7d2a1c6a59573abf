//! The rules for functions that can be debug functions.

use naga::{Function, Module, ScalarKind, Statement, TypeInner};

use crate::debug::record::{Parameter, Signature};

/// The greatest size of all arguments of one call, in words of 4 bytes.
const MAX_WORDS: u32 = 16;

/// The reason why a function cannot be a debug function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    /// The body is not empty.
    #[error("has a body, which must be empty")]
    Body,
    /// The function has a result.
    #[error("has a result, which a debug function cannot have")]
    Result,
    /// A parameter is neither a scalar nor a vector.
    #[error("has the parameter '{0}', which is neither a scalar nor a vector")]
    Parameter(String),
    /// The arguments do not fit into a record.
    #[error("takes {0} words (of 4 bytes) of arguments, but at most {MAX_WORDS} can be printed; split the call")]
    Words(u32),
}

/// Returns the name and the parameters of `function`, which determine the contents of its records.
///
/// # Errors
/// [`Misfit`] if `function` cannot be a debug function.
pub(crate) fn signature(module: &Module, function: &Function) -> Result<Signature, Misfit> {
    if function.result.is_some() {
        return Err(Misfit::Result);
    }
    // naga adds a return to the end of each body.
    let empty = function.body.iter().all(|statement| matches!(statement, Statement::Return { value: None }));
    if !empty || !function.local_variables.is_empty() {
        return Err(Misfit::Body);
    }
    let parameters = function.arguments.iter().enumerate().map(|(index, argument)| {
        let name = argument.name.clone().unwrap_or_else(|| format!("argument_{index}"));
        let (scalar, components) = match module.types[argument.ty].inner {
            TypeInner::Scalar(scalar) => (scalar, None),
            TypeInner::Vector { size, scalar } => (scalar, Some(size as u32)),
            _ => return Err(Misfit::Parameter(name)),
        };
        match scalar.kind {
            ScalarKind::AbstractInt | ScalarKind::AbstractFloat => Err(Misfit::Parameter(name)),
            _ => Ok(Parameter { name, scalar, components }),
        }
    });
    let parameters = parameters.collect::<Result<_, _>>()?;
    let signature = Signature { name: function.name.clone().unwrap_or_default(), parameters };
    let words = signature.words();
    if words > MAX_WORDS { Err(Misfit::Words(words)) } else { Ok(signature) }
}

//! The functions that can be debug functions, and the contents of their records.

use naga::{Function, Module, Scalar, ScalarKind, Statement, TypeInner};

/// The maximum size of all arguments of one call, in words.
const MAX_WORDS: u32 = 16;

/// A debug function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Its name.
    pub(crate) name: String,
    /// Its parameters.
    pub(crate) parameters: Vec<Parameter>,
}

impl Signature {
    /// The number of words of all arguments.
    pub(crate) fn words(&self) -> u32 {
        self.parameters.iter().map(Parameter::words).sum()
    }
}

/// A parameter of a debug function: a scalar, or a vector of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: String,
    /// Its scalar type, or that of its components.
    pub(crate) scalar: Scalar,
    /// The number of components; `None` for a scalar.
    pub(crate) components: Option<u32>,
}

impl Parameter {
    /// The number of words of the argument.
    pub(crate) fn words(&self) -> u32 {
        self.components.unwrap_or(1) * scalar_words(self.scalar)
    }
}

/// The number of words of one scalar; at least one.
pub(crate) fn scalar_words(scalar: Scalar) -> u32 {
    u32::from(scalar.width).div_ceil(4)
}

/// The reason why a function cannot be a debug function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    /// The body is not empty.
    #[error("has a body, which must be empty")]
    Body,
    /// There is a result.
    #[error("has a result, which a debug function cannot have")]
    Result,
    /// A parameter is neither a scalar nor a vector.
    #[error("has the parameter '{0}', which is neither a scalar nor a vector")]
    Parameter(String),
    /// The arguments do not fit a record.
    #[error("takes {0} words of arguments, but at most {MAX_WORDS} can be printed")]
    Words(u32),
}

/// The contents of the records of `function`.
///
/// # Errors
/// [`Misfit`] if it cannot be a debug function.
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

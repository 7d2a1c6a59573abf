//! Which functions can be debug functions, and what their records hold.

use naga::{Function, Module, Scalar, ScalarKind, Statement, TypeInner};

/// The most that all arguments of one call may take.
const MOST_WORDS: u32 = 16;

/// A debug function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Its name.
    pub(crate) name: String,
    /// Its parameters.
    pub(crate) parameters: Vec<Parameter>,
}

impl Signature {
    /// Words of all arguments.
    pub(crate) fn words(&self) -> u32 {
        self.parameters.iter().map(Parameter::words).sum()
    }
}

/// A parameter of a debug function: a scalar, or a vector of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: String,
    /// What it is made of.
    pub(crate) scalar: Scalar,
    /// Number of components; `None` for a scalar.
    pub(crate) components: Option<u32>,
}

impl Parameter {
    /// Words of the argument.
    pub(crate) fn words(&self) -> u32 {
        self.components.unwrap_or(1) * scalar_words(self.scalar)
    }
}

/// Words of one scalar. What is smaller than a word takes one.
pub(crate) fn scalar_words(scalar: Scalar) -> u32 {
    u32::from(scalar.width).div_ceil(4)
}

/// Why a function cannot be a debug function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    /// It does something.
    #[error("has a body: it must be empty")]
    Body,
    /// It returns something.
    #[error("has a result: it must have none")]
    Result,
    /// A parameter that is no scalar and no vector.
    #[error("has the parameter '{0}', which is neither a scalar nor a vector")]
    Parameter(String),
    /// More than a record may hold.
    #[error("takes {0} words of arguments: at most {MOST_WORDS} can be printed")]
    Words(u32),
}

/// What the records of `function` hold.
///
/// # Errors
/// [`Misfit`] if it cannot be a debug function.
pub(crate) fn signature(module: &Module, function: &Function) -> Result<Signature, Misfit> {
    if function.result.is_some() {
        return Err(Misfit::Result);
    }
    // naga ends each body with a return of its own.
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
    if words > MOST_WORDS { Err(Misfit::Words(words)) } else { Ok(signature) }
}

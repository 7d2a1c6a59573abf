//! A module that naga's validator has accepted.

use std::cell::Cell;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Deref;
use std::sync::Arc;

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::proc::IndexableLength;
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{ArraySize, Module, ShaderStage, Type, TypeInner, WithSpan};

crate::debug_as_display!(Refused);

thread_local! {
    static RUNS: Cell<u64> = const { Cell::new(0) };
}

/// A valid naga module, with the validator's facts about it.
///
/// Only the validator creates a `Validated`, so a function that takes one need not validate the module. The module
/// cannot be changed: [`into_module`](Self::into_module) returns the module without its validity, and a module made
/// from it must be validated again. Clones share the module and the facts.
///
/// ```
/// use anywarp_backend::Validated;
/// use anywarp_backend::naga::{front::wgsl, valid::Capabilities};
///
/// let module = wgsl::parse_str("@compute @workgroup_size(64) fn main() {}")?;
/// let valid = Validated::new(module, Capabilities::empty())?;
/// assert_eq!(valid.entry_points[0].workgroup_size, [64, 1, 1]);
///
/// let mut module = valid.into_module();
/// module.entry_points[0].workgroup_size = [0, 1, 1];
/// assert!(Validated::new(module, Capabilities::empty()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Validated(Arc<Accepted>);

#[derive(Clone)]
struct Accepted {
    module: Module,
    /// The validator's facts, which refer to parts of `module` by handles.
    info: ModuleInfo,
    flags: ValidationFlags,
    capabilities: Capabilities,
}

impl Validated {
    /// Validates a module, by all rules, for devices with these capabilities.
    ///
    /// # Errors
    /// [`Refused`], which returns the module, if the module is not valid.
    pub fn new(module: Module, capabilities: Capabilities) -> Result<Self, Box<Refused>> {
        let flags = ValidationFlags::all();
        match run(|| Validator::new(flags, capabilities).validate(&module)) {
            Ok(info) => Ok(Self(Arc::new(Accepted { module, info, flags, capabilities }))),
            Err(error) => Err(Box::new(Refused { module, error })),
        }
    }

    /// Returns the result of a pass: the new module, validated for the same capabilities, or `self` where the pass
    /// changed nothing.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn after_pass(self, made: Option<Module>) -> Result<Self, Box<Refused>> {
        match made {
            Some(module) => Self::new(module, self.0.capabilities),
            None => Ok(self),
        }
    }

    /// Returns the module, marked as valid for these capabilities if the validator accepts it for them. Returns the
    /// module unchanged if it needs more capabilities, or is already marked as valid for these.
    #[must_use]
    pub fn narrowed(self, capabilities: Capabilities) -> Self {
        if self.fits(capabilities) || run(|| Validator::new(self.0.flags, capabilities).validate(&self)).is_err() {
            return self;
        }
        // The validator's facts stay valid, because types and uses do not depend on the capabilities.
        Self(Arc::new(Accepted { capabilities, ..Arc::unwrap_or_clone(self.0) }))
    }

    /// Returns a module of one compute entry point and the items that it uses, with a value for every override. A
    /// module without overrides stays unchanged.
    ///
    /// # Errors
    /// The errors of naga: the value of an override is missing, or has the wrong type.
    pub fn with_overrides(
        self,
        entry_point: &str,
        constants: &PipelineConstants,
    ) -> Result<Self, PipelineConstantError> {
        if self.overrides.is_empty() {
            return Ok(self);
        }
        let entry_point = Some((ShaderStage::Compute, entry_point));
        // naga validates the resulting module, by all rules and for every capability.
        let (module, info) = run(|| process_overrides(&self, self.info(), entry_point, constants))?;
        let (mut module, info) = (module.into_owned(), info.into_owned());
        let (flags, capabilities) = (ValidationFlags::all(), self.0.capabilities);
        let info = if with_lengths(&mut module) {
            run(|| Validator::new(flags, Capabilities::all()).validate(&module))?
        } else {
            info
        };
        // naga keeps overrides that are the lengths of arrays. After `with_lengths` nothing refers to overrides, and
        // the validator's facts do not cover them.
        module.overrides.clear();
        // The module needs no further capability: entry points were removed, and computed expressions were replaced by
        // constants of the same types.
        debug_assert!(Validator::new(flags, capabilities).validate(&module).is_ok(), "{capabilities:?}: {module:?}");
        Ok(Self(Arc::new(Accepted { module, info, flags, capabilities })))
    }

    /// The validator's facts about types and uses.
    #[must_use]
    pub fn info(&self) -> &ModuleInfo {
        &self.0.info
    }

    /// The rules that the module was validated by.
    pub fn flags(&self) -> ValidationFlags {
        self.0.flags
    }

    /// The capabilities that the module was validated for. The module may need fewer.
    pub fn capabilities(&self) -> Capabilities {
        self.0.capabilities
    }

    /// Whether the module is known to be valid for a device with these capabilities.
    #[must_use]
    pub fn fits(&self, capabilities: Capabilities) -> bool {
        capabilities.contains(self.0.capabilities)
    }

    /// Returns the module for changes; copies it if other clones exist.
    #[must_use]
    pub fn into_module(self) -> Module {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.module.clone(), |own| own.module)
    }

    /// The number of times that this thread has run naga's validator through this type: for tests that limit this
    /// number.
    #[must_use]
    pub fn runs() -> u64 {
        RUNS.get()
    }
}

/// Runs `validate`, and counts it as a run of the validator.
fn run<T>(validate: impl FnOnce() -> T) -> T {
    RUNS.set(RUNS.get() + 1);
    validate()
}

/// Replaces array lengths that are overrides by the overrides' values. Returns whether there were any such lengths.
fn with_lengths(module: &mut Module) -> bool {
    let length = |module: &Module, ty: &Type| match ty.inner {
        TypeInner::Array { size: size @ ArraySize::Pending(_), .. } => match size.resolve(module.to_ctx()) {
            Ok(IndexableLength::Known(length)) => NonZeroU32::new(length),
            _ => None,
        },
        _ => None,
    };
    let known = module.types.iter().filter_map(|(handle, ty)| Some((handle, length(module, ty)?)));
    let known: Vec<_> = known.collect();
    for (handle, length) in &known {
        let TypeInner::Array { base, stride, .. } = module.types[*handle].inner else { continue };
        let inner = TypeInner::Array { base, size: ArraySize::Constant(*length), stride };
        // A unique name, because the arena allows no equal types.
        let name = Some(format!("array_{}", handle.index()));
        module.types.replace(*handle, Type { name, inner });
    }
    !known.is_empty()
}

impl Deref for Validated {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0.module
    }
}

impl fmt::Debug for Validated {
    /// Formats the module, without the validator's facts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.module.fmt(f)
    }
}

/// A module that the validator does not accept, with the validator's error.
#[derive(Clone, thiserror::Error)]
#[error("{}", error.as_inner())]
pub struct Refused {
    /// The module, as it was passed to the validator.
    pub module: Module,
    /// The validator's error.
    #[source]
    pub error: WithSpan<ValidationError>,
}

#[cfg(test)]
mod tests {
    use naga::Span;
    use naga::front::wgsl::parse_str;

    use super::*;

    const PLAIN: &str = "@compute @workgroup_size(64) fn main() { var a = 1u; }";
    const DOUBLE: &str = "@compute @workgroup_size(64) fn main() { var a = 1.0lf; }";

    fn valid(text: &str, capabilities: Capabilities) -> Result<Validated, Box<Refused>> {
        Validated::new(parse_str(text).unwrap(), capabilities)
    }

    /// Makes a module invalid: its entry point then returns a value, although it has no result type.
    fn broken(mut module: Module) -> Module {
        let function = &mut module.entry_points[0].function;
        let (value, _) = function.expressions.iter().next().unwrap();
        function.body.push(naga::Statement::Return { value: Some(value) }, Span::UNDEFINED);
        module
    }

    #[test]
    fn an_invalid_module_is_refused_and_returned() {
        let module = broken(parse_str(PLAIN).unwrap());
        let text = format!("{module:?}");
        let refused = Validated::new(module, Capabilities::all()).unwrap_err();
        assert_eq!(format!("{:?}", refused.module), text);
        assert!(refused.to_string().contains("Entry point main"), "{refused}");
    }

    #[test]
    fn a_changed_module_is_validated_again() {
        let module = valid(PLAIN, Capabilities::empty()).unwrap();
        let other = module.clone();
        let changed = broken(module.clone().into_module());
        let before = Validated::runs();
        assert!(module.after_pass(Some(changed)).is_err());
        assert_eq!(Validated::runs() - before, 1);
        // A clone is unaffected.
        assert!(other.after_pass(None).is_ok());
    }

    #[test]
    fn an_unchanged_module_stays_valid() {
        let module = valid(PLAIN, Capabilities::empty()).unwrap();
        let before = Validated::runs();
        let module = module.after_pass(None).unwrap();
        assert!(module.fits(Capabilities::empty()));
        let module = module.with_overrides("main", &PipelineConstants::default()).unwrap();
        let module = module.narrowed(Capabilities::FLOAT64);
        assert_eq!(module.capabilities(), Capabilities::empty());
        assert_eq!(Validated::runs(), before);
    }

    #[test]
    fn a_module_fits_the_capabilities_it_was_validated_for() {
        assert!(valid(DOUBLE, Capabilities::empty()).is_err());
        let double = valid(DOUBLE, Capabilities::all()).unwrap();
        assert!(!double.fits(Capabilities::FLOAT64), "it may need fewer, which is not known yet");
        let double = double.narrowed(Capabilities::empty());
        assert_eq!(double.capabilities(), Capabilities::all(), "it needs more");
        let double = double.narrowed(Capabilities::FLOAT64);
        assert!(double.fits(Capabilities::FLOAT64 | Capabilities::SUBGROUP));
        assert!(!double.fits(Capabilities::SUBGROUP));
        assert_eq!(double.flags(), ValidationFlags::all());
    }

    #[test]
    fn lengths_that_were_overrides_are_numbers() {
        let text = "override n = 4u; const m = 9u;
            var<workgroup> a: array<u32, n>; var<workgroup> b: array<array<u32, 8>, n * 2u + m>; var<workgroup> c: array<u32, 8>;
            @compute @workgroup_size(n) fn main() { a[0] = c[1]; b[1][2] = 3u; }";
        let constants = PipelineConstants::from_iter([("n".to_owned(), 8.0)]);
        let resolved = valid(text, Capabilities::empty()).unwrap().with_overrides("main", &constants).unwrap();
        let lengths = resolved.global_variables.iter().map(|(_, variable)| match resolved.types[variable.ty].inner {
            TypeInner::Array { size: ArraySize::Constant(length), .. } => length.get(),
            _ => 0,
        });
        assert_eq!(lengths.collect::<Vec<_>>(), [8, 25, 8]);
        assert!(resolved.overrides.is_empty());
        Validated::new(resolved.into_module(), Capabilities::empty()).unwrap();
    }

    #[test]
    fn overrides_get_their_values_in_one_run() {
        let text = "override n = 4u; @compute @workgroup_size(n) fn main() {} @compute @workgroup_size(1) fn b() {}";
        let module = valid(text, Capabilities::empty()).unwrap();
        let before = Validated::runs();
        let constants = PipelineConstants::from_iter([("n".to_owned(), 8.0)]);
        let resolved = module.clone().with_overrides("main", &constants).unwrap();
        assert_eq!((resolved.entry_points.len(), resolved.entry_points[0].workgroup_size), (1, [8, 1, 1]));
        assert!(resolved.fits(Capabilities::empty()) && resolved.overrides.is_empty());
        assert_eq!(Validated::runs() - before, 1);
        let unknown = PipelineConstants::from_iter([("m".to_owned(), 8.0)]);
        assert!(matches!(module.with_overrides("main", &unknown), Err(PipelineConstantError::NotFound(_))));
    }
}

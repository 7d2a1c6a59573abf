//! Named cases, and the table form that generates most of them.

use std::sync::Arc;

use anywarp::Device;

use crate::operator_suite::edges::{Row, combinations, grouped, ordinary};
use crate::operator_suite::scalar::{Scalar, Value};
use crate::operator_suite::sweep::{Sweep, Type};
use crate::operator_suite::want::Want;
use anywarp_testing_devices::outcome::TestResult;

/// A named case that must succeed on every device.
pub(crate) struct Case {
    /// The name without the device, such as `operators::f32::add`.
    pub(crate) name: String,
    pub(crate) run: Arc<dyn Fn(&Device) -> TestResult + Send + Sync>,
}

impl Case {
    pub(crate) fn new(name: impl Into<String>, run: impl Fn(&Device) -> TestResult + Send + Sync + 'static) -> Self {
        Self { name: name.into(), run: Arc::new(run) }
    }

    pub(crate) fn sweep(name: impl Into<String>, sweep: Sweep) -> Self {
        Self::new(name, move |device| sweep.run(device))
    }
}

/// A handwritten case, with the last part of its name.
pub(crate) type Named = (&'static str, fn(&Device) -> TestResult);

/// The type of a function's result.
#[derive(Clone, Copy)]
pub(crate) enum Gives {
    /// The type of the first argument.
    Same,
    /// A fixed type.
    Just(Scalar),
}

/// A function from the scalar arguments of a call to the expectation.
pub(crate) type ScalarReference = fn(Scalar, &[Value]) -> Want;

/// A function or operator that works on each component separately, for several types.
#[derive(Clone, Copy)]
pub(crate) struct Componentwise {
    pub(crate) name: &'static str,
    /// WGSL of `x`, `y` and `z`.
    pub(crate) expression: &'static str,
    /// The types for which the function is tested.
    pub(crate) scalars: &'static [Scalar],
    /// The types of the arguments, for one of the tested types.
    pub(crate) arguments: fn(Scalar) -> Vec<Scalar>,
    pub(crate) gives: Gives,
    pub(crate) reference: ScalarReference,
    /// The indices of arguments that remain scalars when the others are vectors.
    pub(crate) kept: &'static [usize],
    /// Whether scalars and vectors may be mixed.
    pub(crate) mixed: bool,
    /// Further rows of arguments, for one of the tested types.
    pub(crate) more: fn(Scalar) -> Vec<Row>,
    /// The reason why only `cpu` can run the function with 64-bit types, if there is one.
    pub(crate) only_cpu_wide: Option<&'static str>,
}

impl Componentwise {
    /// Returns a function with one argument, whose result has the same type.
    pub(crate) const fn new(
        name: &'static str,
        expression: &'static str,
        scalars: &'static [Scalar],
        reference: ScalarReference,
    ) -> Self {
        Self {
            name,
            expression,
            scalars,
            arguments: |scalar| vec![scalar],
            gives: Gives::Same,
            reference,
            kept: &[],
            mixed: false,
            more: |_| Vec::new(),
            only_cpu_wide: None,
        }
    }

    pub(crate) const fn binary(self) -> Self {
        Self { arguments: |scalar| vec![scalar; 2], ..self }
    }

    pub(crate) const fn ternary(self) -> Self {
        Self { arguments: |scalar| vec![scalar; 3], ..self }
    }

    pub(crate) const fn takes(self, arguments: fn(Scalar) -> Vec<Scalar>, kept: &'static [usize]) -> Self {
        Self { arguments, kept, ..self }
    }

    pub(crate) const fn gives(self, scalar: Scalar) -> Self {
        Self { gives: Gives::Just(scalar), ..self }
    }

    pub(crate) const fn mixed(self) -> Self {
        Self { mixed: true, ..self }
    }

    pub(crate) const fn more(self, more: fn(Scalar) -> Vec<Row>) -> Self {
        Self { more, ..self }
    }

    pub(crate) const fn only_cpu_wide(self, reason: &'static str) -> Self {
        Self { only_cpu_wide: Some(reason), ..self }
    }

    /// The cases: scalars of every type, and vectors of the common types.
    pub(crate) fn cases(self, group: &str) -> Vec<Case> {
        let mut cases = Vec::new();
        for scalar in self.scalars.iter().copied() {
            let name = format!("{group}::{}::{}", scalar.name(), self.name);
            cases.push(Case::sweep(&name, self.sweep(scalar, 1, self.kept)));
            cases.push(Case::sweep(format!("{name}_vec3"), self.sweep(scalar, 3, self.kept)));
            if scalar.feature().is_none() {
                cases.push(Case::sweep(format!("{name}_vec2"), self.sweep(scalar, 2, self.kept)));
                cases.push(Case::sweep(format!("{name}_vec4"), self.sweep(scalar, 4, self.kept)));
            }
            if self.mixed {
                cases.push(Case::sweep(format!("{name}_vec3_scalar"), self.sweep(scalar, 3, &[1])));
                cases.push(Case::sweep(format!("{name}_scalar_vec4"), self.sweep(scalar, 4, &[0])));
            }
        }
        cases
    }

    fn sweep(self, scalar: Scalar, lanes: usize, kept: &'static [usize]) -> Sweep {
        let scalars = (self.arguments)(scalar);
        let lanes_of = move |at: usize| if kept.contains(&at) { 1 } else { lanes };
        let arguments: Vec<Type> =
            scalars.iter().enumerate().map(|(at, scalar)| Type::vector(*scalar, lanes_of(at))).collect();
        let result = match self.gives {
            Gives::Same => scalar,
            Gives::Just(other) => other,
        };
        let rows = move || {
            let mut rows = combinations(&scalars);
            rows.extend((self.more)(scalar));
            if lanes == 1 { rows } else { grouped(&ordinary(rows), lanes, kept) }
        };
        let reference = move |row: &[Vec<Value>]| {
            let lane = |lane: usize| {
                let values: Vec<Value> = row.iter().map(|values| values[lane.min(values.len() - 1)]).collect();
                (self.reference)(scalar, &values)
            };
            (0..lanes).map(lane).collect()
        };
        Sweep {
            expression: self.expression.to_owned(),
            arguments,
            result: Type::vector(result, lanes),
            before: "",
            rows: Arc::new(rows),
            reference: Arc::new(reference),
            features: &[],
            only_cpu: self.only_cpu_wide.filter(|_| scalar.size() == 8),
        }
    }
}

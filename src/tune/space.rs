//! The space of a kernel: the overrides to tune, their values, and the restrictions.

mod expression;
mod read;

use std::fmt::Write;

use self::expression::{Expression, Problem};
use super::TuneError;
use crate::kernel::Wgsl;
use crate::search::Candidate;

/// The greatest number of combinations of values, before restrictions.
const MAX_COMBINATIONS: u64 = 1 << 20;

/// An override with its default and the values to try.
#[derive(Clone, Debug, PartialEq)]
struct Parameter {
    name: String,
    default: f64,
    values: Vec<f64>,
}

/// A condition that the values of a candidate satisfy.
#[derive(Clone, Debug, PartialEq)]
struct Restriction {
    text: String,
    expression: Expression,
}

impl Restriction {
    fn parse(text: &str) -> Result<Self, Problem> {
        Ok(Self { expression: Expression::parse(text)?, text: text.trim().to_owned() })
    }
}

/// A restriction with the parameters that its names stand for.
struct Placed<'a> {
    restriction: &'a Restriction,
    /// For each name of the expression, the index of its parameter.
    places: Vec<usize>,
}

impl Placed<'_> {
    /// Whether the values of all parameters satisfy the restriction.
    fn holds(&self, values: &[f64]) -> bool {
        let named: Vec<f64> = self.places.iter().map(|place| values[*place]).collect();
        self.restriction.expression.holds(&named)
    }
}

/// The overrides of a kernel that are tuned, with the values of each and the restrictions on combinations.
///
/// In WGSL, a comment behind an override lists its values, and another comment restricts them; the text stays valid
/// WGSL. A range includes its end: `64..512 x2` is 64, 128, 256, 512, and `1..9 +2` is 1, 3, 5, 7, 9. Restrictions are
/// expressions of the overrides and numbers with `+ - * / %`, comparisons, `&& || !` and parentheses, evaluated in `f64`: `5 / 2` is 2.5. An override that
/// `@workgroup_size` uses tunes the size of the workgroup.
///
/// ```
/// use anywarp::Wgsl;
/// use anywarp::tune::Space;
///
/// let space = Space::of(&Wgsl::new(
///     "override TILE: u32 = 16; // anywarp:tune 8, 16, 32, 64
///      override WG: u32 = 128;  // anywarp:tune 64..512 x2
///      // anywarp:where TILE * TILE * 4 <= 4096
///      @compute @workgroup_size(WG) fn main() { _ = TILE; }",
/// ))?;
/// let candidates = space.candidates()?;
/// assert_eq!(candidates.len(), 3 * 4);
/// assert_eq!(space.describe(&candidates[0]), "TILE=16 WG=128"); // the default
/// # Ok::<(), anywarp::tune::TuneError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    restrictions: Vec<Restriction>,
}

impl Space {
    /// A space without parameters, whose only candidate is the default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The space that the comments of a text describe. Comments in imported modules are not read. A value that
    /// [`Wgsl::set_override`] sets is the default of its parameter.
    ///
    /// # Errors
    /// [`TuneError::Comment`] with line and place, for a wrong comment.
    pub fn of(wgsl: &Wgsl<'_>) -> Result<Self, TuneError> {
        let (mut parameters, restrictions) = read::read(&wgsl.file, &wgsl.text)?;
        for (name, value) in &wgsl.overrides {
            if let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == *name) {
                parameter.default = *value;
            }
        }
        Ok(Self { parameters, restrictions })
    }

    /// Adds an override with its default and the values to try. Errors are returned by
    /// [`candidates`](Self::candidates).
    #[must_use]
    pub fn parameter(mut self, name: &str, default: f64, values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().collect();
        self.parameters.push(Parameter { name: name.to_owned(), default, values });
        self
    }

    /// Adds a restriction in the notation of the comments.
    ///
    /// ```
    /// use anywarp::tune::Space;
    ///
    /// let space = Space::new().parameter("A", 1.0, [1.0, 2.0]).parameter("B", 1.0, [1.0, 2.0]);
    /// assert_eq!(space.clone().restrict("A * B < 4")?.candidates()?.len(), 3);
    /// assert!(space.restrict("A *").is_err());
    /// # Ok::<(), anywarp::tune::TuneError>(())
    /// ```
    ///
    /// # Errors
    /// [`TuneError::Comment`] if the text is no such expression.
    pub fn restrict(mut self, condition: &str) -> Result<Self, TuneError> {
        let restriction =
            Restriction::parse(condition).map_err(|problem| read::located("restriction", 0, condition, problem))?;
        self.restrictions.push(restriction);
        Ok(self)
    }

    /// The names of the parameters.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parameters.iter().map(|parameter| parameter.name.as_str())
    }

    /// All combinations that satisfy the restrictions. The default is the first one, also if its values are not listed.
    ///
    /// # Errors
    /// A [`TuneError`] for parameters without values or of the same name, values that are not finite, unknown names in
    /// restrictions, a default that violates a restriction, and more than 2^20 combinations.
    pub fn candidates(&self) -> Result<Vec<Candidate>, TuneError> {
        let restrictions = self.checked()?;
        let violated = |values: &[f64]| restrictions.iter().find(|placed| !placed.holds(values));
        let default = Candidate::of(self.parameters.iter().map(|parameter| parameter.default).collect());
        if let Some(placed) = violated(default.values()) {
            return Err(TuneError::Default {
                values: self.describe(&default),
                restriction: placed.restriction.text.clone(),
            });
        }
        let mut candidates = vec![default];
        let mut digits = vec![0usize; self.parameters.len()];
        loop {
            let values: Vec<f64> =
                self.parameters.iter().zip(&digits).map(|(parameter, digit)| parameter.values[*digit]).collect();
            if values != candidates[0].values() && violated(&values).is_none() {
                candidates.push(Candidate::of(values));
            }
            // The last parameter varies fastest, as the digits of a number do.
            let Some(place) = (0..digits.len()).rev().find(|at| digits[*at] + 1 < self.parameters[*at].values.len())
            else {
                return Ok(candidates);
            };
            digits[place] += 1;
            digits[place + 1..].fill(0);
        }
    }

    /// Checks parameters and restrictions, and finds the parameters that each restriction names.
    fn checked(&self) -> Result<Vec<Placed<'_>>, TuneError> {
        let wrong =
            |name: &str, expected, given: String| Err(TuneError::Parameter { name: name.to_owned(), expected, given });
        let mut combinations = 1u64;
        for (at, Parameter { name, default, values }) in self.parameters.iter().enumerate() {
            if self.parameters[..at].iter().any(|earlier| earlier.name == *name) {
                return wrong(name, "one list of values for each override", "two".to_owned());
            }
            if values.is_empty() {
                return wrong(name, "at least one value", "none".to_owned());
            }
            if let Some(value) = values.iter().chain([default]).find(|value| !value.is_finite()) {
                return wrong(name, "finite values", value.to_string());
            }
            combinations = combinations.saturating_mul(values.len() as u64);
        }
        if combinations > MAX_COMBINATIONS {
            return Err(TuneError::TooLarge { combinations, limit: MAX_COMBINATIONS });
        }
        let place = |restriction: &Restriction, name: &String| {
            self.names().position(|known| known == name).ok_or_else(|| TuneError::Unknown {
                restriction: restriction.text.clone(),
                name: name.clone(),
                known: self.names().collect::<Vec<_>>().join(", "),
            })
        };
        let places = self.restrictions.iter().map(|restriction| {
            let names = &restriction.expression.names;
            let places = names.iter().map(|name| place(restriction, name)).collect::<Result<_, _>>()?;
            Ok(Placed { restriction, places })
        });
        places.collect()
    }

    /// The values of a candidate with their names: `TILE=16 WG=128`; `no parameters` for an empty space.
    #[must_use]
    pub fn describe(&self, candidate: &Candidate) -> String {
        let mut text = String::new();
        for (name, value) in self.names().zip(candidate.values()) {
            let gap = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{gap}{name}={value}");
        }
        if text.is_empty() { "no parameters".to_owned() } else { text }
    }

    /// The source with the values of a candidate, for [`Device::kernel`](crate::Device::kernel).
    ///
    /// ```
    /// use anywarp::Wgsl;
    /// use anywarp::tune::Space;
    ///
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))] {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let wgsl = Wgsl::new(
    ///     "override WG: u32 = 64; // anywarp:tune 64..256 x2
    ///      @compute @workgroup_size(WG) fn main() {}",
    /// );
    /// let space = Space::of(&wgsl)?;
    /// for (candidate, size) in space.candidates()?.iter().zip([64, 128, 256]) {
    ///     let kernel = device.kernel(space.apply(&wgsl, candidate))?;
    ///     assert_eq!(kernel.workgroup_size(), [size, 1, 1]);
    /// }
    /// # }
    /// # Ok::<(), anywarp::Error>(())
    /// ```
    #[must_use]
    pub fn apply<'a>(&self, wgsl: &Wgsl<'a>, candidate: &Candidate) -> Wgsl<'a> {
        let pairs = self.names().zip(candidate.values());
        pairs.fold(wgsl.clone(), |wgsl, (name, value)| wgsl.set_override(name.to_owned(), *value))
    }
}

/// The value of an expression in the notation of restrictions, for names with these values.
///
/// ```
/// assert_eq!(anywarp::tune::evaluate("1000 / EACH", &[("EACH", 4.0)])?, 250.0);
/// # Ok::<(), anywarp::tune::TuneError>(())
/// ```
///
/// # Errors
/// [`TuneError::Comment`] if the text is no such expression, [`TuneError::Unknown`] for a name without a value.
pub fn evaluate(text: &str, values: &[(&str, f64)]) -> Result<f64, TuneError> {
    let expression = Expression::parse(text).map_err(|problem| read::located("expression", 0, text, problem))?;
    let value_of = |name: &String| {
        let known = || values.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let unknown = || TuneError::Unknown { restriction: text.to_owned(), name: name.clone(), known: known() };
        values.iter().find(|(known, _)| known == name).map(|(_, value)| *value).ok_or_else(unknown)
    };
    let named = expression.names.iter().map(value_of).collect::<Result<Vec<_>, _>>()?;
    Ok(expression.value(&named))
}

/// A literal of WGSL as a number: `16`, `16u`, `0x10`, `0.5f`, `true`.
fn number(text: &str) -> Option<f64> {
    match text {
        "true" => return Some(1.0),
        "false" => return Some(0.0),
        _ => {}
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = u32::from_str_radix(digits.trim_end_matches(['u', 'i']), 16).ok()?;
        return Some(if text.starts_with('-') { -f64::from(value) } else { f64::from(value) });
    }
    let plain = text.strip_suffix(['u', 'i', 'f', 'h']).unwrap_or(text);
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests;

//! Arithmetic with constants, which must stay finite at every step.

/// The largest finite `f16`.
pub(super) const F16_MAX: f64 = 65504.0;
/// The smallest number that is rounded to infinity as an `f16`.
const F16_OVERFLOW: f64 = 65520.0;

/// The type that limits the range of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    F16,
    F32,
    /// Abstract numbers of 64 bits; the final result has to be finite as an `f32`.
    Abstract,
}

/// The result of a computation, or a description of the first step whose value is out of range.
pub(super) type Checked<T = f64> = Result<T, String>;

impl Width {
    pub(super) fn add(self, a: f64, b: f64) -> Checked {
        self.step(a + b, || format!("{} + {}", short(a), short(b)))
    }

    pub(super) fn sub(self, a: f64, b: f64) -> Checked {
        self.step(a - b, || format!("{} - {}", short(a), short(b)))
    }

    pub(super) fn mul(self, a: f64, b: f64) -> Checked {
        self.step(a * b, || format!("{} * {}", short(a), short(b)))
    }

    pub(super) fn div(self, a: f64, b: f64) -> Checked {
        self.step(a / b, || format!("{} / {}", short(a), short(b)))
    }

    /// Checks the result of a function. A computation with abstract numbers may use 64 bits only within the function,
    /// so its result has to be finite as an `f32`.
    pub(super) fn result(self, value: f64) -> Checked {
        let kept = if self == Self::Abstract { Self::F32 } else { self };
        kept.step(value, || format!("a result of about {}", short(value)))
    }

    pub(super) fn dot(self, a: &[f64], b: &[f64]) -> Checked {
        a.iter().zip(b).try_fold(0.0, |sum, (a, b)| self.add(sum, self.mul(*a, *b)?))
    }

    fn step(self, value: f64, what: impl Fn() -> String) -> Checked {
        let (rounded, name) = match self {
            Self::F16 if value.abs() >= F16_OVERFLOW => (f64::INFINITY, "f16"),
            Self::F16 => (value, "f16"),
            Self::F32 => (f64::from(value as f32), "f32"),
            Self::Abstract => (value, "64-bit floats"),
        };
        if rounded.is_finite() { Ok(rounded) } else { Err(format!("{} is out of range for {name}", what())) }
    }
}

/// Returns a number in a short form: rounded to `f32`, or with three digits if the number is out of range for `f32`.
pub(super) fn short(value: f64) -> String {
    let narrow = value as f32;
    if !narrow.is_finite() {
        return format!("{value:.2e}");
    }
    let plain = format!("{narrow}");
    if plain.len() <= 8 { plain } else { format!("{narrow:e}") }
}

/// Computes `mix(a, b, t)`.
pub(super) fn mix(width: Width, a: f64, b: f64, t: f64) -> Checked {
    width.add(width.mul(a, width.sub(1.0, t)?)?, width.mul(b, t)?)
}

/// Computes the difference of the limits of `smoothstep` and, if `value` is known, the quotient with which its curve
/// begins.
pub(super) fn smooth(width: Width, low: f64, high: f64, value: Option<f64>) -> Checked {
    let range = width.sub(high, low)?;
    value.map_or(Ok(range), |value| width.div(width.sub(value, low)?, range))
}

/// Computes `ldexp(value, exponent)`.
pub(super) fn ldexp(width: Width, value: f64, exponent: f64) -> Checked {
    width.result(value * exponent.clamp(-2000.0, 2000.0).exp2())
}

/// Computes `reflect(e1, e2)`.
pub(super) fn reflect(width: Width, e1: &[f64], e2: &[f64]) -> Checked<Vec<f64>> {
    let twice = width.mul(2.0, width.dot(e1, e2)?)?;
    e1.iter().zip(e2).map(|(a, b)| width.result(width.sub(*a, width.mul(twice, *b)?)?)).collect()
}

/// Computes `refract(e1, e2, e3)`.
pub(super) fn refract(width: Width, e1: &[f64], e2: &[f64], e3: f64) -> Checked<Vec<f64>> {
    let dot = width.dot(e2, e1)?;
    let rest = width.mul(width.mul(e3, e3)?, width.sub(1.0, width.mul(dot, dot)?)?)?;
    let k = width.sub(1.0, rest)?;
    if k < 0.0 {
        return Ok(vec![0.0; e1.len()]);
    }
    let along = width.add(width.mul(e3, dot)?, k.sqrt())?;
    let refracted = |(a, b): (&f64, &f64)| width.result(width.sub(width.mul(e3, *a)?, width.mul(along, *b)?)?);
    e1.iter().zip(e2).map(refracted).collect()
}

/// Computes the determinant of a square matrix, whose components are listed column by column.
pub(super) fn determinant(width: Width, components: &[f64]) -> Checked {
    let size = components.len().isqrt();
    if let [a, b, c, d] = components {
        return width.sub(width.mul(*a, *d)?, width.mul(*c, *b)?);
    }
    // Only the result is checked, because browsers compute determinants by different steps.
    width.result(minors(components, size))
}

fn minors(components: &[f64], size: usize) -> f64 {
    if size <= 1 {
        return components.first().copied().unwrap_or(1.0);
    }
    let of_column = |column: usize| {
        let others = (0..size).filter(|other| *other != column);
        let minor: Vec<f64> =
            others.flat_map(|other| components[other * size + 1..(other + 1) * size].to_vec()).collect();
        let sign = if column.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * components[column * size] * minors(&minor, size - 1)
    };
    (0..size).map(of_column).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_stays_within_its_type() {
        assert_eq!(mix(Width::F32, 1.0, 3.0, 0.5), Ok(2.0));
        assert!(mix(Width::F32, 3e38, 3e38, -1.0).is_err());
        assert!(mix(Width::Abstract, 3e38, 3e38, -1.0).is_ok());
        assert!(mix(Width::F16, 300.0, 0.0, 300.0).is_err());
        assert_eq!(smooth(Width::F32, 1.0, 3.0, Some(2.0)), Ok(0.5));
        assert!(smooth(Width::F32, -3e38, 3e38, None).is_err());
        assert_eq!(ldexp(Width::F32, 1.5, 2.0), Ok(6.0));
        assert!(ldexp(Width::Abstract, 1.0, 128.0).is_err());
        assert_eq!(reflect(Width::F32, &[1.0, 0.0], &[1.0, 0.0]), Ok(vec![-1.0, 0.0]));
        assert_eq!(refract(Width::F32, &[0.0, -1.0], &[0.0, 1.0], 1.0), Ok(vec![0.0, -1.0]));
        assert_eq!(refract(Width::F32, &[1.0, 0.0], &[0.0, 1.0], 2.0), Ok(vec![0.0, 0.0]));
        assert!(refract(Width::F32, &[1e30, 0.0], &[1e30, 0.0], 1.0).is_err());
    }

    #[test]
    fn determinants_match_the_definition() {
        assert_eq!(determinant(Width::F32, &[1.0, 2.0, 3.0, 4.0]), Ok(-2.0));
        assert_eq!(determinant(Width::F32, &[2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0]), Ok(24.0));
        assert_eq!(determinant(Width::F32, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0]), Ok(-3.0));
        assert!(determinant(Width::F32, &[1e30, 0.0, 0.0, 1e30]).is_err());
    }
}

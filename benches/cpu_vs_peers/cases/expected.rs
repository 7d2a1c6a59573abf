//! The expected result, and its tolerance.

use crate::Outcome;

/// The expected result of a case, from a sequential reference.
pub(crate) enum Expected {
    /// Exactly these words.
    Exactly(Vec<u32>),
    /// These values, each within an absolute error.
    Within(Vec<f32>, f32),
    /// These words, except for a share that may differ where rounding decides the result, as at the edge of a fractal.
    Mostly(Vec<u32>, f64),
}

impl Expected {
    /// Compares the bits of a result.
    pub(crate) fn check(&self, result: &[u32]) -> Outcome<()> {
        let length = match self {
            Self::Exactly(words) | Self::Mostly(words, _) => words.len(),
            Self::Within(values, _) => values.len(),
        };
        if result.len() != length {
            return Err(format!("wrong result: {} words instead of {length}", result.len()).into());
        }
        match self {
            Self::Exactly(words) => {
                let wrong = result.iter().zip(words).position(|(got, expected)| got != expected);
                wrong.map_or(Ok(()), |at| Err(format!("wrong result: [{at}] is {}, not {}", result[at], words[at])))?;
            }
            Self::Within(values, tolerance) => {
                let near = |(got, expected): (&u32, &f32)| (f32::from_bits(*got) - expected).abs() <= *tolerance;
                if let Some(at) = result.iter().zip(values).position(|pair| !near(pair)) {
                    let got = f32::from_bits(result[at]);
                    return Err(format!("wrong result: [{at}] is {got}, not {} +- {tolerance}", values[at]).into());
                }
            }
            Self::Mostly(words, share) => {
                let wrong = result.iter().zip(words).filter(|(got, expected)| got != expected).count();
                if wrong as f64 > share * length as f64 {
                    return Err(format!("wrong result: {wrong} of {length} words differ").into());
                }
            }
        }
        Ok(())
    }
}

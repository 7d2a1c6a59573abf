//! The candidates of a search.

/// One combination of values.
///
/// ```
/// use anywarp::tune::Space;
///
/// let candidates = Space::new().parameter("WG", 64.0, [32.0, 64.0]).candidates()?;
/// assert_eq!((candidates[0].values(), candidates[1].values()), (&[64.0][..], &[32.0][..]));
/// # Ok::<(), anywarp::tune::TuneError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    values: Vec<f64>,
}

impl Candidate {
    /// A candidate with these values, in the order of the parameters.
    pub(crate) fn of(values: Vec<f64>) -> Self {
        Self { values }
    }

    /// Candidates that have only their numbers, for a search of other things than values of overrides.
    ///
    /// ```
    /// # use anywarp::tune::Candidate;
    /// assert_eq!(Candidate::numbered(3)[2].values(), [2.0]);
    /// ```
    #[must_use]
    pub fn numbered(count: usize) -> Vec<Self> {
        (0..count).map(|number| Self { values: vec![number as f64] }).collect()
    }

    /// The values, in the order of the parameters.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

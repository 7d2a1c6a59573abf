//! The decision of an operator between its kernels: by default, from the table of known cards, from kept results, or as
//! the caller demands.
//!
//! An operator asks a [`Question`] with its default and its candidates, and receives one of them. It knows nothing of
//! measurements: the table of each device, [`table::Choices`], is filled from the disk, and by tuners.

pub(crate) mod call;
pub(crate) mod offers;
pub(crate) mod question;
pub(crate) mod session;
pub(crate) mod stand_in;
pub(crate) mod table;
#[cfg(all(test, feature = "cpu"))]
mod tests;

pub(crate) use call::Call;
pub(crate) use offers::offer;
pub(crate) use question::{InParts, Question, powers, scalar_name};
pub(crate) use stand_in::{Like, StandIn};

/// A decision that an operator took between its kernels, in one call: see [`decisions`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The operator, with all properties of the call on which the choice depends apart from sizes: `matmul f16 aligned`.
    pub operator: String,
    /// The sizes on which the choice depends, each rounded up to a power of two: `4096x4096x64`.
    pub sizes: String,
    /// The candidate that runs.
    pub chosen: String,
    /// The reason for this candidate.
    pub reason: Reason,
    /// All candidates, the default one first.
    pub candidates: Vec<String>,
    /// Whether all candidates give the same bits. Otherwise they differ in the order of their sums.
    pub exact: bool,
}

/// The reason why an operator runs one of its candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It is the default for these sizes on this kind of device.
    Default,
    /// The table of known cards, which is a part of this crate, has it for this card.
    Known,
    /// It was measured on this machine, or imported: see [`tune`](crate::tune).
    Kept,
    /// The caller chose it, as by [`Matmul::method`](super::Matmul::method).
    Asked,
    /// A tuner tries it.
    Tried,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Default => "the default",
            Self::Known => "from the table of known cards",
            Self::Kept => "kept from an earlier measurement",
            Self::Asked => "chosen by the caller",
            Self::Tried => "tried by a tuner",
        })
    }
}

/// Runs `call`, and returns which kernels the operators in it chose, and why.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32; 5000])?;
/// let mut y = device.buffer::<f32>(5000)?;
/// let (result, decisions) = ops::decisions(|| ops::cumulative_sum(&x, &mut y));
/// result?;
/// for decision in &decisions {
///     println!("{} {}: {}, {}", decision.operator, decision.sizes, decision.chosen, decision.reason);
/// }
/// assert!(decisions[0].candidates.contains(&decisions[0].chosen));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// Calls on other threads are not seen. A decision that a call takes several times is listed once.
pub fn decisions<R>(call: impl FnOnce() -> R) -> (R, Vec<Decision>) {
    session::observe(&[], call)
}

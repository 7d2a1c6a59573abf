//! The ways in which the CPU can run kernels.

/// The work of a device beside running its kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It only runs them.
    #[default]
    Plain,
    /// It looks for mistakes in them, as `cpu:checked`.
    Checked,
    /// It counts their memory accesses and branches, as `cpu:observed`.
    Observed,
}

impl Mode {
    /// The part of a selection string after `cpu:`; `None` for [`Mode::Plain`].
    #[must_use]
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Checked => Some("checked"),
            Self::Observed => Some("observed"),
        }
    }
}

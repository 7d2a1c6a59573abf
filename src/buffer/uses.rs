//! The uses that a buffer permits on the device: all, unless foreign code created it with fewer.

/// A kind of use of a buffer by commands of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Storage = 1,
    Uniform = 2,
    Indirect = 4,
    CopyFrom = 8,
    CopyTo = 16,
}

/// A set of [`Use`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uses(u8);

impl Uses {
    /// The uses of buffers that anywarp creates.
    pub(crate) const ALL: Self = Self(31);

    #[cfg(feature = "wgpu")]
    pub(crate) fn of(uses: impl Iterator<Item = Use>) -> Self {
        Self(uses.fold(0, |all, one| all | one as u8))
    }

    pub(crate) fn contain(self, one: Use) -> bool {
        self.0 & one as u8 != 0
    }

    #[cfg(feature = "wgpu")]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Use {
    /// The name of the flag in wgpu that permits the use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Storage => "STORAGE",
            Self::Uniform => "UNIFORM",
            Self::Indirect => "INDIRECT",
            Self::CopyFrom => "COPY_SRC",
            Self::CopyTo => "COPY_DST",
        }
    }
}

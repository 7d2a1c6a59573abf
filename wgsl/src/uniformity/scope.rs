//! The groups of invocations for which values must be uniform.

use crate::directives::requirements;

/// The group of invocations that are compared, and the operations that are checked.
///
/// With the language extension `subgroup_uniformity`, subgroup operations only need uniformity within a subgroup.
/// A module is then analysed twice, each time with the operations of one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All operations need uniformity within a workgroup, as in browsers without the extension.
    All,
    /// Only barriers and `workgroupUniformLoad` are checked, within a workgroup.
    Workgroup,
    /// Only subgroup and quad operations are checked, within a subgroup.
    Subgroup,
}

impl Scope {
    /// Whether barriers and `workgroupUniformLoad` are checked.
    pub(super) fn has_synchronization(self) -> bool {
        self != Self::Subgroup
    }

    /// Whether subgroup and quad operations are checked.
    pub(super) fn has_subgroups(self) -> bool {
        self != Self::Workgroup
    }
}

/// The language extensions that a browser is assumed to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// No language extension. A text without failures is valid in every browser.
    Common,
    /// The extension `subgroup_uniformity`.
    SubgroupUniformity,
}

impl Language {
    /// The language that the `requires` directives of a text select.
    #[must_use]
    pub fn required_by(text: &str) -> Self {
        let is_required = requirements(text).iter().any(|(name, _)| *name == "subgroup_uniformity");
        if is_required { Self::SubgroupUniformity } else { Self::Common }
    }

    pub(super) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Common => &[Scope::All],
            Self::SubgroupUniformity => &[Scope::Workgroup, Scope::Subgroup],
        }
    }
}

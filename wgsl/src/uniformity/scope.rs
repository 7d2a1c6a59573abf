//! The groups of invocations within which values must be uniform.

use crate::directives::requirements;

/// The invocations that are compared.
///
/// With the language extension `subgroup_uniformity`, subgroup operations only need uniformity within a subgroup.
/// A module is then analysed twice, each time with the operations of one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All operations need uniformity within a workgroup, as in browsers without the extension.
    All,
    /// Only barriers and `workgroupUniformLoad`, within a workgroup.
    Workgroup,
    /// Only subgroup and quad operations, within a subgroup.
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
    /// No language extension: a text that passes is valid in every browser.
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

//! Among which invocations something has to be uniform.

use crate::directives::requirements;

/// The invocations that are compared.
///
/// The language extension `subgroup_uniformity` lets subgroup operations be reached by whole subgroups.
/// With it, a module is looked at twice, each time with the operations of one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All operations need whole workgroups, as in browsers without the extension.
    All,
    /// Barriers and `workgroupUniformLoad` need whole workgroups.
    Workgroup,
    /// Subgroup and quad operations need whole subgroups.
    Subgroup,
}

impl Scope {
    /// Whether barriers and `workgroupUniformLoad` count.
    pub(super) fn has_synchronization(self) -> bool {
        self != Self::Subgroup
    }

    /// Whether subgroup and quad operations count.
    pub(super) fn has_subgroups(self) -> bool {
        self != Self::Workgroup
    }
}

/// The language extensions that a browser is taken to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// No language extension: what passes, passes in every browser.
    Common,
    /// With the extension `subgroup_uniformity`.
    SubgroupUniformity,
}

impl Language {
    /// The language that a text asks for by `requires`.
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

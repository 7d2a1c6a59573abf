//! Features and element types of a composition.

use anywarp_backend::Scalar;

/// Features and element types of a composition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The features that conditions name, each with whether the feature is on.
    pub features: Vec<(String, bool)>,
    /// The names of aliases such as `alias NAME = f32;` outside functions, each with the scalar that replaces the
    /// aliased one. Each name adds the features `NAME_f16`, `NAME_f32` and so on, of which only that of the chosen
    /// scalar is on.
    pub elements: Vec<(String, Scalar)>,
}

/// The scalars that are allowed as element types.
pub(super) const SCALARS: &[&str] = &["f16", "f32", "f64", "i16", "i32", "i64", "u16", "u32", "u64"];

/// The features that conditions of one file can name.
pub(super) struct Features<'a> {
    pub(super) options: &'a Options,
    /// The aliases of scalars in this file and in the author's own file, with the scalars as written.
    pub(super) written: &'a [(String, String)],
}

impl Features<'_> {
    /// Whether a feature is on; `None` if the feature is not set.
    pub(super) fn value(&self, name: &str) -> Option<bool> {
        if let Some((_, on)) = self.options.features.iter().rev().find(|(feature, _)| feature == name) {
            return Some(*on);
        }
        let (alias, scalar) = name.rsplit_once('_').filter(|(_, scalar)| SCALARS.contains(scalar))?;
        let chosen = self.options.elements.iter().rev().find(|(element, _)| element == alias);
        if let Some((_, chosen)) = chosen {
            return Some(chosen.to_string() == scalar);
        }
        let (_, written) = self.written.iter().find(|(element, _)| element == alias)?;
        Some(written == scalar)
    }

    /// The features and element types that are set, for messages.
    pub(super) fn known(&self) -> Vec<String> {
        let features = self.options.features.iter().map(|(name, _)| name.clone());
        let elements = self.options.elements.iter().map(|(name, scalar)| format!("{name}_{scalar}"));
        features.chain(elements).collect()
    }
}

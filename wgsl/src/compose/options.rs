//! What is chosen when a text is composed.

use anywarp_backend::Scalar;

/// What is chosen when a text is composed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What conditions ask for, and whether it is on.
    pub features: Vec<(String, bool)>,
    /// Names of `alias NAME = f32;` outside of functions, and the scalar that each is to stand for.
    /// `NAME_f16` is a feature then, on for this scalar and off for every other.
    pub elements: Vec<(String, Scalar)>,
}

/// The scalars that an element may be.
pub(super) const SCALARS: &[&str] = &["f16", "f32", "f64", "i16", "i32", "i64", "u16", "u32", "u64"];

/// What the conditions of one file may ask for.
pub(super) struct Features<'a> {
    pub(super) options: &'a Options,
    /// The scalars that aliases of the file, and of the author's own, stand for as they are written.
    pub(super) written: &'a [(String, String)],
}

impl Features<'_> {
    /// Whether a feature is on; `None` if nobody said.
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

    /// What there is, for messages.
    pub(super) fn known(&self) -> Vec<String> {
        let features = self.options.features.iter().map(|(name, _)| name.clone());
        let elements = self.options.elements.iter().map(|(name, scalar)| format!("{name}_{scalar}"));
        features.chain(elements).collect()
    }
}

//! The list of findings of a device.

use std::fmt;

use super::{Finding, Severity};

/// The largest number of different findings that are kept; further findings are only counted.
const MAX_FINDINGS: usize = 256;

/// The findings of a checked device: one for each different mistake, in the order of the first occurrences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    /// The number of findings that were counted but not kept, because `MAX_FINDINGS` are kept already.
    dropped: u64,
}

impl Findings {
    /// Adds a finding. A finding that reports the same mistake as an earlier one only increases the number of
    /// occurrences of the earlier one.
    pub fn add(&mut self, finding: Finding) {
        if let Some(known) = self.list.iter_mut().find(|known| known.is_like(&finding)) {
            known.occurrences = known.occurrences.saturating_add(finding.occurrences);
        } else if self.list.len() < MAX_FINDINGS {
            self.list.push(finding);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds all findings of `others`.
    pub fn extend(&mut self, others: Self) {
        self.dropped += others.dropped;
        others.list.into_iter().for_each(|finding| self.add(finding));
    }

    /// The findings, one for each different mistake.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.list.iter()
    }

    /// The findings that are errors, without the notes.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter().filter(|finding| finding.kind.severity() == Severity::Error)
    }

    /// Whether any finding is an error. A finding that was counted but not kept is taken for an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.dropped > 0 || self.errors().next().is_some()
    }

    /// The number of findings that were kept, including notes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of findings that were counted but not kept.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// All findings as text, with an empty line between them.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.list.iter().enumerate() {
            let gap = if index > 0 { "\n\n" } else { "" };
            write!(f, "{gap}{finding}")?;
        }
        if self.dropped > 0 {
            write!(f, "\n\nand {} more", self.dropped)?;
        }
        Ok(())
    }
}

//! Explanations as text.

use std::fmt;

use super::{AccessCounts, ExplainedAccess, ExplainedLoop, Explanation};

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessCounts { proven, at_launch, checked } = self.counts();
        let ending = self.loops.iter().filter(|one| one.proven).count();
        let (accesses, loops) = (self.accesses.len(), self.loops.len());
        write!(f, "{}: {proven} of {accesses} accesses and {ending} of {loops} loops need no check", self.kernel)?;
        if at_launch > 0 {
            write!(f, "; {at_launch} need none in launches that meet their conditions, {checked} are checked")?;
        }
        if let Some(why) = self.gave_up {
            write!(f, "\n  everything is checked, because {why}")?;
        }
        for access in &self.accesses {
            write!(f, "\n{access}")?;
        }
        for one in &self.loops {
            write!(f, "\n{one}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ExplainedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}: {}: {}", self.place, self.text, self.verdict().name())?;
        match (self.range, &self.count) {
            (None, _) => write!(f, ": the access is never reached")?,
            (Some((low, high)), Some(count)) => write!(f, ": {low} to {high}, of {count}")?,
            (Some((low, high)), None) => write!(f, ": {low} to {high}")?,
        }
        if !self.conditions.is_empty() {
            write!(f, "; no check in launches with {}", self.conditions.join(" and "))?;
        }
        self.advice.as_ref().map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}

impl fmt::Display for ExplainedLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}: loop: {}", self.place, if self.proven { "proven" } else { "checked" })?;
        if let Some(counter) = &self.counter {
            write!(f, ": {counter}")?;
            if let Some((low, high)) = self.range {
                write!(f, " from {low} to {high}")?;
            }
        }
        self.advice.as_ref().map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}

//! The table of candidates that are faster than the defaults on one device.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use anywarp_backend::Caps;
use rustc_hash::FxHashMap;

use super::Reason;
use super::offers::Offers;
use super::question::{Candidate, Question};
use crate::kept::{self, Kept, Mode, Record, State};

/// The candidates of known cards, which are a part of the crate, in the format of kept results.
const KNOWN: &str = include_str!("known.txt");

/// The number of different questions from which answers are looked up again, so that memory stays bounded.
const MANY: usize = 4096;

/// The candidates that are faster than the defaults, by the texts of the questions.
#[derive(Default)]
pub(crate) struct Choices {
    /// Whether there is none, which is the usual case.
    is_empty: AtomicBool,
    named: RwLock<FxHashMap<(String, String), (String, Reason)>>,
    /// The answers to questions that were asked before.
    answers: RwLock<FxHashMap<Question, Answer>>,
    pub(crate) offers: Offers,
}

/// A candidate, as the operator's own type, with its reason; `None` if the default runs.
type Answer = Option<(Box<dyn Any + Send + Sync>, Reason)>;

impl Choices {
    /// The table of a device: the known card's, and the results that are kept for the device, unless `ANYWARP_TUNE` is
    /// `off`. It is read once, so that no call chooses differently from an earlier one because of another process.
    pub(crate) fn of(caps: &Caps) -> Self {
        // Tests of this crate do not depend on the results that are kept on the machine.
        let mode = if cfg!(test) { Some(Mode::Off) } else { Mode::named() };
        if mode == Some(Mode::Off) {
            Self::from_records(&[], &[])
        } else {
            Self::from_records(&known(caps), &kept(caps))
        }
    }

    /// A table of these records; kept ones come before known ones, and later ones before earlier ones.
    pub(crate) fn from_records(known: &[Record], kept: &[Record]) -> Self {
        let choices = Self::default();
        choices.is_empty.store(true, Ordering::Relaxed);
        for (records, reason) in [(known, Reason::Known), (kept, Reason::Kept)] {
            let mut best: Vec<&Record> = records.iter().filter(|record| record.state == State::Best).collect();
            best.sort_by_key(|record| record.at);
            for record in best {
                if let Some(operator) = kept::operator_of(&record.kernel) {
                    choices.set(operator, &record.sizes, &record.values, reason);
                }
            }
        }
        choices
    }

    /// Sets the candidate for a question, from now on.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn learn(&self, operator: &str, sizes: &str, candidate: &str) {
        self.set(operator, sizes, candidate, Reason::Kept);
    }

    fn set(&self, operator: &str, sizes: &str, candidate: &str, reason: Reason) {
        let key = (operator.to_owned(), sizes.to_owned());
        let mut named = self.named.write().unwrap_or_else(PoisonError::into_inner);
        named.insert(key, (candidate.to_owned(), reason));
        self.answers.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.is_empty.store(false, Ordering::Release);
    }

    /// The candidate for a question; `None` if the default runs. `all` lists the candidates, for a question that was not
    /// asked before.
    pub(super) fn find<C: Candidate>(&self, question: &Question, all: impl FnOnce() -> Vec<C>) -> Option<(C, Reason)> {
        if self.is_empty.load(Ordering::Acquire) {
            return None;
        }
        if let Some(answer) = self.answers.read().unwrap_or_else(PoisonError::into_inner).get(question) {
            return typed(answer);
        }
        // The locks are taken in the same order as in `set`, whose result must not be overtaken by an older answer.
        let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
        let entry = named.get(&(question.operator(), question.sizes()));
        let answer: Answer = entry.and_then(|(name, reason)| {
            let candidate = all().into_iter().find(|candidate| candidate.to_string() == *name);
            candidate.map(|candidate| (Box::new(candidate) as Box<dyn Any + Send + Sync>, *reason))
        });
        let found = typed(&answer);
        let mut answers = self.answers.write().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MANY {
            answers.clear();
        }
        answers.insert(*question, answer);
        found
    }
}

fn typed<C: Candidate>(answer: &Answer) -> Option<(C, Reason)> {
    let (candidate, reason) = answer.as_ref()?;
    Some((*candidate.downcast_ref::<C>()?, *reason))
}

/// The records of the table of known cards that are for this card, of whichever driver and version: each record says
/// where it was measured.
fn known(caps: &Caps) -> Vec<Record> {
    let device = kept::device_of(caps);
    known_cards().records.into_iter().filter(|record| record.device == device).collect()
}

/// The whole table of known cards.
pub(super) fn known_cards() -> Kept {
    Kept::of_text("the table of known cards", KNOWN)
}

/// The results that are kept for this device, its driver, and this version.
#[cfg(not(target_arch = "wasm32"))]
fn kept(caps: &Caps) -> Vec<Record> {
    let Some(store) = kept::Store::of_this_user() else { return Vec::new() };
    match store.read() {
        Ok(all) => all.records.into_iter().filter(|record| record.is_for(caps)).collect(),
        Err(error) => {
            log::warn!("operators run without the kept results of tuning: {error}");
            Vec::new()
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn kept(_: &Caps) -> Vec<Record> {
    Vec::new()
}

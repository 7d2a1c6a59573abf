//! The question of an operator: which of its candidates is the fastest for this call.

use std::fmt;
use std::hash::{Hash, Hasher};

use anywarp_backend::{Scalar, ScalarKind};

use super::table::Choices;
use super::{Decision, Reason, offers, session};
use crate::device::Device;

/// The greatest numbers of properties and of sizes of a question.
const FORMS: usize = 8;
const SIZES: usize = 6;

/// A candidate of an operator: its display is its name, by which results are kept.
pub(crate) trait Candidate: Copy + PartialEq + fmt::Display + Send + Sync + 'static {}

impl<C: Copy + PartialEq + fmt::Display + Send + Sync + 'static> Candidate for C {}

/// All properties of a call on which the choice of a candidate depends. It is built in each call, so that it has no
/// memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    operator: &'static str,
    forms: [&'static str; FORMS],
    /// The exponents of the sizes, rounded up to powers of two.
    sizes: [u8; SIZES],
    counts: [u8; 2],
    exact: bool,
}

/// Only the properties that are there, and lengths in place of texts: a lookup is part of each call.
impl Hash for Question {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [a, b, c, d, e, f] = self.sizes;
        state.write_u64(u64::from_le_bytes([a, b, c, d, e, f, self.counts[0], self.operator.len() as u8]));
        let lengths = self.forms[..usize::from(self.counts[0])].iter();
        state.write_u64(lengths.fold(0, |all, form| (all << 8) | u64::from(form.len() as u8)));
    }
}

impl Question {
    /// A question of an operator for these sizes, at most six.
    pub(crate) fn new(operator: &'static str, sizes: &[u64]) -> Self {
        let mut exponents = [0; SIZES];
        for (exponent, size) in exponents.iter_mut().zip(sizes) {
            *exponent = (64 - size.saturating_sub(1).leading_zeros()) as u8;
        }
        let counts = [0, sizes.len().min(SIZES) as u8];
        Self { operator, forms: [""; FORMS], sizes: exponents, counts, exact: false }
    }

    /// Adds a property, at most eight.
    pub(crate) fn form(mut self, name: &'static str) -> Self {
        if let Some(form) = self.forms.get_mut(usize::from(self.counts[0])) {
            *form = name;
            self.counts[0] += 1;
        }
        self
    }

    /// Adds a property if it holds.
    pub(crate) fn form_if(self, holds: bool, name: &'static str) -> Self {
        if holds { self.form(name) } else { self }
    }

    /// States whether all candidates give the same bits.
    pub(crate) fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// The operator with the properties, as results are kept by.
    pub(super) fn operator(&self) -> String {
        let mut text = self.operator.to_owned();
        for form in &self.forms[..usize::from(self.counts[0])] {
            text.push(' ');
            text.push_str(form);
        }
        text
    }

    /// The sizes, as results are kept by: `1024x64`; `-` without sizes.
    pub(super) fn sizes(&self) -> String {
        let sizes = &self.sizes[..usize::from(self.counts[1])];
        let texts: Vec<String> = sizes.iter().map(|exponent| (1_u128 << exponent).to_string()).collect();
        if texts.is_empty() { "-".to_owned() } else { texts.join("x") }
    }

    /// Returns the candidate to run: `default`, unless there is a better one for this device. `all` lists all candidates
    /// that give the promised results for this call; `permits` tells whether one of them, which was found for another
    /// call with the same answers, is possible for this one.
    pub(crate) fn decide<C: Candidate>(
        self,
        device: &Device,
        default: C,
        all: impl FnOnce() -> Vec<C>,
        permits: impl FnOnce(&C) -> bool,
    ) -> C {
        let choices = device.context.extension(|| Choices::of(device.caps()));
        if session::is_active() {
            offers::settled();
            return self.observed(&choices, default, all(), permits);
        }
        match choices.find(&self, all) {
            Some((kept, _)) if permits(&kept) => {
                offers::settled();
                kept
            }
            _ => {
                choices.offers.missed(self);
                default
            }
        }
    }

    /// Reports a candidate that the caller demands.
    pub(crate) fn asked<C: Candidate>(self, choice: C) -> C {
        offers::settled();
        if session::is_active() {
            self.report(choice, Reason::Asked, vec![choice.to_string()]);
        }
        choice
    }

    fn observed<C: Candidate>(
        self,
        choices: &Choices,
        default: C,
        mut all: Vec<C>,
        permits: impl FnOnce(&C) -> bool,
    ) -> C {
        all.retain(|candidate| *candidate != default);
        all.insert(0, default);
        let names: Vec<String> = all.iter().map(ToString::to_string).collect();
        let wanted = session::wanted(&self.operator(), &self.sizes());
        let tried =
            wanted.map(|wanted| all.iter().zip(&names).find(|(_, name)| **name == wanted).map(|(tried, _)| *tried));
        let (chosen, reason) = match tried {
            Some(Some(tried)) => (tried, Reason::Tried),
            // The tuner sees that the candidate did not run.
            Some(None) => (default, Reason::Default),
            None => match choices.find(&self, || all.clone()) {
                Some((kept, reason)) if permits(&kept) => (kept, reason),
                _ => (default, Reason::Default),
            },
        };
        self.report(chosen, reason, names);
        chosen
    }

    fn report<C: Candidate>(self, chosen: C, reason: Reason, candidates: Vec<String>) {
        let (operator, sizes, chosen) = (self.operator(), self.sizes(), chosen.to_string());
        session::report(Decision { operator, sizes, chosen, reason, candidates, exact: self.exact });
    }
}

/// A number of parts of a sum, as a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InParts(pub(crate) u64);

impl fmt::Display for InParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parts={}", self.0)
    }
}

impl InParts {
    /// All powers of two for sums of `addends` addends of which there are `sums`, so that the results of the parts take
    /// 256 MiB at most.
    pub(crate) fn all(sums: u64, addends: u64) -> Vec<Self> {
        powers((1 << 12).min(addends).min((1 << 26) / sums.max(1))).map(Self).collect()
    }
}

/// The powers of two from 1 to `most`, or to 2^20.
pub(crate) fn powers(most: u64) -> impl Iterator<Item = u64> {
    (0..=20).map(|exponent| 1_u64 << exponent).take_while(move |power| *power <= most)
}

/// The name of a scalar type in a question.
pub(crate) fn scalar_name(scalar: Scalar) -> &'static str {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => "f16",
        (ScalarKind::Float, 4) => "f32",
        (ScalarKind::Float, _) => "f64",
        (_, 2) => "i16",
        (_, 4) => "i32",
        _ => "i64",
    }
}

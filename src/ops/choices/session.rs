//! Calls whose decisions are observed, or set by a tuner, on one thread.

use std::cell::RefCell;

use super::Decision;

/// The sizes of a trial that holds for all calls of its operator, whatever their properties.
pub(crate) const ANY_SIZES: &str = "*";

fn first_word(operator: &str) -> &str {
    operator.split(' ').next().unwrap_or_default()
}

/// A candidate that a tuner tries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    pub(crate) operator: String,
    pub(crate) sizes: String,
    pub(crate) candidate: String,
}

#[derive(Debug, Default)]
struct Session {
    trials: Vec<Trial>,
    decisions: Vec<Decision>,
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Returns to the session around this one, also if the call panics.
struct Around(Option<Session>);

impl Drop for Around {
    fn drop(&mut self) {
        SESSION.replace(self.0.take());
    }
}

/// Runs `call` with the candidates of `trials` in place of those that would run, and returns all decisions.
pub(crate) fn observe<R>(trials: &[Trial], call: impl FnOnce() -> R) -> (R, Vec<Decision>) {
    let session = Session { trials: trials.to_vec(), decisions: Vec::new() };
    let around = Around(SESSION.replace(Some(session)));
    let result = call();
    let decisions = SESSION.with_borrow_mut(|session| session.take().map(|session| session.decisions));
    drop(around);
    (result, decisions.unwrap_or_default())
}

pub(super) fn is_active() -> bool {
    SESSION.with_borrow(Option::is_some)
}

/// The candidate that a tuner tries for a question.
pub(super) fn wanted(operator: &str, sizes: &str) -> Option<String> {
    SESSION.with_borrow(|session| {
        let trials = &session.as_ref()?.trials;
        let is_meant = |trial: &&Trial| match &*trial.sizes {
            ANY_SIZES => first_word(&trial.operator) == first_word(operator),
            of => of == sizes && trial.operator == operator,
        };
        let trial = trials.iter().find(is_meant)?;
        Some(trial.candidate.clone())
    })
}

pub(super) fn report(decision: Decision) {
    SESSION.with_borrow_mut(|session| {
        let Some(session) = session else { return };
        let is_known = |known: &Decision| known.operator == decision.operator && known.sizes == decision.sizes;
        if !session.decisions.iter().any(is_known) {
            session.decisions.push(decision);
        }
    });
}

//! The strategies: which candidates are measured, and how often.

use super::arena::{Arena, Halt};
use super::{Candidate, Judge};

/// How a search chooses the candidates to measure. Every strategy ends with repeated measurements of the best ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Measures all candidates, in random order.
    Exhaustive,
    /// Measures the default and as many others, chosen at random.
    Random(usize),
    /// Measures all candidates a few times, then the faster half twice as often, and so on (Jamieson and Talwalkar,
    /// "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016).
    #[default]
    SuccessiveHalving,
    /// Changes one parameter at a time, beginning with the default, until no change helps; then begins again at random
    /// candidates. It measures few candidates of a large space, but finds only values that are best one by one.
    CoordinateDescent,
}

/// The number of candidates that successive halving leaves for the last measurements.
const LAST: usize = 4;

/// The number of rounds by which candidates are compared at first.
const COMPARED: u32 = 3;

/// The number of random candidates at which coordinate descent begins again.
const STARTS: usize = 4;

impl Strategy {
    pub(super) fn run<J: Judge>(self, candidates: &[Candidate], arena: &mut Arena<'_, J>) -> Result<(), Halt> {
        let others = arena.others();
        match self {
            Self::Exhaustive => arena.open(&others)?,
            Self::Random(count) => arena.open(&others[..count.min(others.len())])?,
            Self::SuccessiveHalving => halve(&others, arena)?,
            Self::CoordinateDescent => descend(candidates, &others, arena)?,
        }
        arena.finals()
    }
}

fn halve<J: Judge>(others: &[usize], arena: &mut Arena<'_, J>) -> Result<(), Halt> {
    arena.open(others)?;
    let mut rounds = COMPARED - 1;
    while arena.running() > LAST + 1 {
        arena.rounds(rounds)?;
        arena.keep_fastest(arena.running().div_ceil(2).max(LAST));
        rounds *= 2;
    }
    Ok(())
}

fn descend<J: Judge>(candidates: &[Candidate], others: &[usize], arena: &mut Arena<'_, J>) -> Result<(), Halt> {
    arena.open(&[])?;
    let mut bottoms = Vec::new();
    for start in [0].into_iter().chain(others.iter().copied().take(STARTS)) {
        if !arena.may_open() {
            break;
        }
        bottoms.push(descend_from(start, candidates, arena)?);
    }
    arena.run_only(&bottoms);
    Ok(())
}

/// Changes one parameter after the other to its best value, until no change helps; returns the candidate reached.
fn descend_from<J: Judge>(start: usize, candidates: &[Candidate], arena: &mut Arena<'_, J>) -> Result<usize, Halt> {
    let parameters = candidates[0].values().len();
    let mut at = start;
    let mut unchanged = 0;
    // Candidates of about the same time could alternate for ever.
    for parameter in (0..parameters).cycle().take(parameters * 32) {
        if unchanged == parameters || !arena.may_open() {
            break;
        }
        let best = best_along(parameter, at, candidates, arena)?;
        unchanged = if best == at { unchanged + 1 } else { 0 };
        at = best;
    }
    Ok(at)
}

/// The best of the candidates that differ from `at` in one parameter only. Candidates that were compared with others
/// before keep their measurements and get new ones beside their new rivals.
fn best_along<J: Judge>(
    parameter: usize,
    at: usize,
    candidates: &[Candidate],
    arena: &mut Arena<'_, J>,
) -> Result<usize, Halt> {
    let differs_only_there = |other: &Candidate| {
        let mut pairs = candidates[at].values().iter().zip(other.values()).enumerate();
        pairs.all(|(place, (ours, theirs))| ours == theirs || place == parameter)
    };
    let line: Vec<usize> = (0..candidates.len()).filter(|other| differs_only_there(&candidates[*other])).collect();
    arena.open(&line)?;
    let opened: Vec<usize> = line.into_iter().filter(|other| arena.quartile(*other).is_some()).collect();
    arena.run_only(&opened);
    arena.rounds(COMPARED)?;
    let timed = opened.iter().filter_map(|other| Some((arena.quartile(*other)?, *other)));
    Ok(timed.min().map_or(at, |(_, other)| other))
}

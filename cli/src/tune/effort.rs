//! The options that all searches have: goal, budget, strategy, seed and plot.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anywarp::tune::{Goal, Strategy};
use clap::{Args, ValueEnum};

use crate::failure::Failure;

/// The effort of a search.
#[derive(Debug, Args)]
pub(super) struct Effort {
    /// The property by which candidates are compared; energy needs a budget of minutes
    #[arg(long, value_enum, default_value = "time")]
    goal: GoalName,

    /// The seconds after which nothing more is measured
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(super) budget: Duration,

    /// How the candidates to measure are chosen
    #[arg(long, value_enum, default_value = "halving")]
    strategy: StrategyName,

    /// The seed of random decisions
    #[arg(long, value_name = "N", default_value = "0")]
    pub(super) seed: u64,

    /// Write a plot of the candidates
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GoalName {
    /// The time of a run
    Time,
    /// The energy of a run
    Energy,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StrategyName {
    /// All candidates
    Exhaustive,
    /// The default and 32 others
    Random,
    /// All a few times, then the faster half more often, and so on
    Halving,
    /// One parameter after the other
    Descent,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| format!("expected a number of seconds from 0, found '{text}': write --budget 2.5"))
}

impl Effort {
    pub(super) fn goal(&self) -> Goal {
        match self.goal {
            GoalName::Time => Goal::Time,
            GoalName::Energy => Goal::Energy,
        }
    }

    pub(super) fn strategy(&self) -> Strategy {
        match self.strategy {
            StrategyName::Exhaustive => Strategy::Exhaustive,
            StrategyName::Random => Strategy::Random(32),
            StrategyName::Halving => Strategy::SuccessiveHalving,
            StrategyName::Descent => Strategy::CoordinateDescent,
        }
    }

    /// Writes the plot, if one is wanted.
    pub(super) fn draw(&self, plot: impl FnOnce() -> String) -> Result<(), Failure> {
        self.svg.as_deref().map_or(Ok(()), |path| write(path, &plot()))
    }
}

fn write(path: &Path, plot: &str) -> Result<(), Failure> {
    std::fs::write(path, plot).map_err(|error| Failure::File(format!("--svg {}: {error}", path.display())))
}

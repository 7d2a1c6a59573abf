//! The executors under which all cases run.

use futures::executor::LocalPool;

use crate::Work;
use anywarp_testing_devices::outcome::{TestResult, fail};

#[derive(Clone, Copy)]
pub(crate) enum Executor {
    Pollster,
    /// The single-threaded pool of `futures`.
    Futures,
    /// Tokio on the current thread.
    Tokio,
    /// Tokio with several threads, between which a task may move.
    TokioThreads,
}

impl Executor {
    pub(crate) const ALL: [Self; 4] = [Self::Pollster, Self::Futures, Self::Tokio, Self::TokioThreads];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pollster => "pollster",
            Self::Futures => "futures",
            Self::Tokio => "tokio",
            Self::TokioThreads => "tokio_threads",
        }
    }

    pub(crate) fn run(self, work: Work) -> TestResult {
        match self {
            Self::Pollster => pollster::block_on(work),
            Self::Futures => LocalPool::new().run_until(work),
            Self::Tokio => tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(work),
            Self::TokioThreads => threads()?.block_on(async {
                // The work is spawned, so that it runs as a task of the pool instead of on the blocking thread.
                tokio::spawn(work).await.unwrap_or_else(|error| fail(format!("the task ended: {error}")))
            }),
        }
    }
}

/// A runtime with several threads.
pub(crate) fn threads() -> TestResult<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build()?)
}

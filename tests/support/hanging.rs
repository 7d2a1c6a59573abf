//! Tests of code that might hang.

use std::sync::mpsc;
use std::time::Duration;

/// Runs `test` on a thread of its own, so that a hang of this long is a failure.
pub(crate) fn within(patience: Duration, test: impl FnOnce() + Send + 'static) {
    let (sender, ended) = mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        let _ended = sender;
        test();
    });
    if ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
        panic!("nothing has happened for {patience:?}");
    }
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

//! A time limit for code that might hang.

use std::sync::mpsc;
use std::time::Duration;

/// Runs `test` on a separate thread, and fails if the test takes longer than `patience`.
pub fn within(patience: Duration, test: impl FnOnce() + Send + 'static) {
    let (sender, ended) = mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        let _ended = sender;
        test();
    });
    if ended.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
        panic!("the test did not end within {patience:?}");
    }
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

//! A ticket's wake-up in every order in which threads can run, tested by the model checker `loom`.

#[path = "../src/waker/task.rs"]
mod task;

/// The types of `loom` that replace those of `std::sync`.
mod sync {
    pub(super) use std::sync::PoisonError;

    pub(super) use loom::sync::{Mutex, MutexGuard};
}

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use task::Task;

/// Work in flight, with the wakers that are called at its end: a minimal completion.
#[derive(Default)]
struct Work(Mutex<(bool, Vec<Waker>)>);

impl Work {
    fn is_done(&self) -> bool {
        self.0.lock().unwrap().0
    }

    fn wake(&self, waker: Waker) {
        let mut state = self.0.lock().unwrap();
        if state.0 {
            drop(state);
            waker.wake();
        } else {
            state.1.push(waker);
        }
    }

    fn end(&self) {
        let mut state = self.0.lock().unwrap();
        state.0 = true;
        let wakers = std::mem::take(&mut state.1);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A waker that records whether its task is to be polled again.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn woken() -> Arc<Woken> {
    Arc::new(Woken(AtomicBool::new(false)))
}

/// Performs the steps of `Ticket::poll`; returns whether the work has ended.
fn poll(work: &Work, task: &Arc<Task>, waker: &Waker) -> bool {
    if work.is_done() {
        return true;
    }
    if task.set(waker) {
        work.wake(Waker::from(Arc::clone(task)));
    }
    work.is_done()
}

#[test]
fn no_wake_up_is_lost() {
    loom::model(|| {
        let (work, task, woken) = (Arc::new(Work::default()), Arc::<Task>::default(), woken());
        let ending = Arc::clone(&work);
        let device = thread::spawn(move || ending.end());
        let ready = poll(&work, &task, &Waker::from(Arc::clone(&woken)));
        device.join().unwrap();
        assert!(ready || woken.0.load(Ordering::SeqCst), "pending, and never woken");
    });
}

#[test]
fn the_task_that_polled_last_is_woken() {
    loom::model(|| {
        let (work, task, first, last) = (Arc::new(Work::default()), Arc::<Task>::default(), woken(), woken());
        let ending = Arc::clone(&work);
        let device = thread::spawn(move || ending.end());
        let before = poll(&work, &task, &Waker::from(Arc::clone(&first)));
        let ready = poll(&work, &task, &Waker::from(Arc::clone(&last)));
        device.join().unwrap();
        assert!(!before || ready, "ready once, pending after");
        assert!(ready || last.0.load(Ordering::SeqCst), "pending, and the last task is not woken");
    });
}

#[test]
fn a_task_that_is_released_meanwhile_does_no_harm() {
    loom::model(|| {
        let (work, task, woken) = (Arc::new(Work::default()), Arc::<Task>::default(), woken());
        let ending = Arc::clone(&work);
        let device = thread::spawn(move || ending.end());
        poll(&work, &task, &Waker::from(Arc::clone(&woken)));
        task.clear();
        device.join().unwrap();
        assert!(work.is_done());
        // No handle of the executor's task remains, except this one.
        assert_eq!(Arc::strong_count(&woken), 1);
    });
}

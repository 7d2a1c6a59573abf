//! The pool's synchronisation in every order in which threads can run, tested by the model checker `loom`.

#[path = "../src/threads/door.rs"]
mod door;
#[path = "../src/threads/ranges.rs"]
mod ranges;

/// The types of `loom` that replace those of `std::sync`.
mod sync {
    pub(super) use std::sync::PoisonError;

    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard, atomic};
}

use door::Door;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use ranges::Ranges;

/// Work whose results are written without a lock, while the thread is inside the door. `loom` reports unordered
/// accesses.
struct Work {
    door: Door,
    ranges: Ranges,
    done: [UnsafeCell<u32>; 2],
    ended: UnsafeCell<bool>,
}

impl Work {
    fn new() -> Self {
        Self {
            door: Door::new(),
            ranges: Ranges::new(0..2, 2),
            done: [UnsafeCell::new(0), UnsafeCell::new(0)],
            ended: UnsafeCell::new(false),
        }
    }

    fn run(&self) {
        while let Some(range) = self.ranges.take(1, 2) {
            // SAFETY: the owner writes only when the door is closed; `loom` checks this.
            self.ended.with(|ended| assert!(!unsafe { *ended }, "a range after the end"));
            for unit in range {
                // SAFETY: each unit is taken once; `loom` checks this, too.
                self.done[unit as usize].with_mut(|count| unsafe { *count += 1 });
            }
        }
    }
}

#[test]
fn work_is_done_once_and_ends_before_its_owner_goes_on() {
    loom::model(shared_with::<1>);
}

/// The model also holds with three threads. They have too many orders to check all: only the orders with at most two
/// preemptions are checked.
#[test]
fn the_same_with_two_helpers() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(shared_with::<2>);
}

/// A model in which the owner and `HELPERS` helpers do the work together.
fn shared_with<const HELPERS: usize>() {
    let work = Arc::new(Work::new());
    let helpers = [(); HELPERS].map(|()| {
        let work = Arc::clone(&work);
        thread::spawn(move || {
            if work.door.enter() {
                work.run();
                work.door.leave();
            }
        })
    });
    work.run();
    work.door.close();
    // SAFETY: no thread is inside the closed door.
    work.ended.with_mut(|ended| unsafe { *ended = true });
    for count in &work.done {
        // SAFETY: as above.
        assert_eq!(count.with(|count| unsafe { *count }), 1, "times that a unit was done");
    }
    for helper in helpers {
        helper.join().unwrap();
    }
}

#[test]
fn a_failure_ends_the_work() {
    loom::model(|| {
        let work = Arc::new(Work::new());
        let helper = {
            let work = Arc::clone(&work);
            thread::spawn(move || {
                if work.door.enter() {
                    work.ranges.halt();
                    work.door.leave();
                }
            })
        };
        work.run();
        work.door.close();
        helper.join().unwrap();
        // Each unit was done once or not at all.
        for count in &work.done {
            // SAFETY: the helper has ended.
            assert!(count.with(|count| unsafe { *count }) <= 1);
        }
    });
}

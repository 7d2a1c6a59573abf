//! Panics that become errors, and so print nothing.
//!
//! The hook that prints a panic is one of the whole process. It is wrapped once: the wrapper passes on what it is called
//! with, unless the thread that panics has said that it catches it. So threads do not disturb each other, and nothing is
//! put back that another part of the program has set since. A hook that is set later replaces the wrapper; such panics
//! are then printed, and caught all the same.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many times this thread is within [`caught`].
    static WITHIN: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic of it was.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static WRAPPED: Once = Once::new();

/// The result of `work`, or what it said when it panicked, and where. The panic prints nothing.
///
/// # Errors
/// The panic's message and its place in the source.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // A panic that ends the process must be seen; and within a panic, hooks cannot be set.
    if cfg!(panic = "unwind") && !std::thread::panicking() {
        WRAPPED.call_once(wrap);
    }
    WITHIN.set(WITHIN.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    WITHIN.set(WITHIN.get() - 1);
    done.map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        let place = PLACE.take().map_or_else(String::new, |place| format!(", at {place}"));
        format!("{said}{place}")
    })
}

fn wrap() {
    let before = take_hook();
    set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
        // While a thread ends it has no variables any more, and catches nothing.
        if WITHIN.try_with(Cell::get).is_ok_and(|within| within > 0) {
            PLACE.set(panic.location().map(ToString::to_string));
        } else {
            before(panic);
        }
    }));
}

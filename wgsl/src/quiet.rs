//! Panics that become errors, without output.
//!
//! The panic hook is global to the process. It is wrapped once: the wrapper calls the previous hook, unless the
//! panicking thread is within [`caught`]. Threads therefore do not affect each other, and no hook of another part of
//! the program is removed. A hook that is set later replaces the wrapper; panics within [`caught`] are then printed,
//! but still caught.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// The number of calls of [`caught`] that are active on this thread.
    static WITHIN: Cell<u32> = const { Cell::new(0) };
    /// The source location of the last panic on this thread within [`caught`].
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static WRAPPED: Once = Once::new();

/// Calls `work` and turns a panic in it into an error, without output.
///
/// # Errors
/// The panic's message and its location in the source.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // The previous hook stays if panics abort the process, because such a panic must be printed. Hooks cannot be set
    // during a panic.
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
        // A thread that is ending may have no thread-local variables; such a thread is not within `caught`.
        if WITHIN.try_with(Cell::get).is_ok_and(|within| within > 0) {
            PLACE.set(panic.location().map(ToString::to_string));
        } else {
            before(panic);
        }
    }));
}

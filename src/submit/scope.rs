//! Named parts of a program's time.

use std::fmt;
use std::sync::Arc;

use super::context::Context;
use super::events::Event;
use super::moment::{Stopwatch, this_thread};

/// A named part of a program's time, from [`insight::scope`](crate::insight::scope) until this value is dropped.
///
/// It costs one relaxed load while nothing observes the device.
#[must_use = "the scope ends when this value is dropped; bind it to a name"]
pub struct Scope(Option<Open>);

/// A scope that began while the device was observed.
struct Open {
    context: Arc<Context>,
    name: Arc<str>,
    watch: Stopwatch,
    thread: u32,
}

impl Context {
    /// Begins a scope on this thread.
    pub(crate) fn scope(self: &Arc<Self>, name: &str) -> Scope {
        self.scope_of(|| name)
    }

    /// Begins a scope whose name is made only while the device is observed.
    pub(crate) fn scope_of<N: Into<Arc<str>>>(self: &Arc<Self>, name: impl FnOnce() -> N) -> Scope {
        let open = || Open {
            context: Arc::clone(self),
            name: name().into(),
            watch: Stopwatch::start(),
            thread: this_thread(),
        };
        Scope(self.events.is_observed().then(open))
    }
}

impl Scope {
    /// Ends the scope without a trace.
    pub(crate) fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        let Some(Open { context, name, watch, thread }) = self.0.take() else { return };
        context.events.emit_of(thread, || Event::Scope { name, took: watch.elapsed() });
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(&self.0.as_ref().map(|open| &*open.name)).finish()
    }
}

//! The host's clock, which in a browser is not the operating system's.

use std::time::Duration;

/// A point in time, by the host's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    #[cfg(not(target_arch = "wasm32"))]
    at: std::time::Instant,
    /// The time in milliseconds that `milliseconds` returned.
    #[cfg(target_arch = "wasm32")]
    at: f64,
}

#[cfg(not(target_arch = "wasm32"))]
impl Moment {
    pub(crate) fn now() -> Self {
        Self { at: std::time::Instant::now() }
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.at.elapsed()
    }
}

#[cfg(target_arch = "wasm32")]
impl Moment {
    pub(crate) fn now() -> Self {
        Self { at: milliseconds() }
    }

    pub(crate) fn elapsed(self) -> Duration {
        Duration::try_from_secs_f64((milliseconds() - self.at) / 1000.0).unwrap_or_default()
    }
}

/// The time in milliseconds by `performance.now()`, which pages and workers have; otherwise the time of day, which is
/// coarser and may jump.
#[cfg(target_arch = "wasm32")]
fn milliseconds() -> f64 {
    use js_sys::wasm_bindgen::JsCast;
    let precise = || {
        let performance = js_sys::Reflect::get(&js_sys::global(), &"performance".into()).ok()?;
        let now = js_sys::Reflect::get(&performance, &"now".into()).ok()?;
        now.dyn_into::<js_sys::Function>().ok()?.call0(&performance).ok()?.as_f64()
    };
    precise().unwrap_or_else(js_sys::Date::now)
}

//! The energy that a device has used, as its driver or the system counts it.

#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod nvml;

/// A counter of the energy of one device.
#[derive(Debug)]
pub struct Meter(#[cfg(not(target_arch = "wasm32"))] Source);

#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
enum Source {
    Files(files::Counters),
    Nvidia(nvml::Card),
}

#[cfg(not(target_arch = "wasm32"))]
impl Meter {
    /// The meter of the device at a place of the PCI bus, such as `0000:01:00.0`: NVIDIA's management library for its
    /// cards, otherwise the system's counter (`energy1_input` of Linux's hwmon, which Intel's drivers have). `None` where
    /// neither counts its energy.
    ///
    /// ```
    /// assert!(anywarp_host::energy::Meter::of_card("no such place").is_none());
    /// ```
    #[must_use]
    pub fn of_card(place: &str) -> Option<Self> {
        if place.is_empty() {
            return None;
        }
        let of_system = || files::Counters::of_card(place).map(Source::Files);
        let meter = Self(nvml::Card::at(place).map(Source::Nvidia).or_else(of_system)?);
        meter.joules().map(|_| meter)
    }

    /// The meter of all processors of the machine: Linux's powercap, which only some users may read.
    #[must_use]
    pub fn of_processors() -> Option<Self> {
        let meter = Self(Source::Files(files::Counters::of_processors()?));
        meter.joules().map(|_| meter)
    }

    /// The energy in joules since an arbitrary time; `None` if the counter can no longer be read. Counters advance in
    /// steps, some ten times in a second.
    #[must_use]
    pub fn joules(&self) -> Option<f64> {
        match &self.0 {
            Source::Files(counters) => counters.joules(),
            Source::Nvidia(card) => card.joules(),
        }
    }
}

#[cfg(target_arch = "wasm32")]
impl Meter {
    /// No meter: a browser tells the energy of no device.
    #[must_use]
    pub fn of_card(_: &str) -> Option<Self> {
        None
    }

    /// No meter.
    #[must_use]
    pub fn of_processors() -> Option<Self> {
        None
    }

    /// The energy in joules.
    #[must_use]
    pub fn joules(&self) -> Option<f64> {
        None
    }
}

//! Rings on timelines: the work of resident kernels, which have no commands of their own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::Profile;
use crate::submit::Event;

/// The activity of one [ring](crate::Device::ring) on a timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct RingRow {
    /// The name: `ring:` and the function of the actor.
    pub label: Arc<str>,
    /// The number of times in which the ring had messages.
    pub count: usize,
    /// The sum of these times.
    pub total: Duration,
    /// The number of messages that were handled in them.
    pub messages: u64,
    /// The share of the whole timeline in which an actor had messages, from 0 to 1: the mean over all actors.
    pub busy: f64,
    /// The steps of the ring's life, with their times: `started`, `paused`, `actor 3 was restarted`, `ended`.
    pub steps: Vec<(Duration, Arc<str>)>,
}

impl Profile {
    /// The rings that had messages or changed their state, by name.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::{Device, insight};
    ///
    /// let device = Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn double(state: ptr<function, u32>, x: f32, lane: u32) -> f32 { return 2.0 * x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// let (result, profile) = insight::profile(&device, || -> anywarp::Result<()> {
    ///     for x in 0..10 {
    ///         let _: f32 = ring.actor(0).ask(&(x as f32))?.wait()?;
    ///     }
    ///     Ok(())
    /// })?;
    /// result?;
    /// let rows = profile.rings();
    /// assert_eq!((&*rows[0].label, rows[0].messages), ("ring:double", 10));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn rings(&self) -> Vec<RingRow> {
        let mut rows: BTreeMap<&str, RingRow> = BTreeMap::new();
        for observed in &self.events {
            let (Event::Activity { name, .. } | Event::Step { name, .. }) = &observed.event else { continue };
            let row = rows.entry(name).or_insert_with(|| RingRow {
                label: Arc::clone(name),
                count: 0,
                total: Duration::ZERO,
                messages: 0,
                busy: 0.0,
                steps: Vec::new(),
            });
            match &observed.event {
                Event::Activity { took, messages, busy, parts, .. } => {
                    row.count += 1;
                    row.total += *took;
                    row.messages += messages;
                    row.busy += busy.as_secs_f64() / f64::from((*parts).max(1));
                }
                Event::Step { step, .. } => row.steps.push((observed.at, Arc::clone(step))),
                _ => {}
            }
        }
        let whole = self.duration().as_secs_f64().max(f64::MIN_POSITIVE);
        let mut rows: Vec<RingRow> = rows.into_values().collect();
        rows.iter_mut().for_each(|row| row.busy = (row.busy / whole).min(1.0));
        rows
    }

    /// The rows as text, a line each.
    pub(super) fn ring_lines(&self) -> String {
        let mut text = String::new();
        for RingRow { label, count, total, messages, busy, steps } in self.rings() {
            // Writing to a string succeeds.
            let _ = write!(
                text,
                "{label}: {messages} messages in {count} times, {:.3} ms in all; an actor had messages {:.1}% of the time",
                total.as_secs_f64() * 1e3,
                busy * 100.0
            );
            let steps: Vec<&str> = steps.iter().map(|(_, step)| &**step).collect();
            let more = if steps.is_empty() { String::new() } else { format!("; {}", steps.join(", ")) };
            let _ = writeln!(text, "{more}");
        }
        text
    }
}

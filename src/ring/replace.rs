//! Replacement of the actors' code while the ring runs.
//!
//! The new kernel is compiled beside the running one. Then that one stops between two messages, as for a pause, and the
//! new one starts over the same memory: slots, numbers and states lie there, so no message is lost or handled twice.

use std::panic::Location;
use std::time::Duration;

use anywarp_backend::{Layout, Shape};

use super::core::{Core, Stage};
use super::error::RingError;
use super::generate::{ENTRY, generate};
use super::handle::{Ring, STOP};
use super::life::blocks;
use super::source::{self, ActorText, KindText, PublishText};
use super::waits::Waits;
use crate::kernel::{Kernel, Wgsl};

impl Ring {
    /// Replaces the code of the actors while they live: their states stay, no message is lost or handled twice, and
    /// senders notice nothing but a pause. Messages that this thread sends afterwards are handled by the new code; those
    /// that wait meanwhile by either, in their order.
    ///
    /// The text has the same kinds of actors, with the same types of states, messages and replies, whose structs may have
    /// other names but not other fields. It sends, publishes and emits if the text of before does, and with the same
    /// types. Functions and constants are free. To replace the code of one kind only, leave the other functions as they
    /// are.
    ///
    /// The kernel is compiled first, while actors handle messages. Then all actors of the ring stop between two messages,
    /// for as long as a [`pause`](Self::pause) and a [`resume`](Self::resume) take. In a paused ring, the new code waits
    /// for the end of the pause.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn price(sold: ptr<function, u32>, pieces: u32, lane: u32) -> u32 {
    ///         *sold += pieces;
    ///         return pieces * 10u;
    ///     }",
    /// )?;
    /// let ring = ring.actors(2).start()?;
    /// assert_eq!(ring.actor(0).ask::<u32, u32>(&3)?.wait()?, 30);
    /// ring.replace(
    ///     "// anywarp:actor
    ///     fn price(sold: ptr<function, u32>, pieces: u32, lane: u32) -> u32 {
    ///         *sold += pieces;
    ///         return pieces * select(10u, 8u, *sold > 5u); // a discount
    ///     }",
    /// )?;
    /// assert_eq!(ring.actor(0).ask::<u32, u32>(&3)?.wait()?, 24);
    /// assert_eq!(ring.state::<u32>(0)?, 6);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// The ring goes on with the code of before after [`RingError::Actor`] and [`RingError::Kernel`], if the text is not
    /// valid, after [`RingError::Replacement`], which names what differs, after [`RingError::Lanes`], and after
    /// [`RingError::Launch`], if the device refuses the new kernel. [`RingError::TimedOut`] if an actor does not come to
    /// the end of a message within 10 seconds: then the ring is paused, with the code of before, and this method or
    /// [`resume`](Self::resume) waits for the actor again. [`RingError::Ended`] if the ring does not run.
    #[track_caller]
    pub fn replace<'a>(&self, wgsl: impl Into<Wgsl<'a>>) -> Result<(), RingError> {
        let wgsl = wgsl.into().handed_in_at(Location::caller());
        self.replace_within(wgsl, STOP)
    }

    /// [`replace`](Self::replace) with another time.
    pub(super) fn replace_within(&self, wgsl: Wgsl<'_>, timeout: Duration) -> Result<(), RingError> {
        blocks("Ring::replace", "Ring::replace_async", self.replaces(Waits::Blocks, wgsl, timeout))
    }

    /// [`replace`](Self::replace) without blocking. The kernel is compiled before the first wait. If the future is
    /// dropped before its end, the ring has the code of before, and may be paused: see [`resume_async`].
    ///
    /// # Errors
    /// As [`replace`](Self::replace).
    ///
    /// [`resume_async`]: Self::resume_async
    #[track_caller]
    pub fn replace_async<'a>(&self, wgsl: impl Into<Wgsl<'a>>) -> impl Future<Output = Result<(), RingError>> {
        let wgsl = wgsl.into().handed_in_at(Location::caller());
        self.replaces(Waits::Yields, wgsl, STOP)
    }

    async fn replaces(&self, waits: Waits, wgsl: Wgsl<'_>, timeout: Duration) -> Result<(), RingError> {
        let text = source::read(&wgsl.with_location().unwrap_or(wgsl))?;
        if let Some(Difference { part, before, after }) = difference(&self.core.actor, &text) {
            return Err(RingError::Replacement { part, before, after });
        }
        let kernel = self.core.compiles(&text)?;
        self.core.changes(self.exchanges(waits, &kernel, timeout)).await
    }

    /// Stops the kernel, and starts the new one. The caller holds the lock of the ring's life.
    async fn exchanges(&self, waits: Waits, new: &Kernel, timeout: Duration) -> Result<(), RingError> {
        let core = &self.core;
        let paused = match core.stage() {
            Stage::Running => false,
            Stage::Paused => true,
            _ => return Err(core.ended()),
        };
        let stops = Stops(Some(core));
        let stopped = core.comes_to_halt(waits, "stop for new code", timeout).await;
        stops.ends();
        match stopped {
            Ok(()) => {}
            Err(error @ RingError::TimedOut { .. }) => {
                // The flag that stops the kernel is set, so the ring is in a pause that has timed out.
                if core.advance(Stage::Running, Stage::Paused) {
                    core.paused(true);
                }
                return Err(error);
            }
            Err(error) => return Err(error),
        }
        let old = core.engine.exchanges(new.clone());
        // A kernel whose lease is over starts with the next message.
        if !paused && !core.is_away() {
            if let Err(error) = core.engine.start() {
                core.engine.exchanges(old);
                return Err(match core.engine.start() {
                    Ok(()) => super::handle::not_started(error),
                    Err(error) => core.fails(error),
                });
            }
            core.stays();
            core.engine.ring(core);
            core.wake_driver();
        }
        core.step(|| "its code was replaced".to_owned());
        Ok(())
    }
}

/// A stop of the kernel, which becomes a pause of the ring if its future is dropped: the flag that stops the kernel is
/// set then.
struct Stops<'a>(Option<&'a Core>);

impl Stops<'_> {
    fn ends(mut self) {
        self.0 = None;
    }
}

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        if let Some(core) = self.0
            && core.advance(Stage::Running, Stage::Paused)
        {
            core.paused(true);
        }
    }
}

impl Core {
    /// The kernel of a text whose types are those of the ring.
    fn compiles(&self, text: &ActorText) -> Result<Kernel, RingError> {
        let mut before = 0;
        let actors: Vec<u32> = self.ends.iter().map(|end| end - std::mem::replace(&mut before, *end)).collect();
        let shape = self.group.shape(text, self.context.caps(), self.restart.is_some())?;
        let source = generate(text, &actors, shape);
        Ok(Kernel::new(&self.context, &Wgsl::prepared(source).entry(ENTRY))?)
    }
}

/// A part that differs between two texts.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    part: String,
    before: String,
    after: String,
}

fn differs(part: &str, before: impl Into<String>, after: impl Into<String>) -> Option<Difference> {
    let (before, after) = (before.into(), after.into());
    (before != after).then(|| Difference { part: part.to_owned(), before, after })
}

/// The first difference between two texts that the memory of a ring, or its host, would notice.
fn difference(before: &ActorText, after: &ActorText) -> Option<Difference> {
    let names = differs("kinds of actors", before.names(), after.names());
    let kinds = before.kinds.iter().zip(&after.kinds);
    let sends = |text: &ActorText| if text.speaks() { "some" } else { "none" };
    let topics = |text: &ActorText| {
        let topic = |publish: &PublishText| format!("'{}' to '{}'", publish.topic, text.kinds[publish.kind].function);
        let topics: Vec<String> = text.publishes.iter().map(topic).collect();
        if topics.is_empty() { "none".to_owned() } else { topics.join(", ") }
    };
    let emitted = |text: &ActorText| text.emit.as_ref().map(|emit| emit.message.clone());
    names
        .or_else(|| kinds.fold(None, |found, (before, after)| found.or_else(|| of_kinds(before, after))))
        .or_else(|| differs("messages between actors", sends(before), sends(after)))
        .or_else(|| differs("topics to which actors publish", topics(before), topics(after)))
        .or_else(|| of_results("emitted message", emitted(before).as_ref(), emitted(after).as_ref()))
}

fn of_kinds(before: &KindText, after: &KindText) -> Option<Difference> {
    let part = |what: &str| format!("{what} of '{}'", before.function);
    of_types(&part("state"), &before.state, &after.state)
        .or_else(|| of_types(&part("message"), &before.message, &after.message))
        .or_else(|| of_results(&part("reply"), before.reply.as_ref(), after.reply.as_ref()))
}

fn of_results(part: &str, before: Option<&Layout>, after: Option<&Layout>) -> Option<Difference> {
    let name = |layout: Option<&Layout>| layout.map_or_else(|| "nothing".to_owned(), |layout| layout.name.clone());
    match (before, after) {
        (Some(before), Some(after)) => of_types(part, before, after),
        (None, None) => None,
        _ => differs(part, name(before), name(after)),
    }
}

/// The first difference of two types, apart from the names of structs.
fn of_types(part: &str, before: &Layout, after: &Layout) -> Option<Difference> {
    match (&before.shape, &after.shape) {
        (Shape::Struct { fields: old }, Shape::Struct { fields: new }) => {
            let names = |fields: &[anywarp_backend::Field]| {
                let names: Vec<String> =
                    fields.iter().map(|field| format!("{} at byte {}", field.name, field.offset)).collect();
                format!("with the fields {}", names.join(", "))
            };
            let fields = old.iter().zip(new).fold(None, |found: Option<Difference>, (old, new)| {
                found.or_else(|| of_types(&format!("{part}, field '{}'", old.name), &old.layout, &new.layout))
            });
            differs(part, names(old), names(new)).or(fields)
        }
        (
            Shape::Array { element: old, count, stride },
            Shape::Array { element: new, count: new_count, stride: new_stride },
        ) if count == new_count && stride == new_stride => of_types(&format!("{part}, elements"), old, new),
        (old, new) if old == new && before.size == after.size => None,
        _ => {
            let named = |layout: &Layout| format!("{} ({} bytes)", layout.name, layout.size);
            differs(part, named(before), named(after))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The difference of two texts, as `part: before / after`.
    fn between(before: &str, after: &str) -> Option<String> {
        let read = |text: &str| source::read(&Wgsl::from(text).file("replace.wgsl")).unwrap();
        difference(&read(before), &read(after))
            .map(|Difference { part, before, after }| format!("{part}: {before} / {after}"))
    }

    #[test]
    fn a_difference_is_named() {
        let actor = |types: &str, state: &str, message: &str, reply: &str| {
            format!(
                "{types}
                // anywarp:actor
                fn f(s: ptr<function, {state}>, m: {message}, lane: u32) -> {reply} {{ var r: {reply}; return r; }}"
            )
        };
        let simple = actor("", "u32", "f32", "u32");
        let silent = "// anywarp:actor\nfn f(s: ptr<function, u32>, m: f32, lane: u32) {}";
        let mail = "// anywarp:send\nfn to(to: u32, m: f32) -> bool { return false; }\n";
        let topic = "// anywarp:publish prices\nfn publish(m: f32) -> u32 { return 0u; }\n";
        let emit = "// anywarp:emit\nfn tell(m: vec2<f32>) -> bool { return false; }\n";
        let with = |part: &str| format!("{part}{simple}");
        let state = |name: &str, fields: &str| actor(&format!("struct {name} {{ {fields} }}"), name, "f32", "u32");
        let (old, array) = (state("S", "n: u32, mean: f32"), actor("", "array<vec2<f32>, 3>", "f32", "u32"));
        let cases: &[(&str, &str, Option<&str>)] = &[
            (&simple, &simple, None),
            (&old, &state("Other", "n: u32, mean: f32"), None),
            (&array, &array, None),
            (&with(emit), &with(emit), None),
            (&simple, &simple.replace("fn f(", "fn g("), Some("kinds of actors: f / g")),
            (&simple, &actor("", "i32", "f32", "u32"), Some("state of 'f': u32 (4 bytes) / i32 (4 bytes)")),
            (
                &simple,
                &actor("", "u32", "vec2<f32>", "u32"),
                Some("message of 'f': f32 (4 bytes) / vec2<f32> (8 bytes)"),
            ),
            (&simple, silent, Some("reply of 'f': u32 / nothing")),
            (silent, &simple, Some("reply of 'f': nothing / u32")),
            (&old, &state("S", "n: u32, mean: u32"), Some("state of 'f', field 'mean': f32 (4 bytes) / u32 (4 bytes)")),
            (
                &old,
                &state("S", "mean: f32, n: u32"),
                Some(
                    "state of 'f': with the fields n at byte 0, mean at byte 4 / with the fields mean at byte 0, n at byte 4",
                ),
            ),
            (
                &array,
                &array.replace("vec2<f32>, 3", "vec2<u32>, 3"),
                Some("state of 'f', elements: vec2<f32> (8 bytes) / vec2<u32> (8 bytes)"),
            ),
            (&simple, &with(mail), Some("messages between actors: none / some")),
            (&with(topic), &with(mail), Some("topics to which actors publish: 'prices' to 'f' / none")),
            (&with(emit), &simple, Some("emitted message: vec2<f32> / nothing")),
        ];
        for (before, after, expected) in cases {
            assert_eq!(between(before, after).as_deref(), *expected, "{before}\n{after}");
        }
    }
}

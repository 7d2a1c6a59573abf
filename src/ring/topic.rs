//! Topics: messages of the host, or of actors, to all actors that are subscribed to a name.
//!
//! The kernel reads the actors of a topic as bits, which the host replaces one word at a time, under the lock of the
//! topic's members.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::backlog::Priority;
use super::core::{Core, words_of};
use super::error::SendError;
use super::overflow::Overflow;
use super::telemetry::Count;
use crate::element::Element;

/// A name to which actors are subscribed: see [`Ring::topic`](super::Ring::topic). Cloning it copies only a handle; any
/// thread may use it.
#[derive(Clone)]
pub struct Topic {
    pub(super) core: Arc<Core>,
    pub(super) own: Arc<Shared>,
}

/// The state that all handles of a topic share.
#[derive(Default)]
pub(super) struct Shared {
    name: String,
    members: Mutex<BTreeMap<u32, Overflow>>,
    published: Count,
    delivered: Count,
    dropped: Count,
    refused: Count,
}

/// The topics of a ring by their names.
#[derive(Default)]
pub(super) struct Topics(Mutex<BTreeMap<String, Arc<Shared>>>);

/// The counts of a topic: see [`Telemetry::topics`](super::Telemetry::topics).
///
/// Each published message has an end at each subscribed actor: `delivered`, `dropped` or `refused`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopicTelemetry {
    /// The name.
    pub name: String,
    /// The number of actors that are subscribed.
    pub actors: u64,
    /// Messages that were published.
    pub published: u64,
    /// Messages that the inboxes of actors have accepted, one for each actor.
    pub delivered: u64,
    /// Messages that were dropped or refused because the inbox of an actor was full, one for each actor.
    pub dropped: u64,
    /// Messages that an actor could not accept because it has ended ([`Restart::Never`](super::Restart::Never)).
    pub refused: u64,
}

/// The fate of one published message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Published {
    /// The number of actors that have accepted it.
    pub delivered: u32,
    /// The actors that have not, with the reasons.
    pub failed: Vec<(u32, SendError)>,
}

impl Topics {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Shared>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The topic of this name, which is made if it does not exist.
    pub(super) fn named(&self, name: &str) -> Arc<Shared> {
        let mut all = self.all();
        if let Some(own) = all.get(name) {
            return Arc::clone(own);
        }
        let own = Arc::new(Shared { name: name.to_owned(), ..Shared::default() });
        Arc::clone(all.entry(name.to_owned()).or_insert(own))
    }

    /// The counts of all topics, by name.
    pub(super) fn telemetry(&self) -> Vec<TopicTelemetry> {
        let all = self.all();
        let counts = |(name, own): (&String, &Arc<Shared>)| TopicTelemetry {
            name: name.clone(),
            actors: own.members().len() as u64,
            published: own.published.get(),
            delivered: own.delivered.get(),
            dropped: own.dropped.get(),
            refused: own.refused.get(),
        };
        all.iter().map(counts).collect()
    }
}

impl Shared {
    fn members(&self) -> MutexGuard<'_, BTreeMap<u32, Overflow>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Has the kernel know whether an actor is a member of a topic, if actors publish to it.
    fn lists(&self, topic: &Shared, members: &BTreeMap<u32, Overflow>, actor: u32) -> Result<(), SendError> {
        let mut published = self.actor.publishes.iter().enumerate();
        let Some((number, publish)) = published.find(|(_, publish)| publish.topic == topic.name) else { return Ok(()) };
        let kind = &self.actor.kinds[publish.kind].function;
        if self.kind_of(actor) != publish.kind {
            let (topic, kind) = (topic.name.clone(), kind.clone());
            return Err(SendError::OtherKind { actor, topic, kind });
        }
        let first = publish.kind.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (at, _) = self.engine.places().topic_bit(number, actor - first);
        let bits = members.keys().filter(|member| **member >= first);
        let bits = bits.map(|member| self.engine.places().topic_bit(number, member - first));
        let word = bits.filter(|(place, _)| *place == at).fold(0, |word, (_, bit)| word | bit);
        self.engine.set_control(at, word);
        Ok(())
    }
}

impl Topic {
    /// Subscribes an actor, whose inbox receives each message that is published from now on. `overflow` is the reaction
    /// if its inbox is full; a message that an actor publishes never waits, and is not sent to an actor without
    /// room. For an actor that is subscribed already, this replaces the reaction.
    ///
    /// # Errors
    /// [`SendError::NoSuchActor`]; [`SendError::NothingToDrop`] for [`Overflow::DropOldest`] in a ring without a
    /// [backlog](super::RingBuilder::backlog); [`SendError::OtherKind`] if actors publish to the topic, and the actor is
    /// not of the kind that receives their messages.
    pub fn subscribe(&self, actor: u32, overflow: Overflow) -> Result<(), SendError> {
        self.core.post(actor)?;
        if overflow == Overflow::DropOldest && self.core.backlog == 0 {
            return Err(SendError::NothingToDrop { actor });
        }
        let mut members = self.own.members();
        let before = members.insert(actor, overflow);
        if before.is_none()
            && let Err(error) = self.core.lists(&self.own, &members, actor)
        {
            members.remove(&actor);
            return Err(error);
        }
        Ok(())
    }

    /// Ends the subscription of an actor; returns whether there was one. Messages in its inbox stay there.
    pub fn unsubscribe(&self, actor: u32) -> bool {
        let mut members = self.own.members();
        let was = members.remove(&actor).is_some();
        if was && let Err(error) = self.core.lists(&self.own, &members, actor) {
            log::warn!("actor {actor} still receives what actors publish to a topic that it has left: {error}");
        }
        was
    }

    /// The actors that are subscribed, in the order of their numbers.
    #[must_use]
    pub fn actors(&self) -> Vec<u32> {
        self.own.members().keys().copied().collect()
    }

    /// Sends a message to each subscribed actor, in the order of their numbers, without waiting for replies. A full inbox
    /// of one actor does not keep the message from the others; with [`Overflow::Block`], they receive it later.
    ///
    /// # Errors
    /// [`SendError::Layout`] if `M` is not the type of the messages of each actor that is subscribed;
    /// [`SendError::Ended`] if the ring does not run. The errors of single actors are in [`Published::failed`].
    pub fn publish<M: Element>(&self, message: &M) -> Result<Published, SendError> {
        // Without the lock, as a sender may wait.
        let members: Vec<(u32, Overflow)> = self.own.members().iter().map(|(actor, own)| (*actor, *own)).collect();
        match self.core.ends.len() {
            1 => self.core.checks_message_of::<M>(0)?,
            _ => members.iter().try_for_each(|(actor, _)| self.core.checks_message::<M>(*actor))?,
        }
        self.core.accepts()?;
        let payload = words_of(message);
        self.own.published.add();
        let mut published = Published { delivered: 0, failed: Vec::new() };
        for (actor, overflow) in members {
            match self.core.send_by(overflow, actor, &payload, &mut || None, Priority::Normal) {
                Ok(()) => {
                    self.own.delivered.add();
                    published.delivered += 1;
                }
                Err(error) => {
                    let full = matches!(error, SendError::Full { .. } | SendError::Dropped { .. });
                    if full { &self.own.dropped } else { &self.own.refused }.add();
                    published.failed.push((actor, error));
                }
            }
        }
        Ok(published)
    }
}

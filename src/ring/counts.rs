//! The kernel's own counts, which are words of 32 bits that wrap, continued without end on the host.

use std::sync::{Mutex, PoisonError};

use super::core::{Core, View};
use super::emitted;
use super::mail::Mail;

/// A count of the kernel, as the host has followed it.
#[derive(Clone, Copy, Default)]
struct Followed {
    word: u32,
    total: u64,
}

impl Followed {
    /// Adds what the word has grown by; it must not grow by 2^32 between two calls.
    fn follow(&mut self, word: u32) -> u64 {
        self.total += u64::from(word.wrapping_sub(self.word));
        self.word = word;
        self.total
    }
}

/// The kernel's counts of one actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KernelCounts {
    pub(super) sent: u64,
    pub(super) refused: u64,
    pub(super) from_actors: u64,
    pub(super) emitted: u64,
    pub(super) not_emitted: u64,
}

/// The kernel's counts of all actors.
pub(super) struct Follower(Mutex<Vec<[Followed; 5]>>);

impl Follower {
    pub(super) fn new(actors: u32) -> Self {
        Self(Mutex::new(vec![Default::default(); actors as usize]))
    }
}

impl Core {
    /// Reads the kernel's counts. The ring's thread does so now and then, so that no count wraps unseen.
    pub(super) fn kernel_counts(&self) -> Vec<KernelCounts> {
        let (counts, emitted) = (self.engine.counts(), self.engine.emitted());
        if counts.is_empty() && emitted.is_empty() {
            return vec![KernelCounts::default(); self.posts.len()];
        }
        let actors = self.posts.len() as u32;
        // Held during the loads, so that no thread follows an older word than another one did before.
        let mut followed = self.follower.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |(actor, followed): (u32, &mut [Followed; 5])| {
            let Mail { sent, refused, handled } = Mail::of(counts, actor as usize);
            let [given, not_given] = match emitted {
                [] => [0; 2],
                words => emitted::counts(&View(words), actors, actor),
            };
            let [a, b, c, d, e] = followed;
            KernelCounts {
                sent: a.follow(sent),
                refused: b.follow(refused),
                from_actors: c.follow(handled),
                emitted: d.follow(given),
                not_emitted: e.follow(not_given),
            }
        };
        (0..).zip(followed.iter_mut()).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_wrap_are_followed() {
        let mut followed = Followed::default();
        assert_eq!(followed.follow(u32::MAX), u64::from(u32::MAX));
        assert_eq!(followed.follow(u32::MAX), u64::from(u32::MAX));
        assert_eq!(followed.follow(4), (1 << 32) + 4);
    }
}

//! The words of messages from actors to the host, and which of them the host has taken.
//!
//! | words | content |
//! |---|---|
//! | one for each actor | the number of its messages that the host has taken; only the host writes it |
//! | [`LINE`] for each actor | its counts |
//! | one for each [`MARKED`] actors | the number of messages that all of them have emitted |
//! | slots | as many for each actor as its inbox has |
//!
//! The host reads the marks, and only the slots of actors behind a mark whose messages it has not taken all. A mark may
//! become visible before the words of a message. Then the two numbers still differ at the next look, so no message is
//! missed: `tests/ring_models.rs` checks that with relaxed accesses.

use super::slot::{Payload, Slots, Words};

/// The words of an actor behind the counts of the host.
///
/// | word | content |
/// |---|---|
/// | 0 | the number of the next message |
/// | 1 | the messages for which there was no room |
/// | 2 | the slots in use |
/// | 3 | the messages that the host had taken when the kernel looked last |
pub(crate) const LINE: usize = 4;

/// The number of actors that share a mark.
pub(crate) const MARKED: u32 = 64;

/// The words before the slots of all actors.
pub(crate) fn head(actors: u32) -> usize {
    mark(actors, actors.div_ceil(MARKED) as usize).next_multiple_of(8)
}

/// The index of a mark.
fn mark(actors: u32, number: usize) -> usize {
    actors as usize * (1 + LINE) + number
}

/// The counts of one actor: messages that it has emitted, and those for which there was no room. They wrap.
pub(crate) fn counts(words: &impl Words, actors: u32, actor: u32) -> [u32; 2] {
    let line = actors as usize + actor as usize * LINE;
    [words.load(line), words.load(line + 1)]
}

/// The messages that the host has taken.
pub(crate) struct Taken {
    /// For each actor, the number of its messages.
    actors: Vec<u64>,
    /// For each mark, the number of messages of its actors. It wraps, as the mark does.
    marks: Vec<u32>,
}

impl Taken {
    pub(crate) fn new(actors: u32) -> Self {
        Self { actors: vec![0; actors as usize], marks: vec![0; actors.div_ceil(MARKED) as usize] }
    }

    /// The number of messages that were taken, for each actor.
    pub(crate) fn actors(&self) -> &[u64] {
        &self.actors
    }

    /// Takes all messages that have arrived, those of an actor in their order.
    pub(crate) fn take(
        &mut self,
        words: &impl Words,
        slots: impl Fn(u32) -> Slots,
        mut give: impl FnMut(u32, Payload),
    ) {
        let actors = self.actors.len() as u32;
        let blocks = self.actors.chunks_mut(MARKED as usize);
        for (number, (block, seen)) in blocks.zip(&mut self.marks).enumerate() {
            if words.load(mark(actors, number)) == *seen {
                continue;
            }
            for (actor, taken) in (number as u32 * MARKED..).zip(block) {
                let slots = slots(actor);
                let before = *taken;
                while *taken - before < u64::from(slots.count)
                    && let Some(payload) = slots.read(words, *taken as u32)
                {
                    *taken += 1;
                    give(actor, payload);
                }
                if *taken != before {
                    // The kernel uses the slots again.
                    words.store(actor as usize, *taken as u32);
                    *seen = seen.wrapping_add((*taken - before) as u32);
                }
            }
        }
    }

    /// The number of messages that have arrived and that were not taken. No kernel runs.
    pub(crate) fn left(&self, words: &impl Words, slots: impl Fn(u32) -> Slots) -> u64 {
        let of = |(actor, taken): (u32, &u64)| {
            let slots = slots(actor);
            let arrived = |place: &u32| slots.read(words, (*taken as u32).wrapping_add(*place)).is_some();
            (0..slots.count).take_while(arrived).count() as u64
        };
        (0..).zip(&self.actors).map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::super::slot::Header;
    use super::*;

    /// Words that count how often they are read.
    struct Counted {
        words: RefCell<Vec<u32>>,
        loads: Cell<usize>,
    }

    impl Words for Counted {
        fn load(&self, at: usize) -> u32 {
            self.loads.set(self.loads.get() + 1);
            self.words.borrow()[at]
        }

        fn store(&self, at: usize, word: u32) {
            self.words.borrow_mut()[at] = word;
        }
    }

    #[test]
    fn a_look_reads_a_word_for_each_64_actors() {
        const ACTORS: u32 = 1000;
        let slots = |actor: u32| {
            let slots = Slots { first: 0, count: 2, payload: 1 };
            Slots { first: head(ACTORS) + actor as usize * slots.words(), ..slots }
        };
        let words = Counted { words: RefCell::new(vec![0; slots(ACTORS).first]), loads: Cell::new(0) };
        let mut taken = Taken::new(ACTORS);
        let look = |taken: &mut Taken| {
            let mut given = Vec::new();
            words.loads.set(0);
            taken.take(&words, slots, |actor, payload| given.push((actor, payload[0])));
            (given, words.loads.get())
        };
        assert_eq!(look(&mut taken), (Vec::new(), 16));
        let emit = |actor: u32, number: u32, message: u32| {
            slots(actor).write(&words, number, Header::CALL, &[message]);
            let mark = mark(ACTORS, (actor / MARKED) as usize);
            words.store(mark, words.load(mark) + 1);
        };
        for number in 0..5 {
            emit(999, number, 7 + number);
            emit(64, number, 1 << 31 | number);
            assert_eq!(taken.left(&words, slots), 2);
            let (given, loads) = look(&mut taken);
            assert_eq!(given, [(64, 1 << 31 | number), (999, 7 + number)]);
            // The marks, the actors behind two of them, and the words of two messages.
            assert!(loads < 16 + 64 + 40 + 8, "{loads}");
            assert_eq!(look(&mut taken), (Vec::new(), 16));
        }
        assert_eq!((taken.actors()[999], taken.actors()[64], taken.actors()[0]), (5, 5, 0));
        assert_eq!((words.load(999), taken.left(&words, slots)), (5, 0));
    }
}

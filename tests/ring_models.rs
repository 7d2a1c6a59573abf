//! The protocol of rings in every order that host and kernel can run in, by the model checker `loom`: with relaxed
//! accesses to single words, as WGSL has them, and no other synchronisation.

#[allow(dead_code)] // what the host uses besides
#[path = "../src/ring/slot.rs"]
mod slot;

#[allow(dead_code)]
#[path = "../src/ring/emitted.rs"]
mod emitted;

use emitted::Taken;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use loom::thread;
use slot::{Header, Mailbox, Slots, Words};

/// Words of both directions, as `loom` models them.
struct Memory(Vec<AtomicU32>);

impl Words for Memory {
    fn load(&self, at: usize) -> u32 {
        self.0[at].load(Ordering::Relaxed)
    }

    fn store(&self, at: usize, word: u32) {
        self.0[at].store(word, Ordering::Relaxed);
    }
}

/// A memory with the slots of one actor in both directions.
fn memory(count: u32, payload: usize) -> (Arc<Memory>, Slots, Slots) {
    let inbox = Slots { first: 0, count, payload };
    let outbox = Slots { first: inbox.stride() * count as usize, count, payload };
    let words = outbox.first + outbox.stride() * count as usize;
    (Arc::new(Memory((0..words).map(|_| AtomicU32::new(0)).collect())), inbox, outbox)
}

/// The kernel's side: answers `count` messages with their complement.
fn kernel(words: &Memory, inbox: Slots, outbox: Slots, first: u32, count: u32) {
    for number in (0..count).map(|number| first.wrapping_add(number)) {
        let message = loop {
            match inbox.read(words, number) {
                Some(message) => break message,
                None => thread::yield_now(),
            }
        };
        let reply: Vec<u32> = message[..outbox.payload].iter().map(|word| !word).collect();
        outbox.write(words, number, Header::CALL, &reply);
    }
}

fn exchange(slots: u32, payload: usize, messages: u32, first: u32) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let (words, inbox, outbox) = memory(slots, payload);
        let other = Arc::clone(&words);
        let kernel = thread::spawn(move || kernel(&other, inbox, outbox, first, messages));
        let mut mailbox = Mailbox::new(inbox, outbox, first);
        let (mut sent, mut taken) = (0, 0);
        while taken < messages {
            let message = |number: u32| [(number << 31) | (number + 5); 2];
            while sent < messages && mailbox.send(&*words, Header::CALL, &message(sent)[..payload]) {
                sent += 1;
            }
            match mailbox.take(&*words) {
                Some(reply) => {
                    let expected = message(taken).map(|word| !word);
                    assert_eq!(reply[..payload], expected[..payload], "reply {taken}");
                    taken += 1;
                }
                None => thread::yield_now(),
            }
        }
        assert_eq!(mailbox.under_way(), 0);
        kernel.join().unwrap();
    });
}

#[test]
fn one_slot_is_used_again_and_again() {
    exchange(1, 1, 3, 0);
}

#[test]
fn two_slots_over_two_laps() {
    exchange(2, 1, 3, 0);
}

#[test]
fn two_words_of_payload() {
    exchange(1, 2, 2, 0);
}

#[test]
fn numbers_wrap() {
    exchange(1, 1, 3, u32::MAX - 1);
}

/// A kernel that is stopped between two messages continues with the next one, and none is lost or handled twice.
#[test]
fn a_stopped_kernel_continues() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let (words, inbox, outbox) = memory(2, 1);
        let stop = Arc::new(AtomicBool::new(false));
        let (other, stops) = (Arc::clone(&words), Arc::clone(&stop));
        let resident = thread::spawn(move || {
            let mut number = 0;
            while number < 2 && !stops.load(Ordering::Relaxed) {
                match inbox.read(&*other, number) {
                    Some(message) => {
                        outbox.write(&*other, number, Header::CALL, &[message[0] + 1]);
                        number += 1;
                    }
                    None => thread::yield_now(),
                }
            }
            number
        });
        let mut mailbox = Mailbox::new(inbox, outbox, 0);
        assert!(mailbox.send(&*words, Header::CALL, &[10]));
        assert!(mailbox.send(&*words, Header::CALL, &[20]));
        stop.store(true, Ordering::Relaxed);
        let number = resident.join().unwrap();
        kernel_from(&words, inbox, outbox, number);
        assert_eq!(mailbox.take(&*words).map(|reply| reply[0]), Some(11));
        assert_eq!(mailbox.take(&*words).map(|reply| reply[0]), Some(21));
        assert_eq!(mailbox.take(&*words), None);
    });
}

/// A kernel that is stopped within a message leaves it to the host, and goes on behind it, over several laps.
#[test]
fn a_message_without_end_is_skipped() {
    for slots in [1, 2] {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3 - slots as usize);
        model.check(move || {
            let (words, inbox, outbox) = memory(slots, 1);
            let mut mailbox = Mailbox::new(inbox, outbox, 0);
            let other = Arc::clone(&words);
            // Answers message 0, and is stopped in message 1, of which it has seen the words.
            let resident = thread::spawn(move || {
                kernel(&other, inbox, outbox, 0, 1);
                while inbox.read(&*other, 1).is_none() {
                    thread::yield_now();
                }
            });
            let mut sent = 0;
            let mut taken = 0;
            while sent < 2 {
                if mailbox.send(&*words, Header::CALL, &[sent + 5]) {
                    sent += 1;
                } else {
                    match mailbox.take(&*words) {
                        Some(reply) => {
                            assert_eq!(reply[0], !(taken + 5));
                            taken += 1;
                        }
                        None => thread::yield_now(),
                    }
                }
            }
            resident.join().unwrap();
            while let Some(reply) = mailbox.take(&*words) {
                assert_eq!(reply[0], !(taken + 5));
                taken += 1;
            }
            assert_eq!(taken, 1);
            assert_eq!(mailbox.answer(&*words), Some(1));
            // The second kernel begins behind the message; the next lap over its slot finds no reply that is too old.
            let other = Arc::clone(&words);
            let second = thread::spawn(move || kernel(&other, inbox, outbox, 2, slots));
            let (mut sent, mut taken) = (2, 2);
            while taken < 2 + slots {
                while sent < 2 + slots && mailbox.send(&*words, Header::CALL, &[sent + 5]) {
                    sent += 1;
                }
                match mailbox.take(&*words) {
                    Some(reply) => {
                        assert_eq!(reply[0], !(taken + 5));
                        taken += 1;
                    }
                    None => thread::yield_now(),
                }
            }
            second.join().unwrap();
        });
    }
}

/// The second life of the kernel: answers what is left.
fn kernel_from(words: &Memory, inbox: Slots, outbox: Slots, first: u32) {
    let mut number = first;
    while let Some(message) = inbox.read(words, number) {
        outbox.write(words, number, Header::CALL, &[message[0] + 1]);
        number += 1;
    }
}

/// The words of the queue to the host before its slots, as in `src/ring/emitted.rs`.
const TAKEN: usize = 0;
const TICKET: usize = 1;
const USED: usize = 3;
const SEEN: usize = 4;
const MARK: usize = 5;

/// Emits a message as the generated kernel does; returns whether there was room.
fn emit(words: &Memory, slots: Slots, message: u32) -> bool {
    let word = |at: usize| &words.0[at];
    if word(USED).fetch_add(1, Ordering::Relaxed) >= slots.count {
        let taken = word(TAKEN).load(Ordering::Relaxed);
        let freed = taken.wrapping_sub(word(SEEN).swap(taken, Ordering::Relaxed));
        if word(USED).fetch_sub(freed, Ordering::Relaxed).wrapping_sub(freed) > slots.count {
            word(USED).fetch_sub(1, Ordering::Relaxed);
            return false;
        }
    }
    let ticket = word(TICKET).fetch_add(1, Ordering::Relaxed);
    slots.write(words, ticket, Header::CALL, &[message]);
    word(MARK).fetch_add(1, Ordering::Relaxed);
    true
}

/// An actor emits while the host takes messages: each message that found room arrives once, as a whole, and in order.
#[test]
fn emitted_messages_arrive_once() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let slots = Slots { first: emitted::head(1), count: 2, payload: 1 };
        let words = slots.first + slots.words();
        let words = Arc::new(Memory((0..words).map(|_| AtomicU32::new(0)).collect()));
        let other = Arc::clone(&words);
        let actor = thread::spawn(move || {
            let messages = [1, 2 | 1 << 31, 3, 4 | 1 << 31];
            messages.map(|message| emit(&other, slots, message).then_some(message))
        });
        let (mut taken, mut received) = (Taken::new(1), Vec::new());
        let mut take = |received: &mut Vec<u32>| taken.take(&*words, |_| slots, |_, message| received.push(message[0]));
        (0..2).for_each(|_| take(&mut received));
        let emitted = actor.join().unwrap();
        // One look is enough, as the queue has two slots.
        take(&mut received);
        assert_eq!(received, emitted.into_iter().flatten().collect::<Vec<_>>());
        assert!((2..=4).contains(&received.len()), "{received:?}");
        assert_eq!((taken.actors()[0], taken.left(&*words, |_| slots)), (received.len() as u64, 0));
        let freed = words.0[SEEN].load(Ordering::Relaxed);
        assert_eq!(words.0[USED].load(Ordering::Relaxed), received.len() as u32 - freed);
    });
}

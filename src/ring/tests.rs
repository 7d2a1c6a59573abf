//! Tests of private items: the protocol against a plain queue, the generated kernel, and injected faults.

use std::collections::VecDeque;
use std::sync::atomic::AtomicU32;

use proptest::prelude::*;

use super::core::{View, value_of, words_of};
use super::generate::{Shape, generate};
use super::slot::{Header, Kind, Mailbox, Slots, Words, head};
use crate::kernel::Wgsl;

#[derive(Clone, Debug)]
enum Step {
    Send(Vec<u32>),
    Handle(u8),
    Take,
    Pass(u32),
    /// The kernel is stopped in the next message, which the host answers in its place.
    Stop,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop::collection::vec(any::<u32>(), 0..=5).prop_map(Step::Send),
        (0u8..4).prop_map(Step::Handle),
        Just(Step::Take),
        (0u32..4).prop_map(Step::Pass),
        Just(Step::Stop),
    ]
}

proptest! {
    /// A mailbox with a kernel that answers each message with itself is two queues.
    #[test]
    fn a_mailbox_is_two_queues(steps in prop::collection::vec(step(), 1..200), power in 0u32..4, late in any::<bool>()) {
        let count = 1 << power;
        let first = if late { 0u32.wrapping_sub(2 * count) } else { 0 };
        let inbox = Slots { first: 0, count, payload: 5 };
        let outbox = Slots { first: inbox.stride() * count as usize, count, payload: 5 };
        let words: Vec<AtomicU32> = (0..2 * outbox.first).map(|_| AtomicU32::new(0)).collect();
        let words = View(&words);
        let mut mailbox = Mailbox::new(inbox, outbox, first);
        let (mut sent, mut handled) = (VecDeque::new(), VecDeque::new());
        let mut number = first;
        for step in steps {
            match step {
                Step::Send(payload) => {
                    let fits = sent.len() + handled.len() < count as usize;
                    prop_assert_eq!(mailbox.send(&words, Header::CALL, &payload), fits);
                    if fits {
                        let mut whole = payload;
                        whole.resize(5, 0);
                        sent.push_back(whole);
                    }
                }
                Step::Handle(most) => {
                    for _ in 0..most {
                        let message = inbox.read(&words, number).map(|message| message[..5].to_vec());
                        prop_assert_eq!(&message, &sent.front().cloned());
                        let Some(message) = message else { break };
                        outbox.write(&words, number, Header { kind: Kind::ReadState, part: 77 }, &message);
                        number = number.wrapping_add(1);
                        handled.extend(sent.pop_front());
                    }
                }
                Step::Stop => {
                    // The host takes what was handled before.
                    while let Some(reply) = mailbox.take(&words) {
                        prop_assert_eq!(Some(reply[..5].to_vec()), handled.pop_front());
                    }
                    prop_assert!(handled.is_empty());
                    let message = mailbox.message(&words, 0).map(|message| message[..5].to_vec());
                    prop_assert_eq!(&message, &sent.front().cloned());
                    prop_assert_eq!(mailbox.message(&words, sent.len() as u32), None);
                    prop_assert_eq!(mailbox.answer(&words), message.map(|_| number));
                    if sent.pop_front().is_some() {
                        number = number.wrapping_add(1);
                    }
                }
                Step::Take => {
                    prop_assert_eq!(outbox.begins(&words, mailbox.taken()), !handled.is_empty());
                    let reply = mailbox.take(&words).map(|reply| reply[..5].to_vec());
                    prop_assert_eq!(reply, handled.pop_front());
                }
                Step::Pass(most) => {
                    let arrived = handled.len().min(most as usize);
                    prop_assert_eq!(mailbox.pass(&words, most) as usize, arrived);
                    handled.drain(..arrived);
                }
            }
            prop_assert_eq!(mailbox.under_way() as usize, sent.len() + handled.len());
        }
    }

    /// Each word of a message counts: without one of them, nothing has arrived.
    #[test]
    fn payloads_of_any_length_arrive_as_a_whole(
        payload in prop::collection::vec(any::<u32>(), 1..200),
        missing in any::<prop::sample::Index>(),
    ) {
        let slots = Slots { first: 3, count: 2, payload: payload.len() };
        let words: Vec<AtomicU32> = (0..slots.first + slots.words()).map(|_| AtomicU32::new(0)).collect();
        let words = View(&words);
        for number in [1, 3, 5] {
            let first = slots.at(number);
            let at = first + missing.index(head(payload.len()) + payload.len());
            let before = words.load(at);
            slots.write(&words, number, Header::CALL, &payload);
            let new = words.load(at);
            words.store(at, before);
            prop_assert_eq!(slots.read(&words, number), None);
            words.store(at, new);
            let read = slots.read(&words, number).map(|read| read.to_vec());
            prop_assert_eq!(read.as_ref(), Some(&payload));
            prop_assert_eq!(slots.read(&words, number.wrapping_add(2)), None);
        }
    }

    #[test]
    fn values_survive_as_words(value in any::<[u32; 7]>()) {
        let words = words_of(&value);
        prop_assert_eq!(&*words, &value);
        prop_assert_eq!(value_of::<[u32; 7]>(&words), value);
        let bytes: [u8; 7] = value.map(|word| word as u8);
        prop_assert_eq!(value_of::<[u8; 7]>(&words_of(&bytes)), bytes);
    }
}

/// The ring supplies the body of the function that sends, and lines behind it keep their numbers.
#[test]
fn lines_behind_a_supplied_body_are_those_of_the_author() {
    let text = "// anywarp:send
fn hand_on(to: u32, m: f32) -> bool {
    // the ring's
    return false;
}

// anywarp:actor
fn receive(state: ptr<function, f32>, x: f32, lane: u32) -> f32 {
    return x * 0.5;
}";
    let emit = "
// anywarp:emit
fn report(m: f32) -> bool {
    // the ring's
    return false;
}
";
    let (send, actor) = text.split_at(text.find("// anywarp:actor").unwrap());
    for text in [
        text.to_owned(),
        format!("{actor}\n{send}"),
        format!("{send}{emit}{actor}"),
        format!("{emit}{actor}\n{send}"),
        format!("{actor}{emit}{send}"),
    ] {
        let actor = super::source::read(&Wgsl::from(&*text).file("lines.wgsl")).unwrap();
        let source = generate(&actor, &[1], Shape { lanes: 1, invocations: 1, near: true, marks: false });
        let line = |part: &str| {
            let at = source.text().find(part).unwrap_or_else(|| panic!("no {part} in\n{}", source.text()));
            let place = source.position(at).unwrap();
            (place.file.to_owned(), place.line)
        };
        let written =
            |part: &str| ("lines.wgsl".to_owned(), 1 + text[..text.find(part).unwrap()].matches('\n').count() as u32);
        assert!(!source.text().contains("the ring's"), "{}", source.text());
        assert!(source.text().contains("{ return ring_send(to, m); }"), "{}", source.text());
        let emits = text.contains("fn report");
        assert_eq!(source.text().contains("{ return ring_emit(m); }"), emits, "{}", source.text());
        if emits {
            assert_eq!(line("fn report"), written("fn report"));
        }
        for part in ["fn hand_on", "fn receive", "return x * 0.5"] {
            assert_eq!(line(part), written(part), "{part} in\n{}", source.text());
        }
        assert_eq!(line("fn ring_actor").0, "lines.wgsl (generated)");
    }
}

#[cfg(feature = "cpu")]
mod faults;
#[cfg(feature = "cpu")]
mod restart;

//! Tests of answers to questions, and of the table of known cards.

use std::fmt;
use std::time::Duration;

use super::session::{Trial, observe};
use super::table::{Choices, known_cards};
use super::*;
use crate::device::Device;
use crate::kept::{Record, State};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Parts(u32);

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parts={}", self.0)
    }
}

fn all() -> Vec<Parts> {
    vec![Parts(1), Parts(2), Parts(4)]
}

fn question(size: u64) -> Question {
    Question::new("test", &[size, 3]).form("f32").form_if(false, "no").form_if(true, "aligned")
}

fn record(values: &str, at: u64, state: State) -> Record {
    let device = Device::open("cpu").unwrap();
    let kernel = crate::kept::kernel_of("test f32 aligned");
    let record = Record::blank(device.caps(), kernel, "1024x4".to_owned());
    Record { values: values.to_owned(), at, state, time: Some(Duration::from_micros(1)), ..record }
}

#[test]
fn sizes_are_rounded_up_and_properties_named() {
    assert_eq!((question(1000).operator(), question(1000).sizes()), ("test f32 aligned".into(), "1024x4".into()));
    assert_eq!(question(1024).sizes(), "1024x4");
    assert_eq!(question(1025).sizes(), "2048x4");
    assert_eq!(
        [0, 1, 2, 3, u64::MAX].map(|size| Question::new("", &[size]).sizes()).join(" "),
        "1 1 2 4 18446744073709551616"
    );
    assert_eq!(Question::new("", &[]).sizes(), "-");
}

#[test]
fn kept_results_come_before_known_cards_and_later_ones_before_earlier_ones() {
    let best = |values: &str, at| record(values, at, State::Best);
    let find = |choices: &Choices, size| choices.find(&question(size), all);
    assert_eq!(find(&Choices::from_records(&[], &[]), 1000), None);
    let known = Choices::from_records(&[best("parts=2", 9)], &[]);
    assert_eq!(find(&known, 1000), Some((Parts(2), Reason::Known)));
    // The second time from the answers, and not for other sizes.
    assert_eq!(find(&known, 600), Some((Parts(2), Reason::Known)));
    assert_eq!(find(&known, 1025), None);
    let both = Choices::from_records(&[best("parts=2", 9)], &[best("parts=4", 3), best("parts=1", 2)]);
    assert_eq!(find(&both, 1000), Some((Parts(4), Reason::Kept)));
    // A candidate that the operator does not have any more, and one that did not win.
    assert_eq!(find(&Choices::from_records(&[], &[best("parts=3", 1)]), 1000), None);
    assert_eq!(find(&Choices::from_records(&[], &[record("parts=2", 1, State::Measured)]), 1000), None);
    both.learn("test f32 aligned", "1024x4", "parts=2");
    assert_eq!(find(&both, 1000), Some((Parts(2), Reason::Kept)));
}

#[test]
fn an_answer_for_another_call_is_used_only_where_it_is_permitted() {
    let device = Device::open("cpu").unwrap();
    let decide = |permits: bool| question(1000).decide(&device, Parts(1), all, |_| permits);
    assert_eq!(decide(true), Parts(1));
    device.context.extension(|| Choices::of(device.caps())).learn("test f32 aligned", "1024x4", "parts=4");
    assert_eq!([decide(true), decide(false)], [Parts(4), Parts(1)]);
    let (_, decisions) = observe(&[], || decide(true));
    let names = ["parts=1", "parts=2", "parts=4"].map(str::to_owned).to_vec();
    assert_eq!(
        (&*decisions[0].chosen, decisions[0].reason, &decisions[0].candidates),
        ("parts=4", Reason::Kept, &names)
    );
}

#[test]
fn trials_hold_for_their_question_on_their_thread() {
    let device = Device::open("cpu").unwrap();
    let decide = |size| question(size).decide(&device, Parts(1), all, |_| true);
    let trial = |candidate: &str| {
        let [operator, sizes] = ["test f32 aligned", "1024x4"].map(str::to_owned);
        vec![Trial { operator, sizes, candidate: candidate.to_owned() }]
    };
    let (tried, decisions) = observe(&trial("parts=2"), || {
        let inner = observe(&trial("parts=4"), || decide(1000)).0;
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| decide(1000)).join().unwrap());
        [decide(1000), inner, decide(5000), elsewhere, decide(1000)]
    });
    assert_eq!(tried, [2, 4, 1, 1, 2].map(Parts));
    assert_eq!(decisions.iter().map(|decision| decision.reason).collect::<Vec<_>>(), [Reason::Tried, Reason::Default]);
    let (_, decisions) = observe(&trial("parts=7"), || decide(1000));
    assert_eq!((&*decisions[0].chosen, decisions[0].reason), ("parts=1", Reason::Default));
    let panicked = std::panic::catch_unwind(|| observe(&trial("parts=2"), || panic!("within a trial")));
    assert!(panicked.is_err() && decide(1000) == Parts(1));
}

/// A damaged table, or a record that no operator would find, would never be noticed otherwise.
#[test]
fn the_table_of_known_cards_is_sound() {
    let cards = known_cards();
    assert_eq!(cards.problems, Vec::<String>::new());
    for record in &cards.records {
        let sizes = record.sizes.split('x').all(|size| size.parse::<u128>().is_ok_and(u128::is_power_of_two));
        assert!(crate::kept::operator_of(&record.kernel).is_some() && sizes, "{record:?}");
        assert_eq!(record.state, State::Best, "{record:?}");
    }
}

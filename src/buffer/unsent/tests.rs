//! Tests of pieces of writes against a model of every byte.

use proptest::prelude::*;

use super::super::host::Heap;
use super::*;

const BYTES: u64 = 40;

fn long(bytes: &[u8]) -> Written {
    let mut heap = Heap::zeroed(bytes.len() as u64);
    heap.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
    Written::Heap(heap)
}

#[derive(Clone, Debug)]
enum Step {
    Short(Range<u64>),
    Long(Range<u64>),
    Cut(Range<u64>),
    Split(u64),
}

fn any_step() -> impl Strategy<Value = Step> {
    (0..7u8, 0..BYTES, 1..=12u64).prop_map(|(kind, start, length)| {
        let range = start..(start + length).min(BYTES);
        match kind {
            0..3 => Step::Short(range),
            3..5 => Step::Long(range),
            5 => Step::Cut(range),
            _ => Step::Split(start),
        }
    })
}

fn check(unsent: &Unsent, model: &[Option<u8>]) {
    let mut got = vec![None; model.len()];
    let mut end = 0;
    for (part, bytes) in unsent.parts(&(0..BYTES)) {
        assert!(part.start >= end && part.start < part.end, "pieces are in order and none overlap");
        end = part.end;
        got[part.start as usize..part.end as usize].iter_mut().zip(bytes).for_each(|(got, byte)| *got = Some(*byte));
    }
    assert_eq!(got, model);
    for (number, source) in &unsent.sources {
        let left =
            unsent.pieces.values().filter(|piece| matches!(&piece.place, Place::Of { source, .. } if source == number));
        assert!(source.pieces > 0 && left.count() == source.pieces, "long writes are kept while they are needed");
    }
}

proptest! {
    #[test]
    fn any_writes_agree_with_an_array(steps in prop::collection::vec(any_step(), 1..60)) {
        let mut unsent = Unsent::default();
        let mut model = [None; BYTES as usize];
        for (number, step) in steps.into_iter().enumerate() {
            let value = number as u8;
            match step {
                Step::Short(range) => {
                    unsent.write_short(range.start, &vec![value; (range.end - range.start) as usize]);
                    model[range.start as usize..range.end as usize].fill(Some(value));
                }
                Step::Long(range) => {
                    unsent.write(range.clone(), long(&vec![value; (range.end - range.start) as usize]));
                    model[range.start as usize..range.end as usize].fill(Some(value));
                }
                Step::Cut(range) => {
                    unsent.cut(&range);
                    model[range.start as usize..range.end as usize].fill(None);
                }
                Step::Split(at) => unsent.split(at),
            }
            check(&unsent, &model);
        }
        let released = unsent.cut(&(0..u64::MAX));
        prop_assert!(released.len() <= BYTES as usize && unsent.is_empty() && unsent.sources.is_empty());
    }
}

#[test]
fn a_short_write_overwrites_existing_pieces() {
    let mut unsent = Unsent::default();
    unsent.write(8..24, long(&[1; 16]));
    unsent.write_short(12, &[2; 4]);
    assert_eq!(unsent.pieces.len(), 1, "within a piece");
    unsent.write_short(4, &[3; 24]);
    let parts: Vec<_> = unsent.parts(&(0..BYTES)).map(|(part, bytes)| (part, bytes.to_vec())).collect();
    assert_eq!(parts, [(4..8, vec![3; 4]), (8..24, vec![3; 16]), (24..28, vec![3; 4])], "across one");
}

#[test]
fn consecutive_words_are_one_piece() {
    let mut unsent = Unsent::default();
    for word in 0..1000u64 {
        unsent.write_short(4 * word, &[7; 4]);
    }
    assert_eq!(unsent.pieces.len(), 1);
    assert_eq!(unsent.loose(&(0..0))[..], [0..4000; 1]);
}

#[test]
fn a_long_write_is_released_with_its_last_piece() {
    let mut unsent = Unsent::default();
    assert!(unsent.write(0..16, long(&[1; 16])).is_empty());
    assert!(unsent.cut(&(4..8)).is_empty(), "there are two pieces left");
    assert!(unsent.write(0..4, long(&[2; 4])).is_empty(), "there is one left");
    assert_eq!(unsent.cut(&(8..16)).len(), 1);
}
